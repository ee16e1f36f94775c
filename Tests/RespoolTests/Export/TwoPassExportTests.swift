import Foundation
import RespoolMedia
import RespoolPresets
import TestFixtures
import Testing

@testable import Respool

/// Exports by presets that encode video in two passes.
@Suite struct TwoPassExports {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a film that becomes harder to encode, in a time base much finer than its frame rate.
  private func film() throws -> String {
    let path = scratch.path("film.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=d=4:s=320x240:r=25", "-f", "lavfi", "-i",
        "sine=d=4", "-c:v", "libx264", "-qp", "0", "-pix_fmt", "yuv420p", "-c:a", "aac", path,
      ])
    return path
  }

  private func preset(passes: Int, _ more: String = "codec: vp9, options: {cpu-used: 4}") throws
    -> Preset
  {
    let name = "passes-\(passes)"
    try """
    summary: A test
    container: mkv
    audio: {codec: opus}
    video: {bitrate: 200k, passes: \(passes), \(more)}
    """.write(toFile: scratch.path("\(name).yaml"), atomically: true, encoding: .utf8)
    return try PresetLibrary.standard.preset(
      scratch.path("\(name).yaml"), available: Pipeline.registry.availablePlugins)
  }

  private func export(_ source: String, _ preset: Preset, to name: String) throws -> String {
    let session = try ExportSession(
      input: source, preset: preset, registry: Pipeline.registry, threads: 2)
    let report = try session.exportAndWait(to: scratch.path(name))
    #expect(report.losses.isEmpty, "\(report.losses)")
    #expect(report.notes.isEmpty, "\(report.notes)")
    return scratch.path(name)
  }

  /// Returns the sizes of the video packets of a file.
  private func sizes(_ path: String) throws -> [Int] {
    try PluginWorkshop.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=size", "-of", "csv=p=0",
        path,
      ]
    ).split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
  }

  @Test func `each number of passes gives the bytes that FFmpeg gets with it`() throws {
    let source = try film()
    let common = [
      "-v", "error", "-y", "-i", source, "-an", "-c:v", "libvpx-vp9", "-b:v", "200k", "-cpu-used",
      "4", "-threads", "2", "-row-mt", "1",
    ]
    let log = ["-passlogfile", scratch.path("log")]
    try PluginWorkshop.run("ffmpeg", common + [scratch.path("one.webm")])
    try PluginWorkshop.run("ffmpeg", common + ["-pass", "1"] + log + ["-f", "null", "-"])
    try PluginWorkshop.run("ffmpeg", common + ["-pass", "2"] + log + [scratch.path("two.webm")])
    for (passes, name) in [(1, "one"), (2, "two")] {
      let ours = try sizes(export(source, preset(passes: passes), to: "\(name).mkv"))
      let theirs = try sizes(scratch.path("\(name).webm"))
      #expect(ours.count == 100)
      let (sum, other) = (Double(ours.reduce(0, +)), Double(theirs.reduce(0, +)))
      #expect(abs(sum / other - 1) < 0.02, "\(name): \(sum) and \(other) bytes")
    }
  }

  @Test func `parts of a file and compositions are measured where they are encoded`() throws {
    let asset = Asset(path: try film(), registry: Pipeline.registry)
    let composition = MutableComposition()
    let track = try #require(composition.addMutableTrack(withMediaType: .video))
    let video = try #require(asset.tracks(withMediaType: .video).first)
    let second = TimeRange(
      start: MediaTime(value: 1, timescale: 1), duration: MediaTime(value: 1, timescale: 1))
    try track.insertTimeRange(second, of: video, at: .zero)
    try track.insertTimeRange(second, of: video, at: MediaTime(value: 1, timescale: 1))
    let joined = try ExportSession(
      asset: composition, preset: preset(passes: 2), registry: Pipeline.registry)
    try joined.exportAndWait(to: scratch.path("joined.mkv"))
    #expect(try sizes(scratch.path("joined.mkv")).count == 50)
    let part = try ExportSession(
      asset: asset, preset: preset(passes: 2), registry: Pipeline.registry)
    part.timeRange = second
    try part.exportAndWait(to: scratch.path("part.mkv"))
    #expect(try sizes(scratch.path("part.mkv")).count == 25)
  }

  @Test(arguments: [("h264", "x264", "libx264"), ("hevc", "x265", "libx265")])
  func `encoders that pass statistics in a file make the bytes that FFmpeg makes`(
    codec: String, encoder: String, other: String
  ) throws {
    let source = try film()
    let common = ["-v", "error", "-y", "-i", source, "-an", "-c:v", other, "-b:v", "200k"]
    let last = scratch.path("two.mp4")
    // In a stream with parameter sets, the libraries would count their bits too.
    for (pass, output) in [(1, scratch.path("one.mp4")), (2, last)] {
      let words =
        encoder == "x264"
        ? ["-threads", "3", "-pass", "\(pass)", "-passlogfile", scratch.path("log")]
        : [
          "-x265-params",
          "pass=\(pass):stats=\(scratch.path("log")):log-level=none:frame-threads=1",
        ]
      try PluginWorkshop.run("ffmpeg", common + words + [output])
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: "/var/tmp")
    let more =
      "codec: \(codec), encoder: \(encoder), options: {\(encoder == "x264" ? "cpu-independent: false" : "preset: medium")}"
    // The first packet has the version and options of the library only here.
    let ours = try sizes(export(source, preset(passes: 2, more), to: "two.mkv")).dropFirst()
    let theirs = try sizes(last).dropFirst()
    if encoder == "x265" {
      #expect(ours == theirs)
    } else {
      // Equal with as many threads, which depend on the machine.
      let (sum, other) = (Double(ours.reduce(0, +)), Double(theirs.reduce(0, +)))
      #expect(abs(sum / other - 1) < 0.02, "\(sum) and \(other) bytes")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: "/var/tmp")
    #expect(left.filter { $0.hasPrefix("respool-scratch-") && !before.contains($0) } == [])
  }

  @Test func `an encoder that makes one pass is named`() throws {
    try "summary: A test\ncontainer: mkv\naudio: none\nvideo: {codec: ffv1, passes: 2}\n".write(
      toFile: scratch.path("one.yaml"), atomically: true, encoding: .utf8)
    let error = #expect(throws: MediaError.self) {
      try PresetLibrary.standard.preset(
        scratch.path("one.yaml"), available: Pipeline.registry.availablePlugins)
    }
    let words = error?.description ?? ""
    #expect(words.contains("4:30: encoder ffv1 makes one pass only"), "\(words)")
  }
}
