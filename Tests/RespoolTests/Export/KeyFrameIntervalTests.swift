import Foundation
import ReadingFixtures
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Key frames at the start of each interval, and warnings of encoders, in exports and writers.
@Suite struct KeyFrameIntervals {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns the times of the key frames of a file in seconds.
  private func keyFrames(_ path: String) throws -> [Double] {
    let text = try PluginWorkshop.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,flags", "-of",
        "csv=p=0", path,
      ])
    return text.split(separator: "\n").filter { $0.contains("K") }.compactMap {
      Double($0.split(separator: ",")[0])
    }.sorted()
  }

  private func make(_ filter: String, _ name: String) throws -> String {
    let path = scratch.path(name)
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", filter, "-c:v", "ffv1", "-vsync", "vfr", path])
    return path
  }

  private func export(_ source: String, _ change: (inout Preset) -> Void) throws -> ExportReport {
    var preset = try Pipeline.preset("web-480p")
    change(&preset)
    let session = try ExportSession(input: source, preset: preset, registry: Pipeline.registry)
    return try session.exportAndWait(to: scratch.path("out.mp4"))
  }

  @Test(
    arguments: [
      // A still picture has no scene changes, so that all key frames are requested ones.
      ("color=s=64x48:r=25:d=3", 0.5, [0, 0.52, 1, 1.52, 2, 2.52]),
      ("color=s=64x48:r=25:d=1", 0.1, [0, 0.12, 0.2, 0.32, 0.4, 0.52, 0.6, 0.72, 0.8, 0.92]),
      // Two frames of three are missing, in an irregular order.
      ("color=s=64x48:r=25:d=4,select='not(mod(n,7))'", 1, [0, 1.12, 2.24, 3.08]),
    ] as [(String, Double, [Double])])
  func `each interval of a preset begins with a key frame`(
    filter: String, interval: Double, expected: [Double]
  ) throws {
    let source = try make(filter, "source.mkv")
    _ = try export(source) { $0.video?.keyFrameInterval = interval }
    #expect(try keyFrames(scratch.path("out.mp4")) == expected)
  }

  @Test func `the encoder decides without an interval`() throws {
    _ = try export(make("color=s=64x48:r=25:d=3", "source.mkv")) { _ in }
    #expect(try keyFrames(scratch.path("out.mp4")) == [0])
  }

  @Test func `a warning of an encoder is a note of the report`() throws {
    let report = try export(make("color=s=64x48:r=25:d=0.4", "source.mkv")) {
      $0.video?.options.append(PluginOption("nal-hrd", "vbr"))
    }
    #expect(report.losses.isEmpty)
    #expect(
      report.notes.contains { $0.hasPrefix("x264: NAL HRD parameters require VBV") },
      "\(report.notes)")
  }

  @Test(arguments: [(10, nil), (nil, 0.4)] as [(Int?, Double?)])
  func `a writer's input obeys both kinds of intervals`(frames: Int?, seconds: Double?) throws {
    var settings = VideoOutputSettings(codec: "h264", width: 64, height: 48)
    settings.maxKeyFrameInterval = frames
    settings.maxKeyFrameIntervalDuration = seconds
    let output = scratch.path("out.mp4")
    let writer = try AssetWriter(path: output, container: "mp4", registry: Pipeline.registry)
    let input = AssetWriterInput(mediaType: .video, settings: .video(settings))
    try writer.add(input)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    for number in 0..<40 {
      while !input.isReadyForMoreMediaData { usleep(1000) }
      let frame = try FrameFixture.flat(.yuv420p, 64, 48, [100, 128, 128])
      let sample = SampleBuffer(
        try #require(PixelBuffer(frame)), at: MediaTime(value: Int64(number), timescale: 25),
        duration: MediaTime(value: 1, timescale: 25))
      #expect(input.append(sample))
    }
    input.markAsFinished()
    writer.finishWritingAndWait()
    #expect(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(try keyFrames(output) == [0, 0.4, 0.8, 1.2])
  }
}
