import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Colors of scaled video, as FFmpeg decodes them, with and without a stated matrix in the source.
@Suite struct UnmarkedColors {
  struct Case: CustomTestStringConvertible {
    var width: Int
    var height: Int
    /// The matrix that the source states.
    ///
    /// 2 if it states none.
    var matrix: UInt8
    var box: (width: Int, height: Int)
    var testDescription: String {
      "\(width)x\(height), matrix \(matrix), into \(box.width)x\(box.height)"
    }
  }

  static let cases: [Case] = [
    (1280, 534), (534, 1280), (1920, 1080), (1024, 600), (640, 360), (720, 576),
  ].flatMap { (width: Int, height: Int) in
    [2, 1, 6].flatMap { (matrix: UInt8) in
      [(854, 480), (1280, 720)].map {
        Case(width: width, height: height, matrix: matrix, box: $0)
      }
    }
  }

  static let names: [UInt8: String] = [1: "bt709", 5: "bt601", 6: "bt601"]

  @Test(arguments: cases)
  func `a flat color stays`(_ known: Case) throws {
    let scratch = try Scratch()
    let source = scratch.path("source.mp4")
    let marks: [UInt8: String] = [1: "bt709", 6: "smpte170m"]
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "color=c=0x5D64C0:size=\(known.width)x\(known.height):rate=5", "-frames:v", "2",
        "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "1",
      ] + (marks[known.matrix].map { ["-colorspace", $0] } ?? []) + [source])
    var preset = try Pipeline.preset("web-480p")
    preset.video?.size = Preset.Size(known.box.width, known.box.height)
    preset.video?.upscale = true
    preset.video?.passThrough = .never
    let output = scratch.path("output.mp4")
    _ = try ExportSession(input: source, preset: preset, registry: Pipeline.registry)
      .exportAndWait(to: output)

    let (before, after) = (try color(of: source, in: scratch), try color(of: output, in: scratch))
    #expect(zip(before, after).allSatisfy { abs(Int($0) - Int($1)) <= 2 }, "\(before) \(after)")
  }

  /// Returns the first pixel, decoded with the stated matrix or, without one, the usual one for the size.
  private func color(of path: String, in scratch: Scratch) throws -> [UInt8] {
    let media = try Asset(path: path, registry: Pipeline.registry).mediaDescription()
    let track = try #require(media.tracks.first)
    let usual = max(track.width, track.height) >= 1280 || min(track.width, track.height) >= 720
    let matrix = track.color.matrix == 2 ? (usual ? 1 : 6) : track.color.matrix
    let name = try #require(Self.names[matrix])
    let output = scratch.path("color.rgb")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", path, "-frames:v", "1", "-vf", "scale=in_color_matrix=\(name)",
        "-pix_fmt", "rgb24", "-f", "rawvideo", output,
      ])
    return [UInt8](try Data(contentsOf: URL(filePath: output)).prefix(3))
  }
}
