import Foundation
import TestFixtures
import Glibc
import RespoolMedia
import Testing

@testable import Respool

/// Damage in copied streams that libavformat skips without an error.
@Suite struct CopiedDamageTests {
  struct Form: CustomTestStringConvertible, Sendable {
    var name: String
    /// Arguments of `ffmpeg`.
    var arguments: [String]
    /// Bytes that replace the middle of the file.
    var damage: [UInt8]
    var preset = "remux-mkv"
    /// Text that the reported loss contains.
    var words: String

    var testDescription: String { name }
  }

  private static let sound = ["-f", "lavfi", "-i", "sine=duration=20"]
  private static let film =
    ["-f", "lavfi", "-i", "testsrc2=size=160x96:rate=25:duration=8"] + sound + ["-shortest"]
  private static let zeros = [UInt8](repeating: 0, count: 3000)

  static let forms = [
    Form(
      name: "bits.flac", arguments: sound, damage: [0x55, 0xAA, 0x55], words: "checksum of the FLAC"
    ),
    Form(name: "frames.flac", arguments: sound, damage: zeros, words: "FLAC frame"),
    Form(name: "sound.tta", arguments: sound, damage: [0x55], words: "checksum of a TTA frame"),
    Form(name: "sound.aac", arguments: sound, damage: zeros, words: "not part of the stream"),
    Form(name: "sound.ac3", arguments: sound, damage: zeros, words: "not part of the stream"),
    Form(name: "sound.mp3", arguments: sound, damage: zeros, words: "not part of the stream"),
    Form(
      name: "film.ts", arguments: film + ["-c:v", "libx264", "-c:a", "aac"],
      damage: [UInt8](repeating: 0, count: 188 * 30), words: "no transport packet"),
    Form(
      name: "page.ogg", arguments: sound + ["-c:a", "libvorbis"], damage: [0x55, 0xAA],
      words: "checksum of the Ogg page"),
    Form(
      name: "film.flv", arguments: film + ["-c:v", "flv1", "-c:a", "mp3", "-ar", "44100"],
      damage: [UInt8](repeating: 0, count: 20_000), words: "size stored after it"),
    Form(
      name: "film.avi", arguments: film + ["-c:v", "mpeg4", "-c:a", "mp3"],
      damage: [UInt8](repeating: 0, count: 20_000), words: "no AVI chunk"),
  ]

  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: forms)
  func `damage is reported with its times, and a whole file has none`(_ form: Form) throws {
    let path = scratch.path(form.name)
    try PluginWorkshop.run("ffmpeg", ["-v", "error"] + form.arguments + [path])
    let whole = try Pipeline.export(path, form.preset, to: scratch.path("whole"))
    #expect(!whole.losses.contains { $0.contains("damaged") }, "\(whole.losses)")

    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let middle = bytes.count / 2
    bytes.replaceSubrange(middle..<middle + form.damage.count, with: form.damage)
    try bytes.write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, form.preset, to: scratch.path("damaged"))
    let told = report.losses.filter { $0.contains("damaged") }.joined()
    #expect(told.contains(form.words), "\(report.losses)")
    let hasSpan = told.contains("after ") && told.contains("before ")
    #expect(hasSpan || told.contains("near "), "\(report.losses)")
  }

  /// The sample indexes in the headers reveal a missing WavPack block.
  @Test func `a missing block of WavPack is reported`() throws {
    let path = scratch.path("sound.wv")
    try PluginWorkshop.run("ffmpeg", ["-v", "error"] + Self.sound + [path])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let starts = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual("wvpk".utf8) }
    bytes.removeSubrange(starts[starts.count / 2]..<starts[starts.count / 2 + 1])
    try bytes.write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, "remux-mkv", to: scratch.path("out.mkv"))
    #expect(
      report.losses.contains { $0.contains("samples are missing before the WavPack block") },
      "\(report.losses)")
  }

  /// The missing packet contains the header of an AAC frame.
  ///
  /// No other container can carry the frame without it.
  @Test func `a transport stream without one packet is copied`() throws {
    let path = scratch.path("film.ts")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error"] + Self.film + ["-c:v", "libx264", "-c:a", "aac", path])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    // The first packet of an audio PES packet (PID 257) in the second half.
    let place = try #require(
      stride(from: bytes.count / 2 / 188 * 188, to: bytes.count, by: 188).first {
        bytes[$0 + 1] & 0x5F == 0x41 && bytes[$0 + 2] == 1
      })
    bytes.removeSubrange(place..<place + 188)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, "remux-mkv", to: scratch.path("out.mkv"))
    #expect(report.losses.contains { $0.contains("transport packets") }, "\(report.losses)")
  }

  /// Bytes after the audio are not damage.
  @Test(arguments: ["flac", "mp3", "ac3"], ["tag", "zeros"])
  func `tags and padding after the audio are no damage`(name: String, rest: String) throws {
    let path = scratch.path("sound.\(name)")
    try PluginWorkshop.run("ffmpeg", ["-v", "error"] + Self.sound + [path])
    let whole = try Pipeline.export(path, "wav", to: scratch.path("whole.wav"))
    #expect(whole.losses == [])
    let samples = try Data(contentsOf: URL(fileURLWithPath: scratch.path("whole.wav"))).count
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes += rest == "tag" ? Data("TAG".utf8) + Data(count: 125) : Data(count: 700)
    try bytes.write(to: URL(fileURLWithPath: path))
    for preset in ["wav", "remux-mkv"] {
      let report = try Pipeline.export(path, preset, to: scratch.path(preset))
      #expect(report.losses == [], "\(preset)")
      #expect(report.incomplete == nil, "\(preset)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path("wav"))).count == samples)
  }

  /// libavformat takes bytes of the noise for frames.
  @Test func `noise after the last frame of MP3 is reported`() throws {
    let path = scratch.path("sound.mp3")
    try PluginWorkshop.run("ffmpeg", ["-v", "error"] + Self.sound + [path])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    var state: UInt32 = 1
    for _ in 0..<200_000 {
      state = state &* 1_664_525 &+ 1_013_904_223
      bytes.append(UInt8(truncatingIfNeeded: state >> 24))
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, "remux-mkv", to: scratch.path("out.mkv"))
    #expect(
      report.losses.contains { $0.contains("200000 bytes") && $0.contains("not part") },
      "\(report.losses)")
  }

  /// A search for the first frame would read the whole file.
  @Test func `a large file without a frame is rejected early`() throws {
    let path = scratch.path("zeros.mp3")
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    truncate(path, 1 << 40)
    let error = #expect(throws: MediaError.self) {
      try Pipeline.registry.openDemuxer(FileSource(path: path))
    }
    #expect(error?.description.contains("contains no frame") == true)
  }

  /// Covers are packets between those of the audio.
  @Test(arguments: ["mp3", "flac"])
  func `covers are no damage`(name: String) throws {
    let path = scratch.path("song.\(name)")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error"] + Self.sound + ["-i", Pipeline.clip("still.png"), "-map", "0", "-map", "1"]
        + ["-c:v", "copy", "-disposition:v", "attached_pic", "-id3v2_version", "3"] + [path])
    let report = try Pipeline.export(path, "remux-mkv", to: scratch.path("song.mkv"))
    #expect(report.losses == [])
    let tracks = try Pipeline.registry.openDemuxer(FileSource(path: scratch.path("song.mkv")))
      .media.tracks
    #expect(tracks.contains { $0.disposition.contains(.attachedPicture) })
  }

  @Test func `concatenated files of Matroska are reported`() throws {
    let path = scratch.path("film.mkv")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error"] + Self.film + ["-c:v", "libx264", "-c:a", "aac", path])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try (bytes + bytes).write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, "remux-mkv", to: scratch.path("out.mkv"))
    #expect(
      report.losses.contains { $0.contains("another file begins after the first one") },
      "\(report.losses)")
  }

  /// A truncated WavPack file is converted as far as it goes.
  @Test func `truncated WavPack ends early`() throws {
    let path = scratch.path("sound.wv")
    try PluginWorkshop.run("ffmpeg", ["-v", "error"] + Self.sound + [path])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, "wav", to: scratch.path("out.wav"))
    #expect(report.incomplete.map { $0.time > 5 && $0.time < 15 } == true)
  }

  /// Errors that the decoder conceals are reported, too.
  @Test func `frames with damaged parts are counted`() throws {
    let path = scratch.path("film.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x192:rate=25:duration=4", "-c:v",
        "libx264", "-g", "25", path,
      ])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let media = try #require(bytes.range(of: Data("mdat".utf8))).upperBound
    for place in stride(from: media + 20_000, to: media + 40_000, by: 500) {
      bytes.replaceSubrange(place..<place + 100, with: [UInt8](repeating: 0xFF, count: 100))
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, "web-480p", to: scratch.path("out.mp4"))
    #expect(
      report.losses.contains {
        ($0.contains("could not be decoded") || $0.contains("are damaged")) && $0.contains(" s")
      }, "\(report.losses)")
  }
}
