import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// FLAC files that presets write, checked with the reference programs and with FFmpeg.
@Suite struct FLACFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  private func information(_ path: String) throws -> FLACStreamInfo {
    try FLACStreamInfo(try media(path).tracks[0].extradata)
  }

  /// Returns the MD5 of all audio samples as FFmpeg decodes them.
  private func hash(_ path: String, _ format: String = "s16") throws -> String {
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", path, "-map", "0:a", "-c:a", "pcm_\(format)le", "-f", "md5", "-",
      ])
  }

  /// Verifies a file with the decoder of FLAC; fails at errors and at warnings.
  private func verify(_ path: String) throws {
    let text = try PluginWorkshop.run("flac", ["-t", "-s", "-w", path])
    #expect(text == "", "\(text)")
  }

  private func make(_ name: String, _ arguments: String...) throws -> String {
    let path = scratch.path(name)
    try PluginWorkshop.run("ffmpeg", ["-v", "error", "-y"] + arguments + [path])
    return path
  }

  @Test(arguments: [("s16", 1), ("s24", 2), ("s24", 6), ("s16", 8)])
  func `audio samples round-trip exactly`(format: String, channels: Int) throws {
    let source = try make(
      "a.wav", "-f", "lavfi", "-i", "anoisesrc=d=25:r=44100:a=0.3:seed=1", "-ac", "\(channels)",
      "-c:a", "pcm_\(format)le")
    let output = scratch.path("a.flac")
    #expect(try Pipeline.export(source, "flac", to: output).losses == [])
    try verify(output)
    #expect(try hash(output, format) == hash(source, format))
    let info = try information(output)
    #expect(info.sampleCount == 25 * 44_100)
    #expect(info.bitsPerSample == (format == "s16" ? 16 : 24))
    #expect(info.md5.contains { $0 != 0 })
    let blocks = try PluginWorkshop.run("metaflac", ["--list", output])
    // A point every 10 seconds.
    #expect(blocks.contains("seek points: 3") && !blocks.contains("PLACEHOLDER"))
  }

  @Test(arguments: ["mka", "mp4", "ogg"])
  func `copies keep the MD5 and the exact length`(container: String) throws {
    let source = Pipeline.clip("speech-flac.flac")
    let copy = try make("copy.\(container)", "-i", source, "-c", "copy", "-strict", "-2")
    let output = scratch.path("back.flac")
    try Pipeline.export(copy, "flac", to: output)
    try verify(output)
    #expect(try information(output).md5 == information(source).md5)
    #expect(try information(output).sampleCount == information(source).sampleCount)
    #expect(try hash(output) == hash(source))
  }

  @Test func `a start that an edit list hides is left out`() throws {
    let source = Pipeline.clip("speech-flac.flac")
    let cut = try make(
      "cut.mp4", "-ss", "0.05", "-i", source, "-c", "copy", "-strict", "-2")
    let output = scratch.path("cut.flac")
    try Pipeline.export(cut, "flac", to: output)
    try verify(output)
    // FFmpeg ignores where the edit list ends.
    let part = try make(
      "part.wav", "-i", cut, "-af", "atrim=end_sample=\(information(output).sampleCount)")
    #expect(try hash(output) == hash(part))
  }

  @Test func `lossy audio becomes 16 bits`() throws {
    let output = scratch.path("a.flac")
    try Pipeline.export(Pipeline.clip("speech-mp3.mp3"), "flac", to: output)
    try verify(output)
    #expect(try information(output).bitsPerSample == 16)
  }

  @Test func `tags, covers and chapters survive other containers`() throws {
    let picture = try make("cover.png", "-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1")
    let source = scratch.path("tags.flac")
    try PluginWorkshop.run(
      "flac",
      [
        "-s", "-f", "-o", source, "--picture", "3||The cover||\(picture)", "--picture",
        "4||Behind||\(picture)", Pipeline.clip("speech.wav"),
      ])
    let tags = [
      "TITLE=Tëst", "ARTIST=Ann", "ARTIST=Bob", "ALBUMARTIST=All", "TRACKNUMBER=3",
      "TRACKTOTAL=12", "REPLAYGAIN_TRACK_GAIN=-6.50 dB", "REPLAYGAIN_TRACK_PEAK=0.98",
      "COMMENT=a comment", "MYOWN=value", "CHAPTER001=00:00:00.000", "CHAPTER001NAME=one",
      "CHAPTER002=00:00:01.000", "CHAPTER002NAME=two",
    ]
    try PluginWorkshop.run("metaflac", tags.map { "--set-tag=\($0)" } + [source])
    func state(_ path: String) throws -> [String] {
      let text = try PluginWorkshop.run(
        "metaflac", ["--list", "--block-type=VORBIS_COMMENT,PICTURE", path])
      return text.split(separator: "\n").map(String.init).filter {
        $0.contains("comment[") || $0.contains("description:") || $0.contains("  type: ")
      }.map { String($0.drop { $0 != ":" }) }.sorted()
    }
    let (copy, output) = (scratch.path("copy.flac"), scratch.path("out.flac"))
    #expect(try Pipeline.export(source, "flac", to: copy).losses == [])
    try verify(copy)
    #expect(try state(copy) == state(source))
    #expect(try media(copy).chapters == media(source).chapters)
    // Matroska stores several values as one text, and no kinds of covers.
    let losses = try Pipeline.export(source, "remux-mkv", to: scratch.path("a.mka")).losses
    #expect(losses.count == 1, "\(losses)")
    #expect(try Pipeline.export(scratch.path("a.mka"), "flac", to: output).losses == [])
    try verify(output)
    let lost = try Set(state(source)).subtracting(try state(output))
    #expect(
      lost == [": 4 (Cover (back))", ": ARTIST=Ann", ": ARTIST=Bob", ": COMMENT=a comment"],
      "\(lost)")
    #expect(try media(output).chapters.map(\.title) == ["one", "two"])
  }

  @Test func `cue sheets and application blocks are copied`() throws {
    let (sheet, source) = (scratch.path("a.cue"), scratch.path("a.flac"))
    let text = """
      CATALOG 1234567890123
      FILE "a.wav" WAVE
        TRACK 01 AUDIO
          ISRC ABCDE1234567
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          INDEX 00 00:00:60
          INDEX 01 00:01:00
      """
    try text.write(toFile: sheet, atomically: true, encoding: .utf8)
    let disc = try make(
      "disc.wav", "-f", "lavfi", "-i", "sine=d=2.4:r=44100", "-ac", "2", "-af", "aresample=44100")
    try PluginWorkshop.run("flac", ["-s", "-f", "--cuesheet", sheet, "-o", source, disc])
    var file = try Data(contentsOf: URL(fileURLWithPath: source))
    file.insert(contentsOf: [2, 0, 0, 8] + Array("riffdata".utf8), at: 42)
    try file.write(to: URL(fileURLWithPath: source))
    let output = scratch.path("b.flac")
    let report = try Pipeline.export(source, "flac", to: output)
    #expect(report.losses == [])
    try verify(output)
    func blocks(_ path: String) throws -> String {
      try PluginWorkshop.run("metaflac", ["--export-cuesheet-to=-", path])
        + PluginWorkshop.run("metaflac", ["--list", "--block-type=APPLICATION", path])
        .split(separator: "\n").dropFirst().joined()
    }
    #expect(
      try blocks(output).replacing("b.flac", with: "a.flac").replacing("is last", with: "")
        == blocks(source).replacing("is last", with: ""))
    let other = try Pipeline.export(source, "remux-mkv", to: scratch.path("a.mka")).losses
    #expect(other.count == 2, "\(other)")
  }

  @Test func `a stream of unknown length gets its seek table at the end`() throws {
    let source = try make(
      "pipe.mka", "-f", "lavfi", "-i", "anoisesrc=d=25:r=8000:seed=2", "-c:a", "pcm_s16le",
      "-live", "1")
    let output = scratch.path("a.flac")
    try Pipeline.export(source, "flac", to: output)
    try verify(output)
    let blocks = try PluginWorkshop.run("metaflac", ["--list", output])
    #expect(blocks.contains("seek points: 3"), "\(blocks.prefix(2000))")
  }
}
