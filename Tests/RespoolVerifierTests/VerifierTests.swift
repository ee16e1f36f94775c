import Foundation
import TestFixtures
import Testing

@testable import RespoolHost
@testable import RespoolVerifier

@Suite struct Verifier {
  @Test func `a correct plugin in C passes every check`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", as: "toy.so")
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: path)
    #expect(results.filter(\.failed) == [])
    #expect(results.contains { $0.name == "decoder toy_pcm: toy_pcm: content" })
  }

  @Test func `a crash in a check is named, and the other factories are checked`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", defining: ["CRASH_IN_DEMUXER"], as: "toy.so")
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: path)
    let failures = results.filter(\.failed)
    #expect(failures.map(\.name) == ["demuxer toy: empty file"])
    #expect(failures.first?.detail.contains("crashed in open: SIGABRT") == true)
    #expect(failures.first?.others.contains("demuxer toy: random bytes") == true)
    #expect(results.contains { $0.name.hasPrefix("muxer toy: unknown codec") && $0.passed })
  }

  @Test func `a plugin that cannot be loaded fails one check with the reason`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("broken.c", defining: ["WRONG_ABI"], as: "broken.so")
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: path)
    #expect(results.map(\.passed) == [false])
    #expect(results.first?.detail.contains("version 42") == true)
  }

  @Test func `a sample that no factory reads fails, and one that is read does not`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", as: "toy.so")
    try fixtures.write("TOYREEL1\u{40}\u{1f}\0\0\u{1}\0\0\0\u{4}\0\0\0abcd", as: "good.toy")
    try fixtures.write("no media", as: "bad.toy")
    let samples = [fixtures.path("good.toy"), fixtures.path("bad.toy")]
    let failures = PluginVerifier(samples: samples, timeLimit: 30).verify(pluginAt: path).filter(
      \.failed)
    #expect(failures.map(\.name) == ["sample \(samples[1])"])
    #expect(failures.first?.detail.contains("does not start with TOYREEL1") == true)
  }

  @Test func `reasons that differ only in numbers are one failure`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("faulty.c", defining: ["BUG=planes_swapped"], as: "faulty.so")
    let failures = PluginVerifier(timeLimit: 30).verify(pluginAt: path).filter(\.failed)
    #expect(failures.count == 1)
    #expect(failures.first?.others.count ?? 0 > 8)
  }

  @Test(arguments: [
    ("encoder faulty_avc: h264: content", ["encoder faulty_avc: h264: content"]),
    ("seek", ["demuxer faulty: file of faulty: seek"]),
    ("file of faulty: seek", ["demuxer faulty: file of faulty: seek"]),
    (
      "unknown codec",
      ["decoder faulty_video", "decoder faulty_audio", "muxer faulty"].map {
        "\($0): unknown codec"
      }
    ),
  ])
  func `one check is run alone`(check: String, names: [String]) throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("faulty.c", as: "faulty.so")
    var verifier = PluginVerifier(timeLimit: 30)
    verifier.check = check
    let results = verifier.verify(pluginAt: path)
    #expect(results.map(\.name) == ["loads"] + names)
    #expect(results.filter { !$0.passed } == [])
  }

  @Test func `a check that does not exist is named`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", as: "toy.so")
    var verifier = PluginVerifier(timeLimit: 30)
    verifier.check = "contents"
    let results = verifier.verify(pluginAt: path)
    #expect(results.map(\.name) == ["contents"])
    #expect(results.first?.failed == true)
  }

  @Test func `a leak is allowed up to the number of bytes`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("faulty.c", defining: ["BUG=leak_per_open"], as: "faulty.so")
    var verifier = PluginVerifier(timeLimit: 30)
    verifier.check = "encoder faulty_video: faulty_video: 200 opens"
    func result() throws -> CheckResult { try #require(verifier.verify(pluginAt: path).last) }
    #expect(try result().detail.contains("bytes of memory (140 opens after the first 60)"))
    verifier.allowedLeak = 150
    #expect(try result().failed)
    verifier.allowedLeak = 250
    let allowed = try result()
    #expect(allowed.passed)
    #expect(allowed.detail.hasSuffix("; --allow-leak allows 250"))
  }

  @Test func `a file that must be rejected fails if the demuxer opens it`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", as: "toy.so")
    try fixtures.write("TOYREEL1\u{40}\u{1f}\0\0\u{1}\0\0\0\u{4}\0\0\0abcd", as: "good.toy")
    try fixtures.write("no media", as: "bad.toy")
    var verifier = PluginVerifier(timeLimit: 30)
    verifier.rejected = [fixtures.path("good.toy"), fixtures.path("bad.toy")]
    let results = verifier.verify(pluginAt: path)
    #expect(
      results.filter(\.failed).map(\.name) == ["demuxer toy: \(verifier.rejected[0]): refused"])
    #expect(
      results.contains { $0.name == "demuxer toy: \(verifier.rejected[1]): refused" && $0.passed })
  }

  /// Demuxers with samples of `Tests/Media`, which libavformat reads too.
  @Test(arguments: [
    ("Wave", ["speech.wav", "tones-5.1.wav"]),
    ("ISOMedia", ["clap-and-flash.mp4", "pattern-h264.mp4", "portrait.mov", "variable.mp4"]),
    ("Matroska", ["deep.mkv", "pattern-flac.mkv", "pattern-vp9.webm"]),
    ("Ogg", ["speech-opus.opus"]),
  ])
  func `built demuxers read what libavformat reads`(plugin: String, media: [String]) throws {
    let folder = PluginWorkshop.sources.deletingLastPathComponent().appending(path: "Media")
    let samples = media.map { folder.appending(path: $0).path }
    var verifier = PluginVerifier(samples: samples, timeLimit: 60)
    verifier.check = "another demuxer"
    let path = try #require(Installation.folder) + "/librespool-\(plugin).so"
    let results = verifier.verify(pluginAt: path)
    #expect(results.filter(\.failed) == [])
    #expect(
      results.dropFirst().count { $0.detail.hasPrefix("AVFormat reads the same") } == media.count)
  }

  /// The plugins built with the test bundle.
  static let built: [String] = {
    guard let folder = Installation.folder else { return [] }
    return PluginSearchPath.files(in: .init(folder, isShared: true))
  }()

  @Test(arguments: built) func `every built plugin passes`(path: String) {
    var verifier = PluginVerifier(timeLimit: 60)
    // libx265 3.5 itself keeps about 1,200 bytes each time it is opened.
    if path.hasSuffix("/librespool-X265.so") { verifier.allowedLeak = 2000 }
    let failures = verifier.verify(pluginAt: path).filter(\.failed)
    #expect(failures == [])
  }
}
