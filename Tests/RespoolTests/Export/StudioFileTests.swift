import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// AIFF, AIFF-C, CAF and Wave64 files that presets write, compared with FFmpeg's reading.
@Suite struct StudioFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func make(_ name: String, _ arguments: String...) throws -> String {
    let path = scratch.path(name)
    try PluginWorkshop.run("ffmpeg", ["-v", "error", "-y"] + arguments + [path])
    return path
  }

  /// Returns the MD5 of all audio samples as FFmpeg decodes them.
  private func hash(_ path: String, _ codec: String) throws -> String {
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", path, "-map", "0:a", "-c:a", codec, "-f", "md5", "-"])
  }

  private func show(_ path: String, _ entries: String) throws -> String {
    try PluginWorkshop.run(
      "ffprobe", ["-v", "error", "-show_entries", entries, "-of", "compact=p=0:nk=1", path])
  }

  @Test(
    arguments: [
      ("pcm_u8", "pcm_s8", "pcm_u8"), ("pcm_s16le", "pcm_s16be", "pcm_s16le"),
      ("pcm_s24le", "pcm_s24be", "pcm_s24le"), ("pcm_s32le", "pcm_s32be", "pcm_s32le"),
      ("pcm_f32le", "pcm_f32be", "pcm_f32le"), ("pcm_f64le", "pcm_f64be", "pcm_f64le"),
      ("pcm_alaw", "pcm_alaw", "pcm_alaw"), ("pcm_mulaw", "pcm_mulaw", "pcm_mulaw"),
    ], [("mono", 1), ("stereo", 2), ("5.1", 6), ("7.1", 8)])
  func `audio samples round-trip exactly`(
    codec: (String, String, String), layout: (name: String, channels: Int)
  ) throws {
    // An odd number of samples, so that chunks of bytes need padding.
    let source = try make(
      "a.wav", "-f", "lavfi", "-i", "anoisesrc=r=44100:a=0.5:seed=1", "-af",
      "aformat=channel_layouts=\(layout.name),atrim=end_sample=4411", "-c:a", codec.0)
    let exact = codec.0.hasPrefix("pcm_f") ? codec.0 : "pcm_s32le"
    let wanted = try hash(source, exact)
    for (preset, suffix) in [("aiff", "aiff"), ("caf", "caf"), ("w64", "w64")] {
      let output = scratch.path("a.\(suffix)")
      try? FileManager.default.removeItem(atPath: output)
      #expect(try Pipeline.export(source, preset, to: output).losses == [])
      #expect(try hash(output, exact) == wanted)
      // CAF has both byte orders; its bytes are signed.
      let made = suffix == "aiff" || codec.0 == "pcm_u8" && suffix == "caf" ? codec.1 : codec.2
      let facts = try show(output, "stream=codec_name,channels,channel_layout,duration_ts")
      #expect(facts.hasPrefix("\(made)|\(layout.channels)|"))
      #expect(facts.contains("|4411"))
      if layout.channels > 2 { #expect(facts.contains("|\(layout.name)|")) }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: output))
      if suffix == "aiff" {
        #expect(bytes[8..<12].elementsEqual((made.contains("_s") ? "AIFF" : "AIFC").utf8))
        #expect(bytes[4..<8].reduce(0) { $0 << 8 | Int($1) } == bytes.count - 8)
      } else if suffix == "caf" {
        let data = try #require(bytes.firstRange(of: Data("data".utf8))).upperBound
        let size = bytes[data..<data + 8].reduce(0) { $0 << 8 | Int($1) }
        #expect(size == bytes.count - data - 8)
      } else {
        #expect(bytes[16..<24].reversed().reduce(0) { $0 << 8 | Int($1) } == bytes.count)
        #expect(bytes.count.isMultiple(of: 8))
      }
    }
  }

  @Test func `tags, covers and chapters survive AIFF`() throws {
    let texts = scratch.path("texts.txt")
    try Data(
      """
      ;FFMETADATA1
      title=Süß
      artist=Ann
      album=Both
      track=3/9
      date=2011-05-06
      comment=good
      REPLAYGAIN_TRACK_GAIN=-3.00 dB
      [CHAPTER]
      TIMEBASE=1/1000
      START=0
      END=2000
      title=One
      [CHAPTER]
      TIMEBASE=1/1000
      START=2000
      END=3000
      title=Zwei ä

      """.utf8
    ).write(to: URL(fileURLWithPath: texts))
    let cover = try make("cover.png", "-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1")
    let source = try make(
      "song.mp3", "-f", "lavfi", "-i", "sine=d=3:r=44100", "-i", cover, "-i", texts, "-map", "0",
      "-map", "1", "-map_metadata", "2", "-map_chapters", "2", "-c:v", "copy", "-disposition:v",
      "attached_pic")
    let output = scratch.path("song.aiff")
    #expect(try Pipeline.export(source, "aiff", to: output).losses == [])
    let again = scratch.path("again.mp3")
    try Pipeline.export(output, "mp3-v2", to: again)
    for path in [output, again] {
      let tags = try show(path, "format_tags=title,artist,album,track,date,comment")
      for value in ["Süß", "Ann", "Both", "3/9", "2011-05-06", "good"] {
        #expect(tags.contains(value), "\(path): \(tags)")
      }
      let media = try Pipeline.registry.openDemuxer(FileSource(path: path)).media
      #expect(media.chapters.map(\.title) == ["One", "Zwei ä"])
      #expect(media.chapters.map(\.start) == [0, 2_000_000_000])
      #expect(media.chapters.map(\.end) == [2_000_000_000, 3_000_000_000])
      #expect(media.metadata.contains(MetadataEntry("REPLAYGAIN_TRACK_GAIN", "-3.00 dB")))
      let picture = try PluginWorkshop.run(
        "ffmpeg", ["-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-f", "md5", "-"])
      #expect(
        try picture
          == PluginWorkshop.run(
            "ffmpeg", ["-v", "error", "-i", cover, "-c", "copy", "-f", "md5", "-"]))
    }
    // Players that do not read the tag find markers: two, of which the second is at sample 88,200.
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: output)))
    let marker: [UInt8] = [0, 2, 0, 1, 0x58, 0x88, 7] + Array("Zwei ä".utf8)
    #expect(bytes.split(separator: Array("MARK".utf8), maxSplits: 1).count == 2)
    #expect(bytes.split(separator: marker, maxSplits: 1).count == 2)
  }

  @Test func `tags and chapters survive CAF, and what it cannot store is named`() throws {
    let texts = scratch.path("texts.txt")
    try Data(
      """
      ;FFMETADATA1
      title=Süß
      artist=Ann
      track=3/9
      date=2011-05-06
      comment=good
      REPLAYGAIN_TRACK_GAIN=-3.00 dB
      [CHAPTER]
      TIMEBASE=1/1000
      START=0
      END=2000
      title=One
      [CHAPTER]
      TIMEBASE=1/1000
      START=2000
      END=3000
      title=Zwei ä

      """.utf8
    ).write(to: URL(fileURLWithPath: texts))
    let cover = try make("cover.png", "-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1")
    let source = try make(
      "song.m4a", "-f", "lavfi", "-i", "sine=d=3:r=44100", "-i", cover, "-i", texts, "-map", "0",
      "-map", "1", "-map_metadata", "2", "-map_chapters", "2", "-c:a", "alac", "-c:v", "copy",
      "-disposition:v", "attached_pic")
    let output = scratch.path("song.caf")
    // ReplayGain has no place in M4A as FFmpeg writes it.
    let losses = try Pipeline.export(source, "caf", to: output).losses
    #expect(losses.count == 1 && losses[0].contains("png"), "\(losses)")
    let media = try Pipeline.registry.openDemuxer(FileSource(path: output)).media
    #expect(media.chapters.map(\.title) == ["One", "Zwei ä"])
    #expect(media.chapters.map(\.start) == [0, 2_000_000_000])
    #expect(media.chapters.map(\.end) == [2_000_000_000, 3_000_000_000])
    for (name, value) in [
      ("title", "Süß"), ("artist", "Ann"), ("track", "3/9"), ("date", "2011-05-06"),
      ("comment", "good"),
    ] { #expect(media.metadata.contains(MetadataEntry(name, value)), "\(media.metadata)") }
    let shown = try show(output, "format_tags=title,artist,comments")
    #expect(shown.contains("Süß") && shown.contains("Ann") && shown.contains("good"))
  }

  @Test(arguments: [(16, "s16p"), (24, "s32p")], [("mono", 1), ("stereo", 2), ("5.1", 6)])
  func `ALAC is copied into CAF with all of its samples`(
    depth: (bits: Int, format: String), layout: (name: String, channels: Int)
  ) throws {
    let source = try make(
      "a.m4a", "-f", "lavfi", "-i", "anoisesrc=r=44100:a=0.5:seed=1", "-af",
      "aformat=channel_layouts=\(layout.name),atrim=end_sample=10001", "-c:a", "alac",
      "-sample_fmt", depth.format, "-bits_per_raw_sample", "\(depth.bits)")
    let path = scratch.path("p.yaml")
    try Data("container: caf\nvideo: none\naudio: {codec: alac, passthrough: auto}\n".utf8).write(
      to: URL(fileURLWithPath: path))
    let preset = try PresetLibrary(folders: []).preset(path)
    for input in [source, Pipeline.clip("speech.wav")] {
      let output = scratch.path("a-\(input == source ? 1 : 2).caf")
      let session = try ExportSession(input: input, preset: preset, registry: Pipeline.registry)
      let report = try session.exportAndWait(to: output)
      #expect(report.isCopy == (input == source))
      #expect(report.losses == [])
      #expect(try hash(output, "pcm_s32le") == hash(input, "pcm_s32le"))
      #expect(try show(output, "stream=codec_name").hasPrefix("alac"))
      // Respool reads the same samples.
      let wav = scratch.path("again-\(input == source ? 1 : 2).wav")
      try Pipeline.export(output, "wav", to: wav)
      #expect(try hash(wav, "pcm_s32le") == hash(input, "pcm_s32le"))
    }
  }

  @Test func `texts survive Wave64, and what it cannot store is named`() throws {
    let source = try make(
      "song.flac", "-f", "lavfi", "-i", "sine=d=1:r=44100", "-metadata", "title=Süß", "-metadata",
      "artist=Ann", "-metadata", "lyrics=la la")
    let output = scratch.path("song.w64")
    let losses = try Pipeline.export(source, "w64", to: output).losses
    #expect(try show(output, "format_tags=title,artist") == "Süß|Ann\n")
    #expect(losses.count == 1 && losses[0].contains("lyrics"), "\(losses)")
  }

  @Test func `an extension of AIFF-C makes AIFF-C`() throws {
    let output = scratch.path("a.aifc")
    var preset = try Pipeline.preset("aiff")
    preset.container = "aifc"
    let session = try ExportSession(
      input: Pipeline.clip("speech.wav"), preset: preset, registry: Pipeline.registry)
    _ = try session.exportAndWait(to: output)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: output))
    #expect(bytes[8..<12].elementsEqual("AIFC".utf8))
    let codec = try hash(output, "pcm_s16le")
    #expect(try codec == hash(Pipeline.clip("speech.wav"), "pcm_s16le"))
  }
}
