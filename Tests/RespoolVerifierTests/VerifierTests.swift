import Foundation
import TestFixtures
import Testing

@testable import RespoolHost
@testable import RespoolVerifier

@Suite struct Verifier {
  @Test func `a correct plugin in C passes every check`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", as: "toy.so")
    let results = PluginVerifier().verify(pluginAt: path)
    #expect(results.filter { !$0.passed } == [])
    #expect(
      results.contains { $0.name == "decoder toy_pcm: toy_pcm: decodes the output of toy_pcm" })
  }

  @Test func `a crash in a check is named, and the other factories are checked`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", defining: ["CRASH_IN_DEMUXER"], as: "toy.so")
    let results = PluginVerifier().verify(pluginAt: path)
    let failures = results.filter { !$0.passed }
    #expect(failures.map(\.name) == ["demuxer toy: empty file"])
    #expect(failures.first?.detail.contains("crashed: SIGABRT") == true)
    #expect(results.contains { $0.name.hasPrefix("muxer toy: unknown codec") && $0.passed })
  }

  @Test func `a plugin that cannot be loaded fails one check with the reason`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("broken.c", defining: ["WRONG_ABI"], as: "broken.so")
    let results = PluginVerifier().verify(pluginAt: path)
    #expect(results.map(\.passed) == [false])
    #expect(results.first?.detail.contains("version 42") == true)
  }

  /// The plugins built with the test bundle.
  static let built: [String] = {
    guard let folder = Installation.folder else { return [] }
    return PluginSearchPath.files(in: .init(folder, isShared: true))
  }()

  @Test(arguments: built) func `every built plugin passes`(path: String) {
    let failures = PluginVerifier().verify(pluginAt: path).filter { !$0.passed }
    #expect(failures == [])
  }
}
