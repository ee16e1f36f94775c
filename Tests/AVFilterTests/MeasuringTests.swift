import Foundation
import RespoolPlugin
import Testing

@testable import AVFilter

/// Results of the filters that measure, which equal those that ffmpeg prints for the last frame.
@Suite struct MeasuringTests {
  /// Returns the metadata of the last frame after a filter of ffmpeg.
  private func metadata(_ arguments: [String], _ filter: String, isVideo: Bool) throws -> [String:
    String]
  {
    let print = isVideo ? "metadata=print:file=-" : "ametadata=print:file=-"
    let text = try FFmpeg.run(
      arguments + [isVideo ? "-vf" : "-af", "\(filter),\(print)", "-f", "null", "-"])
    var values: [String: String] = [:]
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let halves = line.split(separator: "=", maxSplits: 1).map(String.init)
      if halves.count == 2 { values[halves[0]] = halves[1] }
    }
    return values
  }

  private func input(_ video: RawVideo) -> [String] {
    [
      "-f", "rawvideo", "-pixel_format", video.format.name, "-video_size",
      "\(video.width)x\(video.height)", "-framerate", "25", "-i", video.file.path,
    ]
  }

  @Test(arguments: [PixelFormat.yuv420p, .yuv420p10le])
  func `the crop is the union over all frames`(format: PixelFormat) throws {
    // A white box that moves: first at 40,20, then at 90,60.
    let video = try RawVideo(
      "color=black:size=256x144:rate=25:duration=1,"
        + "drawbox=x=40:y=20:w=64:h=48:color=white:t=fill:enable='lt(t,0.5)',"
        + "drawbox=x=90:y=60:w=64:h=48:color=white:t=fill:enable='gte(t,0.5)'", format, 256, 144)
    let filter = try Filtering.type("cropdetect").init(
      settings: FilterSettings(track: video.track, options: [PluginOption("round", "2")]))
    let frames = try Filtering.run(filter, video.frames)
    #expect(frames.count == 25)
    #expect(
      filter.results == [
        FilterResult("crop", "114:88:40:20"), FilterResult("visible", "114:88:40:20"),
      ])
    let expected = try metadata(input(video), "cropdetect=round=2", isVideo: true)
    #expect(
      ["w", "h", "x", "y"].map { expected["lavfi.cropdetect.\($0)"] } == ["114", "88", "40", "20"])
  }

  @Test func `black video has no crop`() throws {
    let video = try RawVideo("color=black:size=64x64:rate=25:duration=1", .yuv420p, 64, 64)
    let filter = try Filtering.type("cropdetect").init(settings: FilterSettings(track: video.track))
    _ = try Filtering.run(filter, video.frames)
    #expect(filter.results == [])
  }

  @Test(arguments: [false, true])
  func `interlaced frames are counted`(isInterlaced: Bool) throws {
    let video = try RawVideo(
      "testsrc2=size=320x240:rate=50:duration=2," + (isInterlaced ? "tinterlace=4" : "framestep=2"),
      .yuv420p, 320, 240)
    let filter = try Filtering.type("idet").init(settings: FilterSettings(track: video.track))
    _ = try Filtering.run(filter, video.frames)
    let expected = try metadata(input(video), "idet", isVideo: true)
    let values = Dictionary(uniqueKeysWithValues: filter.results.map { ($0.name, $0.value) })
    for (name, key) in [
      ("top-first", "multiple.tff"), ("bottom-first", "multiple.bff"),
      ("progressive", "multiple.progressive"), ("undetermined", "multiple.undetermined"),
    ] {
      let value = try #require(expected["lavfi.idet.\(key)"])
      #expect(Double(values[name] ?? "-") == Double(value), "\(name)")
    }
    let share = (Double(values["top-first"] ?? "") ?? 0) / Double(video.frames.count)
    #expect(!isInterlaced || share > 0.9)
  }

  @Test(arguments: [ChannelLayout.stereo, AudioFilterTests.surround])
  func `loudness and peak are those of ffmpeg`(layout: ChannelLayout) throws {
    let audio = try RawAudio(.dbl, layout: layout)
    let filter = try Filtering.type("ebur128").init(settings: FilterSettings(track: audio.track))
    _ = try Filtering.run(filter, audio.frames)
    let expected = try metadata(
      [
        "-f", "f64le", "-ar", "48000", "-ac", "\(layout.channelCount)", "-i", audio.file.path,
      ], "ebur128=metadata=1:peak=true", isVideo: false)
    #expect(filter.results.map(\.name) == ["integrated", "range", "true-peak"])
    #expect(filter.results.map(\.unit) == ["LUFS", "LU", "dBTP"])
    #expect(filter.results[0].value == expected["lavfi.r128.I"])
    #expect(filter.results[1].value == expected["lavfi.r128.LRA"])
    let peak = try #require(expected["lavfi.r128.true_peak"].flatMap { Double($0) })
    let measured = try #require(Double(filter.results[2].value))
    #expect(abs(measured - 20 * log10(peak)) < 0.001)
  }
}
