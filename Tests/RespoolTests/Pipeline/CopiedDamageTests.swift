import Foundation
import RespoolMedia
import Testing

@testable import Respool

/// Damage in streams that are copied, which libavformat passes over.
@Suite struct CopiedDamageTests {
  struct Form: CustomTestStringConvertible, Sendable {
    var name: String
    /// Arguments of `ffmpeg`.
    var arguments: [String]
    /// What replaces the bytes in the middle.
    var damage: [UInt8]
    var preset = "remux-mkv"
    /// A part of the sentence.
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
    Form(name: "sound.aac", arguments: sound, damage: zeros, words: "no part of the stream"),
    Form(name: "sound.ac3", arguments: sound, damage: zeros, words: "no part of the stream"),
    Form(name: "sound.mp3", arguments: sound, damage: zeros, words: "no part of the stream"),
    Form(
      name: "film.ts", arguments: film + ["-c:v", "libx264", "-c:a", "aac"],
      damage: [UInt8](repeating: 0, count: 188 * 30), words: "transport packets"),
    Form(
      name: "film.avi", arguments: film + ["-c:v", "mpeg4", "-c:a", "mp3"],
      damage: [UInt8](repeating: 0, count: 20_000), words: "no AVI chunks"),
  ]

  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: forms)
  func `damage is told with its times, and a whole file has none`(_ form: Form) throws {
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
    #expect(told.contains("after ") && told.contains("before "), "\(report.losses)")
  }

  /// A block of WavPack that is gone is seen by the numbers of the samples.
  @Test func `a missing block of WavPack is told`() throws {
    let path = scratch.path("sound.wv")
    try PluginWorkshop.run("ffmpeg", ["-v", "error"] + Self.sound + [path])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let starts = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual("wvpk".utf8) }
    bytes.removeSubrange(starts[starts.count / 2]..<starts[starts.count / 2 + 1])
    try bytes.write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, "remux-mkv", to: scratch.path("out.mkv"))
    #expect(
      report.losses.contains { $0.contains("samples are missing in front of the WavPack block") },
      "\(report.losses)")
  }

  /// What a decoder conceals is told, too.
  @Test func `pictures of which parts are damaged are counted`() throws {
    let path = scratch.path("film.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x192:rate=25:duration=4", "-c:v",
        "libx264", "-g", "25", path,
      ])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let media = try #require(bytes.range(of: Data("mdat".utf8))).upperBound
    let middle = media + (bytes.count - media) / 3
    bytes.replaceSubrange(middle..<middle + 400, with: [UInt8](repeating: 0x55, count: 400))
    try bytes.write(to: URL(fileURLWithPath: path))
    let report = try Pipeline.export(path, "web-480p", to: scratch.path("out.mp4"))
    #expect(
      report.losses.contains {
        ($0.contains("could not be decoded") || $0.contains("are damaged")) && $0.contains(" s")
      }, "\(report.losses)")
  }
}
