import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Sources that are truncated or still being copied.
@Suite struct IncompleteSources {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  struct Container: CustomTestStringConvertible {
    var name: String
    var arguments: [String]
    var preset = "opus-128k"
    var testDescription: String { name }
  }

  static let containers: [Container] = [
    .init(name: "pcm.wav", arguments: []),
    .init(name: "pcm.aiff", arguments: []),
    .init(name: "pcm.w64", arguments: []),
    .init(name: "pcm.caf", arguments: []),
    .init(name: "mp3.mp3", arguments: ["-c:a", "libmp3lame"]),
    .init(name: "flac.flac", arguments: ["-c:a", "flac"]),
    .init(name: "opus.opus", arguments: ["-c:a", "libopus"]),
    .init(name: "vorbis.ogg", arguments: ["-c:a", "libvorbis"]),
    .init(name: "film.mkv", arguments: ["-c:v", "libx264", "-c:a", "aac"], preset: "remux-mkv"),
    .init(name: "live.mkv", arguments: ["-c:v", "libx264", "-live", "1"], preset: "remux-mkv"),
    .init(
      name: "film.webm", arguments: ["-c:v", "libvpx", "-c:a", "libopus"], preset: "remux-mkv"),
    .init(name: "film.avi", arguments: ["-c:v", "mpeg4", "-c:a", "mp2"], preset: "remux-mkv"),
    .init(name: "film.ts", arguments: ["-c:v", "mpeg2video", "-c:a", "mp2"], preset: "remux-mkv"),
    .init(
      name: "film.mp4", arguments: ["-c:v", "libx264", "-c:a", "aac", "-movflags", "faststart"],
      preset: "remux-mkv"),
    .init(
      name: "fragments.mp4",
      arguments: ["-c:v", "libx264", "-g", "10", "-movflags", "empty_moov+frag_keyframe"],
      preset: "remux-mkv"),
  ]

  /// Formats in which less than a second is missing, which durations do not show.
  static let exact: [Container] = [
    .init(name: "pcm.au", arguments: []),
    .init(name: "tta.tta", arguments: ["-c:a", "tta"]),
    .init(name: "wavpack.wv", arguments: ["-c:a", "wavpack"]),
    .init(name: "audio.wma", arguments: ["-c:a", "wmav2"]),
    .init(name: "film.wmv", arguments: ["-c:v", "wmv2", "-c:a", "wmav2"], preset: "remux-mkv"),
    .init(
      name: "film.flv", arguments: ["-c:v", "flv", "-c:a", "libmp3lame", "-ar", "44100"],
      preset: "remux-mkv"),
    .init(
      name: "bare.flv",
      arguments: [
        "-c:v", "flv", "-c:a", "libmp3lame", "-ar", "44100", "-flvflags", "no_duration_filesize",
      ], preset: "remux-mkv"),
    .init(name: "film.nut", arguments: ["-c:v", "mpeg4", "-c:a", "mp2"], preset: "remux-mkv"),
    .init(name: "film.ivf", arguments: ["-an", "-c:v", "libvpx"], preset: "remux-mkv"),
    .init(
      name: "vp9.ivf", arguments: ["-an", "-c:v", "libvpx-vp9", "-deadline", "realtime"],
      preset: "remux-mkv"),
  ]

