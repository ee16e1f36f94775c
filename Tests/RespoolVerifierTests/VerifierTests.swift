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
    #expect(results.filter { !$0.passed } == [])
    #expect(results.contains { $0.name == "decoder toy_pcm: toy_pcm: content" })
  }

  @Test func `a crash in a check is named, and the other factories are checked`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", defining: ["CRASH_IN_DEMUXER"], as: "toy.so")
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: path)
    let failures = results.filter { !$0.passed }
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
    let failures = PluginVerifier(samples: samples, timeLimit: 30).verify(pluginAt: path).filter {
      !$0.passed
    }
    #expect(failures.map(\.name) == ["sample \(samples[1])"])
    #expect(failures.first?.detail.contains("does not start with TOYREEL1") == true)
  }

  @Test func `reasons that differ only in numbers are one failure`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("faulty.c", defining: ["BUG=planes_swapped"], as: "faulty.so")
    let failures = PluginVerifier(timeLimit: 30).verify(pluginAt: path).filter { !$0.passed }
    #expect(failures.count == 1)
    #expect(failures.first?.others.count ?? 0 > 8)
  }

  /// The plugins built with the test bundle.
  static let built: [String] = {
    guard let folder = Installation.folder else { return [] }
    return PluginSearchPath.files(in: .init(folder, isShared: true))
  }()

  @Test(arguments: built) func `every built plugin passes`(path: String) {
    let failures = PluginVerifier(timeLimit: 60).verify(pluginAt: path).filter { !$0.passed }
    #expect(failures == [])
  }
}
