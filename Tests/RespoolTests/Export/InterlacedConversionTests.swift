import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Scaling of interlaced video, which keeps the fields separate and is listed in the report.
@Suite struct InterlacedConversions {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Creates a file of frames with a white top field and a black bottom field.
  private func make(_ arguments: [String], _ name: String) throws -> String {
    let path = scratch.path(name)
    let lines = "color=s=720x576:r=25:d=0.4,geq=lum='if(mod(Y,2),16,235)':cb=128:cr=128"
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", lines + ",setfield=tff"] + arguments + [path])
    return path
  }

  @Test(arguments: [
    (["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-b:v", "20M"], "stated.mkv"),
    (["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-b:v", "20M"], "stream.ts"),
    (["-c:v", "v210", "-field_order", "tt"], "raw.mov"),
    // Only the frames themselves state that they are interlaced.
    (["-c:v", "libx264", "-crf", "10", "-flags", "+ildct+ilme", "-top", "1"], "unstated.mp4"),
  ])
  func `fields are scaled separately and coded as fields`(arguments: [String], name: String) throws
  {
    let source = try make(arguments, name)
    let output = scratch.path("out.mp4")
    let report = try Pipeline.export(source, "web-480p", to: output)
    let track = try #require(
      try Asset(path: output, registry: Pipeline.registry).mediaDescription().tracks.first)
    #expect(track.height < 576 && track.height.isMultiple(of: 4))
    #expect(report.losses.count { $0.contains("interlaced") } == 1, "\(report.losses)")
    let probe = try #require(
      try Pipeline.samples(output, .video, .video(pixelFormat: .yuv420p)).first?.frame)
    #expect(probe.fieldOrder == .topFirst)
    let picture = try FFmpegPictures(output, width: track.width, height: track.height).luma(0)
    let rows = (40..<track.height - 40).map { picture.mean(x: 40..<400, y: $0..<$0 + 1) }
    let even = stride(from: 0, to: rows.count, by: 2).map { rows[$0] }
    let odd = stride(from: 1, to: rows.count, by: 2).map { rows[$0] }
    #expect((even.min() ?? 0) > 180 && (odd.max() ?? 255) < 80)
  }

  @Test func `interlaced video that is not scaled keeps its fields without a note`() throws {
    let source = try make(
      ["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-b:v", "20M"], "source.mkv")
    let output = scratch.path("out.mp4")
    let report = try Pipeline.export(source, "web-1080p", to: output)
    #expect(report.losses.isEmpty, "\(report.losses)")
    let frame = try #require(try Pipeline.pictures(output).first?.frame)
    #expect(frame.fieldOrder == .topFirst)
  }
}
