import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Compositions of decoded clips, compared with the output of FFmpeg's filters.
@Suite struct CrossfadeTests {
  /// Returns the output of FFmpeg's filters for clips, as 4:2:0 planes, one array for each frame.
  private func filtered(
    _ clips: [String], _ graph: String, width: Int, height: Int, count: Int,
    format: String = "yuv420p"
  ) throws -> [[UInt8]] {
    let scratch = try Scratch()
    let output = scratch.path("out.yuv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error"]
        + clips.flatMap { ["-noautorotate", "-i", Pipeline.clip($0)] } + [
          "-filter_complex", graph, "-frames:v", "\(count)", "-f", "rawvideo", "-pix_fmt", format,
          output,
        ])
    let data = try Data(contentsOf: URL(filePath: output))
    let size = width * height * 3 / 2 * (format.hasSuffix("10le") ? 2 : 1)
    try #require(data.count == size * count)
    return (0..<count).map { [UInt8](data[$0 * size..<($0 + 1) * size]) }
  }

  private func greatestDifference(_ picture: PixelBuffer, _ expected: [UInt8]) -> Int {
    zip(FrameFixture.allBytes(picture.frame), expected).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  @Test(arguments: [0.5, 0.2])
  func `a crossfade of two clips is the blend of FFmpeg`(opacity: Double) throws {
    let clips = ["pattern-h264.mp4", "pattern-vp9.webm"]
    let expected = try filtered(
      clips,
      "[0:v]setpts=N/25/TB[a];[1:v]setpts=N/25/TB[b];"
        + "[a][b]blend=all_mode=normal:all_opacity=\(opacity)", width: 320, height: 180,
      count: 12)
    let upper = try Pipeline.pictures(Pipeline.clip(clips[0]))
    let lower = try Pipeline.pictures(Pipeline.clip(clips[1]))
    let composition = VideoFixture.composition(
      320, 180,
      [try VideoFixture.layer(1) { try $0.setOpacity(opacity, at: .zero) }, VideoFixture.layer(2)])
    let sources = try [upper, lower].enumerated().map { index, samples in
      VideoFixture.source(Int64(index + 1), try #require(samples.first?.imageBuffer))
    }
    let renderer = try VideoCompositionRenderer(composition, sources: sources)
    for index in expected.indices {
      let frames = try [
        Int64(1): #require(upper[index].imageBuffer), 2: #require(lower[index].imageBuffer),
      ]
      let time = MediaTime(value: Int64(index), timescale: 25)
      let result = try #require(try renderer.render(at: time, frames: frames))
      #expect(greatestDifference(result, expected[index]) <= 1)
    }
  }

  @Test func `a layer in a corner is the overlay of FFmpeg`() throws {
    let expected = try filtered(
      ["pattern-h264.mp4", "clap-and-flash.mp4"], "[0:v][1:v]overlay=64:32:format=yuv420",
      width: 320, height: 180, count: 5)
    let below = try Pipeline.pictures(Pipeline.clip("pattern-h264.mp4"))
    let inset = try Pipeline.pictures(Pipeline.clip("clap-and-flash.mp4"))
    let composition = VideoFixture.composition(
      320, 180,
      [
        try VideoFixture.layer(2) {
          try $0.setTransform(Transform(translationX: 64, y: 32), at: .zero)
        }, VideoFixture.layer(1),
      ])
    for index in expected.indices {
      let frames = try [
        Int64(1): #require(below[index].imageBuffer), 2: #require(inset[index].imageBuffer),
      ]
      let result = try VideoFixture.render(composition, frames)
      #expect(greatestDifference(result, expected[index]) == 0)
    }
  }

  @Test func `a portrait clip is upright`() throws {
    let asset = Asset(path: Pipeline.clip("portrait.mov"), registry: Pipeline.registry)
    let track = try #require(try asset.tracks(withMediaType: .video).first)
    let samples = try Pipeline.samples(
      of: asset, .video, .video(pixelFormat: .yuv444p))
    let source = VideoCompositionSource(
      trackID: 1, track: track.description, timeRange: VideoFixture.second)
    let composition = VideoComposition(propertiesOf: [source])
    #expect(composition.renderSize == VideoDimensions(width: 180, height: 320))
    let picture = try #require(samples.first?.imageBuffer)
    let renderer = try VideoCompositionRenderer(
      composition, sources: [source], pixelFormat: .yuv444p)
    let result = try #require(try renderer.render(at: .zero, frames: [1: picture]))
    let turned = try FrameRotator(
      from: VideoFormat(picture.frame), orientation: track.preferredTransform.orientation
    ).rotate(picture.frame)
    #expect(track.preferredTransform.orientation.swapsAxes)
    #expect(FrameFixture.allBytes(result.frame) == FrameFixture.allBytes(turned))
  }
}
