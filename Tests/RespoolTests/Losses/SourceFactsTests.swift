import Foundation
import RespoolMedia
import RespoolPresets
import TestFixtures
import Testing

@testable import Respool

/// Facts of sources other than MP4 and Matroska: conversions keep them or name them.
@Suite struct SourceFactsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func ffmpeg(_ arguments: String...) throws {
    try PluginWorkshop.run("ffmpeg", ["-v", "error"] + arguments)
  }

  private func losses(_ source: String, _ preset: String, _ name: String) throws -> [String] {
    try Pipeline.export(source, preset, to: scratch.path(name)).losses
  }

  @Test func `a Windows Media file without a date gets none`() throws {
    let source = scratch.path("a.wma")
    try ffmpeg("-i", Pipeline.clip("speech.wav"), "-c:a", "wmav2", source)
    #expect(try losses(source, "wav", "out.wav") == [])
  }

  private static let pattern = ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=1"]

  @Test(arguments: ["ts", "mpg", "mkv"])
  func `timecodes of GOP headers are named if video is encoded`(name: String)
    throws
  {
    let (source, plain) = (scratch.path("in.\(name)"), scratch.path("plain.\(name)"))
    for (path, options) in [(source, ["-timecode", "01:02:03:04"]), (plain, [])] {
      try PluginWorkshop.run(
        "ffmpeg", ["-v", "error"] + Self.pattern + ["-c:v", "mpeg2video"] + options + [path])
    }
    let sentence = "lost: the timecodes in the frames of track 1, from 01:02:03:04"
    #expect(try losses(source, "web-480p", "out.mp4").contains(sentence))
    // Timecodes that count from 0 state nothing.
    #expect(try losses(plain, "web-480p", "plain.mp4") == [])
    let copied = try losses(source, "remux-mkv", "out.mkv")
    #expect(!copied.contains { $0.contains("timecodes") }, "\(copied)")
  }

  @Test func `a timecode track is named by its timecode and its reel`() throws {
    let source = scratch.path("in.mov")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error"] + Self.pattern + ["-c:v", "libx264", "-timecode", "01:00:00:00"]
        + ["-metadata:s:v", "reel_name=A001", source])
    let losses = try losses(source, "remux-mkv", "out.mkv")
    #expect(
      losses.contains {
        $0.hasPrefix("track 2 (data; ") && $0.contains("timecode 01:00:00:00")
          && $0.contains("reel_name A001") && $0.contains("is dropped")
      }, "\(losses)")
  }

  @Test(arguments: ["remux-mkv", "remux-mp4"])
  func `a track without samples is named, not the track after it`(preset: String) throws {
    let (empty, text) = (scratch.path("empty.vtt"), scratch.path("text.srt"))
    try "WEBVTT\n\n".write(toFile: empty, atomically: true, encoding: .utf8)
    try "1\n00:00:00,100 --> 00:00:00,900\nWords\n".write(
      toFile: text, atomically: true, encoding: .utf8)
    let source = scratch.path("in.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("pattern-h264.mp4"), "-i", empty, "-i", text]
        + ["-map", "0:v", "-map", "1", "-map", "2", "-c:v", "copy", "-c:s:0", "webvtt"]
        + ["-c:s:1", "ass", "-metadata:s:s:1", "language=jpn", source])
    let left = try losses(source, preset, "out").filter { $0.contains("has no sample") }
    #expect(left.count == 1 && left.first?.hasPrefix("track 2 (webvtt") == true, "\(left)")
  }

  @Test func `the file name of a cover in an APEv2 tag is kept or named`() throws {
    let source = scratch.path("a.wv")
    try ffmpeg(
      "-i", Pipeline.clip("speech.wav"), "-map_metadata", "-1", "-c:a", "wavpack", source)
    func number(_ value: Int) -> [UInt8] {
      [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    let image = try Data(contentsOf: URL(filePath: Pipeline.clip("still.png")))
    let value = Array("back.png\0".utf8) + image
    let item = number(value.count) + number(2) + Array("Cover Art (Back)\0".utf8) + value
    let foot =
      Array("APETAGEX".utf8) + number(2000) + number(item.count + 32) + number(1)
      + [UInt8](repeating: 0, count: 12)
    var file = try Data(contentsOf: URL(filePath: source))
    // FFmpeg may have written a tag.
    if let tag = file.range(of: Data("APETAGEX".utf8)) { file = file[..<tag.lowerBound] }
    try (file + item + foot).write(to: URL(filePath: source))
    #expect(
      try losses(source, "remux-mkv", "out.mkv") == [
        "lost: the kind of a cover (Cover (back))"
      ])
    #expect(
      try losses(source, "remux-mp4", "out.mp4") == [
        "lost: the file name of a cover (back.png)", "lost: the kind of a cover (Cover (back))",
      ])
  }

  @Test func `the region of a language is kept or named`() throws {
    var sound = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48_000))
    (sound.sampleRate, sound.channelLayout, sound.language) = (48_000, .stereo, "pt-BR")
    let source = MediaDescription(format: "asf", tracks: [sound])
    let preset = try Pipeline.preset("remux-mp4")
    let settings = try PresetResolver.resolve(
      preset: preset, source: source, available: Pipeline.registry.availablePlugins)
    let check = OutputCheck(
      source: source, settings: settings, tags: FileTags(of: source),
      trackTags: nil)
    var output = source
    for language in ["pt-BR", "por-br", "pt_BR"] {
      output.tracks[0].language = language
      #expect(check.losses(in: output) == [])
    }
    output.tracks[0].language = "por"
    #expect(
      check.losses(in: output) == ["changed: the language of track 1 from pt-BR to por"])
  }

  private func resolved(_ layout: String, _ codec: String, _ preset: String) throws
    -> (conversion: AudioConversion, decisions: [ResolvedSettings.Decision])
  {
    var track = TrackDescription(kind: .audio, codec: codec, timeBase: Rational(1, 48_000))
    (track.sampleRate, track.sampleFormat) = (48_000, .s16)
    track.channelLayout = try #require(ChannelLayout(name: layout))
    (track.bitsPerSample, track.blockAlign) = (16, track.channelLayout.channelCount * 2)
    let settings = try PresetResolver.resolve(
      preset: try Pipeline.preset(preset),
      source: MediaDescription(format: "wav", tracks: [track]),
      available: Pipeline.registry.availablePlugins)
    guard case .convertAudio(let conversion)? = settings.tracks.first?.action else {
      throw MediaError(.internal, "\(settings.tracks)")
    }
    return (conversion, settings.decisions)
  }

  @Test(arguments: [
    ("stereo", "flac", "stereo"), ("2.1", "flac", "5.1"), ("3.0(back)", "alac", "4.0"),
    ("4.0", "alac", "4.0"), ("hexagonal", "flac", "6.1"), ("7.0", "flac", "7.1"),
  ])
  func `the lossless codec that adds the fewest channels is chosen, which a note names`(
    layout: String, codec: String, wider: String
  ) throws {
    let (conversion, decisions) = try resolved(layout, "pcm_s16le", "remux-mp4")
    #expect(conversion.codec == codec)
    #expect("\(conversion.channelLayout)" == wider)
    #expect(decisions.allSatisfy { $0.loss == nil })
    let notes = decisions.compactMap(\.note)
    #expect(
      notes
        == (layout == wider
          ? []
          : [
            "audio: the channels become \(wider): \(layout) with silent channels added: "
              + "\(codec) does not take \(layout)"
          ]),
      "\(notes)")
  }

  @Test(arguments: [
    ("pcm_f32le", "flac", "floating point of 32 bits become flac of 24 bits"),
    ("pcm_s32le", "flac", "32 bits become flac of 24 bits"),
    ("pcm_s24le", "pcm_s16le", "24 bits become pcm_s16le of 16 bits"),
    ("pcm_s24le", "flac", nil), ("mp3", "flac", nil), ("pcm_f32le", "opus", nil),
  ])
  func `bits that the preset's lossless codec cannot keep are lost, except if it states them`(
    codec: String, wanted: String, words: String?
  ) throws {
    var track = TrackDescription(kind: .audio, codec: codec, timeBase: Rational(1, 48_000))
    (track.sampleRate, track.channelLayout) = (48_000, .stereo)
    track.sampleFormat = codec == "pcm_f32le" ? .flt : .s32
    track.bitsPerSample = codec == "mp3" ? 0 : codec == "pcm_s24le" ? 24 : 32
    var (preset, audio) = (Preset(name: "own", container: "mkv"), Preset.Audio())
    (audio.codec, audio.passThrough) = (wanted, .never)
    preset.audio = audio
    let settings = try PresetResolver.resolve(
      preset: preset, source: MediaDescription(format: "wav", tracks: [track]),
      available: Pipeline.registry.availablePlugins)
    let expected = words.map { ["audio: audio samples of \($0)"] } ?? []
    let statesBits = wanted.hasPrefix("pcm")
    #expect(settings.decisions.compactMap(\.note) == (statesBits ? expected : []))
    #expect(settings.decisions.compactMap(\.loss) == (statesBits ? [] : expected))
  }

  @Test func `a downmix that the preset asks for is a note`() throws {
    let (conversion, decisions) = try resolved("5.1", "pcm_s16le", "web-480p")
    #expect(conversion.channelLayout == .stereo)
    #expect(decisions.compactMap(\.loss) == [])
    #expect(
      decisions.compactMap(\.note) == [
        "audio: the channels become stereo: 5.1 mixed down: the preset allows 2 at most"
      ])
  }
}