  private func make(_ container: Container) throws -> String {
    let path = scratch.path(container.name)
    let isFilm = container.preset == "remux-mkv"
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error"] + (isFilm ? ["-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=4"] : [])
        + ["-f", "lavfi", "-i", "anoisesrc=d=4:r=48000:a=0.3", "-shortest"] + container.arguments
        + [path])
    return path
  }

  @Test(arguments: containers)
  func `a truncated source is reported, a whole one is not`(_ container: Container) throws {
    let path = try make(container)
    let whole = try Pipeline.export(path, container.preset, to: scratch.path("whole"))
    #expect(whole.incomplete == nil)
    let bytes = try Data(contentsOf: URL(filePath: path))
    // An odd size that is not a multiple of 188, so that the cut is within a packet in every container.
    let cut = scratch.path("cut-\(container.name)")
    try bytes.prefix(bytes.count * 6 / 10 / 188 * 188 + 101).write(to: URL(filePath: cut))
    let report = try Pipeline.export(cut, container.preset, to: scratch.path("cut"))
    let incomplete = try #require(report.incomplete)
    #expect(incomplete.time > 1 && incomplete.time < 3.9, "\(incomplete)")
    #expect("\(incomplete)".hasPrefix("the source ends early at "))
    #expect(abs(report.duration - incomplete.time) < 0.5)
  }

  @Test(arguments: exact)
  func `a source that lacks less than a second is reported`(_ container: Container) throws {
    let path = try make(container)
    let whole = try Pipeline.export(path, container.preset, to: scratch.path("whole"))
    #expect(whole.incomplete == nil)
    let bytes = try Data(contentsOf: URL(filePath: path))
    let cut = scratch.path("cut-\(container.name)")
    try bytes.prefix(bytes.count * 17 / 20).write(to: URL(filePath: cut))
    let report = try Pipeline.export(cut, container.preset, to: scratch.path("cut"))
    let incomplete = try #require(report.incomplete)
    #expect(incomplete.time > 2.5 && incomplete.time < 3.9, "\(incomplete)")
  }

  /// Only a few bytes at the end of the last frame are missing.
  @Test func `a FLAC file without the end of its last frame is truncated`() throws {
    let path = try make(.init(name: "flac.flac", arguments: ["-c:a", "flac"]))
    let bytes = try Data(contentsOf: URL(filePath: path))
    func incomplete(_ bytes: Data) throws -> IncompleteSource? {
      let cut = scratch.path("\(UUID().uuidString).flac")
      try bytes.write(to: URL(filePath: cut))
      return try Pipeline.export(cut, "remux-mkv", to: cut + ".mkv").incomplete
    }
    #expect(try incomplete(bytes) == nil)
    #expect(try incomplete(bytes.dropLast(20))?.reason == "the last frame is cut off")
    // A tag after the last frame is not part of the frame.
    #expect(try incomplete(bytes + Data("TAG".utf8) + Data(count: 125)) == nil)
  }

  @Test func `a part before the truncation lacks nothing`() throws {
    let path = try make(Self.containers[0])
    let cut = scratch.path("cut.wav")
    try Data(contentsOf: URL(filePath: path)).prefix(300_001).write(to: URL(filePath: cut))
    func export(to end: Int64) throws -> IncompleteSource? {
      let session = try ExportSession(
        input: cut, preset: try Pipeline.preset("opus-128k"), registry: Pipeline.registry)
      session.timeRange = TimeRange(
        start: .zero, end: MediaTime(value: end, timescale: 1))
      return try session.exportAndWait(to: scratch.path(UUID().uuidString)).incomplete
    }
    #expect(try export(to: 1) == nil)
    #expect(try export(to: 4)?.declared == nil)
    #expect(try export(to: 4) != nil)
  }

  /// A header without media: what it declares and what is there are known.
  @Test(arguments: [
    ("pcm.wav", "data", "the source ends early at 0 s: the data chunk declares"),
    ("flac.flac", "\u{FF}\u{F8}", "the file states a duration of 4 s"),
    ("film.mkv", "\u{1F}\u{43}\u{B6}\u{75}", "the source ends early at 0 s: the file ends after"),
  ])
  func `a source without media fails with what its header declares`(
    name: String, media: String, words: String
  ) throws {
    let container = try #require(Self.containers.first { $0.name == name })
    let bytes = try Data(contentsOf: URL(filePath: try make(container)))
    let start = try #require(bytes.range(of: Data(media.unicodeScalars.map { UInt8($0.value) })))
    let cut = scratch.path("cut-\(name)")
    // The header of the chunk `data` has 8 bytes.
    try bytes.prefix(name == "pcm.wav" ? start.lowerBound + 8 : start.lowerBound)
      .write(to: URL(filePath: cut))
    let error = #expect(throws: MediaError.self) {
      try Pipeline.export(cut, "remux-mkv", to: scratch.path("cut"))
    }
    let message = try #require(error?.message)
    #expect(message.hasPrefix("nothing to write: the demuxer "), "\(message)")
    #expect(message.contains(words), "\(message)")
    #expect(error?.detail == (words.contains("ends early") ? .endsEarly : nil))
  }

  @Test func `a part after the truncation states the end of the source`() throws {
    let container = try #require(Self.containers.first { $0.name == "film.mp4" })
    let bytes = try Data(contentsOf: URL(filePath: try make(container)))
    let cut = scratch.path("cut.mp4")
    try bytes.prefix(bytes.count * 6 / 10).write(to: URL(filePath: cut))
    func export(_ preset: String) throws -> ExportReport {
      let session = try ExportSession(
        input: cut, preset: try Pipeline.preset(preset), registry: Pipeline.registry)
      session.timeRange = TimeRange(
        start: MediaTime(value: 35, timescale: 10), end: MediaTime(value: 4, timescale: 1))
      return try session.exportAndWait(to: scratch.path(UUID().uuidString))
    }
    let error = #expect(throws: MediaError.self) { try export("remux-mp4") }
    let message = try #require(error?.message)
    #expect(message.hasPrefix("nothing to write: the source has no video"), "\(message)")
    #expect(message.contains("; the source ends early at 2."), "\(message)")
    #expect(error?.detail == .endsEarly)
    // The last frame is shown until the end of the part.
    let incomplete = try #require(try export("web-480p").incomplete)
    #expect(incomplete.time > 2 && incomplete.time < 3, "\(incomplete)")
  }

  @Test(arguments: ["film.mkv", "film.mp4", "pcm.wav"])
  func `a truncated clip is reported when it is joined`(name: String) throws {
    let container = try #require(Self.containers.first { $0.name == name })
    let path = try make(container)
    let bytes = try Data(contentsOf: URL(filePath: path))
    let cut = scratch.path("cut-\(name)")
    try bytes.prefix(bytes.count * 6 / 10).write(to: URL(filePath: cut))
    func joined(_ names: [String], _ preset: String) throws -> IncompleteSource? {
      let clips = names.map {
        Asset(path: $0, registry: Pipeline.registry, prefersPreciseDurationAndTiming: true)
      }
      let sequence = try ClipSequence(clips, crossfade: .zero, showsPictures: name != "pcm.wav")
      let session = try ExportSession(
        asset: sequence.composition, preset: try Pipeline.preset(preset),
        registry: Pipeline.registry)
      session.audioMix = sequence.audioMix
      session.videoComposition = sequence.videoComposition
      return try session.exportAndWait(to: scratch.path(UUID().uuidString)).incomplete
    }
    let preset = name == "pcm.wav" ? "opus-128k" : "web-480p"
    let alone = try #require(
      try Pipeline.export(cut, preset, to: scratch.path("alone")).incomplete)
    // The reported time is a time in the clip, wherever the clip is in the film.
    for clips in [[cut, path], [path, cut, path]] {
      let incomplete = try #require(try joined(clips, preset))
      #expect(incomplete.clip == "cut-\(name)")
      #expect(abs(incomplete.time - alone.time) < 0.1, "\(incomplete)")
      #expect("\(incomplete)".hasPrefix("the clip cut-\(name) ends early at "), "\(incomplete)")
    }
    #expect(try joined([path, path], preset) == nil)
  }

  @Test(arguments: [false, true])
  func `damage in the middle is reported with its times`(isPart: Bool) throws {
    let path = scratch.path("film.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=4", "-c:v", "libx264"]
        + ["-g", "10", path])
    let asset = Asset(path: path, registry: Pipeline.registry)
    let track = try #require(try asset.tracks(withMediaType: .video).first)
    let time = MediaTime(value: 2, timescale: 1)
    let cursor = try #require(try track.makeSampleCursor(presentationTimeStamp: time))
    let place = try #require(cursor.currentSampleStorageRange)
    var bytes = try Data(contentsOf: URL(filePath: path))
    for offset in place.offset..<place.offset + place.length { bytes[Int(offset)] = 0xFF }
    try bytes.write(to: URL(filePath: path))
    let session = try ExportSession(
      input: path, preset: try Pipeline.preset("web-480p"), registry: Pipeline.registry)
    if isPart {
      session.timeRange = TimeRange(start: MediaTime(1, Rational(1, 1)), end: .positiveInfinity)
    }
    let report = try session.exportAndWait(to: scratch.path("out.mp4"))
    #expect(report.incomplete == nil)
    #expect(
      report.losses.contains { $0.contains("could not be decoded, at 2") }, "\(report.losses)")
  }
}
