import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Pass-through from AVI, which stores frames in decoding order without presentation times.
@Suite struct ReorderedCopies {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Creates an MP4 file with reordered frames, and a copy of it in AVI.
  private func make(_ codec: String) throws -> (movie: String, avi: String) {
    let (movie, avi) = (scratch.path("source.mp4"), scratch.path("source.avi"))
    let input = [
      "-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x120:r=25:d=2", "-pix_fmt", "yuv420p",
    ]
    let coding: [String] =
      switch codec {
      case "open": ["-c:v", "libx264", "-g", "20", "-x264-params", "open-gop=1:bframes=3:ref=4"]
      case "interlaced": ["-c:v", "libx264", "-flags", "+ildct+ilme", "-x264-params", "tff=1"]
      case "h264": ["-c:v", "libx264", "-g", "12", "-x264-params", "b-pyramid=normal:bframes=4"]
      default: ["-c:v", codec, "-bf", "2", "-g", "10"]
      }
    try PluginWorkshop.run("ffmpeg", input + coding + [movie])
    try PluginWorkshop.run("ffmpeg", ["-v", "error", "-i", movie, "-c", "copy", avi])
    return (movie, avi)
  }

  private func times(_ path: String) throws -> [MediaTime] {
    try Pipeline.samples(path, .video, nil).map { $0.presentationTimeStamp }
  }

  @Test(arguments: ["h264", "open", "interlaced", "mpeg4", "mpeg2video"])
  func `frames copied from AVI keep their presentation times`(codec: String) throws {
    let (movie, avi) = try make(codec)
    let source = try times(movie)
    #expect(source != source.sorted(), "nothing is reordered")
    #expect(try times(avi) == source)
    for preset in ["remux-mp4", "remux-mkv"] {
      let output = scratch.path(preset)
      let report = try Pipeline.export(avi, preset, to: output)
      #expect(report.isCopy)
      let made = try Pipeline.samples(output, .video, nil)
      #expect(made.map(\.presentationTimeStamp) == source)
      #expect(
        made.allSatisfy {
          !$0.decodeTimeStamp.isNumeric || $0.decodeTimeStamp <= $0.presentationTimeStamp
        })
      // Decoding returns one frame for each time.
      #expect(try Pipeline.pictures(output).map(\.presentationTimeStamp) == source.sorted())
    }
  }

  @Test(arguments: ["h264", "open", "mpeg4"])
  func `a part copied from AVI is that part`(codec: String) throws {
    let (movie, avi) = try make(codec)
    let part = TimeRange(
      start: MediaTime(value: 26, timescale: 25), end: MediaTime(value: 39, timescale: 25))
    var made: [[MediaTime]] = []
    for (name, path) in [("movie", movie), ("avi", avi)] {
      let session = try ExportSession(
        input: path, preset: try Pipeline.preset("remux-mp4"), registry: Pipeline.registry,
        threads: 1)
      session.timeRange = part
      _ = try session.exportAndWait(to: scratch.path(name))
      made.append(try Pipeline.pictures(scratch.path(name)).map(\.presentationTimeStamp))
    }
    #expect(made[1] == made[0])
    #expect(made[1].first == .zero)
    #expect(made[1].count == 13)
  }

  @Test func `times of decoded AVI are those of FFmpeg`() throws {
    let (_, avi) = try make("mpeg4")
    // One frame late: without times, the decoder returns the first frame with the second packet.
    let first = try #require(try Pipeline.pictures(avi).first)
    #expect(first.presentationTimeStamp == MediaTime(value: 1, timescale: 25))
  }
}
