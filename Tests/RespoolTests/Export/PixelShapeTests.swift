import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Pixel aspect ratios that only the coded frames state.
@Suite struct PixelAspectRatios {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Creates one second of video in a file that does not state the pixel aspect ratio.
  ///
  /// FFmpeg states it with a `pasp` box and the width of the track; other writers do not.
  private func make(
    _ codec: String, width: Int, height: Int, aspect: Rational, in name: String
  ) throws -> String {
    let path = scratch.path(name)
    let picture =
      "testsrc=s=\(width)x\(height):r=10:d=1,setsar=\(aspect.numerator)/\(aspect.denominator)"
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", picture, "-c:v", codec, path])
    func size(_ width: Int) -> Data {
      Data([width, height].flatMap { [UInt8($0 >> 8), UInt8($0 & 255), 0, 0] })
    }
    var bytes = try Data(contentsOf: URL(filePath: path))
    let box = try #require(bytes.range(of: Data("pasp".utf8)))
    bytes.replaceSubrange(box, with: Data("free".utf8))
    let shown = width * Int(aspect.numerator) / Int(aspect.denominator)
    let track = try #require(bytes.range(of: size(shown)))
    bytes.replaceSubrange(track, with: size(width))
    try bytes.write(to: URL(filePath: path))
    return path
  }

  private func track(_ path: String) throws -> TrackDescription {
    let asset = Asset(path: path, registry: Pipeline.registry)
    return try #require(try asset.mediaDescription().tracks.first)
  }

  @Test(arguments: ["web-480p", "webm-720p"])
  func `H-263 in 3GP keeps the pixel aspect ratio of its frames`(preset: String) throws {
    let source = try make(
      "h263", width: 352, height: 288, aspect: Rational(12, 11), in: "source.3gp")
    #expect(try track(source).sampleAspect == Rational(12, 11))
    try Pipeline.export(source, preset, to: scratch.path("out"))
    let made = try track(scratch.path("out"))
    #expect((made.width, made.height) == (352, 288))
    #expect(made.sampleAspect == Rational(12, 11))
  }

  @Test(arguments: ["web-480p", "web-1080p"])
  func `the pixel aspect ratio of a decoder is kept if the container states none`(preset: String)
    throws
  {
    // MPEG-4 Visual states the aspect ratio in its header, which the demuxer does not read.
    let source = try make(
      "mpeg4", width: 960, height: 540, aspect: Rational(4, 3), in: "source.mp4")
    #expect(try !track(source).sampleAspect.isPositive)
    try Pipeline.export(source, preset, to: scratch.path("out"))
    let made = try track(scratch.path("out"))
    let shown = Double(made.width) * made.sampleAspect.doubleValue / Double(made.height)
    #expect(abs(shown - 960.0 / 540 * 4 / 3) < 0.02)
  }
}
