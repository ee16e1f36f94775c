import Foundation
import RespoolHost
import RespoolVerifier
import TestFixtures
import Testing

/// A bug of a fixture, with the check that must find it and words of the reason.
struct Bug: CustomTestStringConvertible, Sendable {
  let name: String
  /// Factory that has the bug.
  let subject: String
  let check: String
  let words: String

  init(_ name: String, _ subject: String, _ check: String, _ words: String) {
    (self.name, self.subject, self.check, self.words) = (name, subject, check, words)
  }

  var testDescription: String { name }

  /// Seconds for a check: a bug that hangs must not take long, others get time on a busy machine.
  var timeLimit: Double { name.hasPrefix("hang") ? 2 : 30 }

  /// Expects that one failure names the check and the reason.
  func expect(in results: [CheckResult]) {
    let failures = results.filter { !$0.passed }
    #expect(failures.map(\.name) == ["\(subject): \(check)"], "\(failures)")
    #expect(failures.first?.detail.contains(words) == true, "\(failures.map(\.detail))")
  }
}

/// The verifier with plugins that have one bug each.
@Suite struct FaultyPlugin {
  @Test func `a correct C plugin with all kinds of factories passes`() throws {
    let workshop = try PluginWorkshop()
    let path = try workshop.build("faulty.c", as: "faulty.so")
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: path)
    #expect(results.filter { !$0.passed } == [])
    #expect(results.count > 130)
  }

  @Test(arguments: encoderBugs + audioBugs + recordBugs + decoderBugs + containerBugs)
  func `each bug of the C plugin is found and named once`(bug: Bug) throws {
    let workshop = try PluginWorkshop()
    let path = try workshop.build("faulty.c", defining: ["BUG=\(bug.name)"], as: "faulty.so")
    var verifier = PluginVerifier(timeLimit: bug.timeLimit)
    verifier.subjects = [bug.subject]
    bug.expect(in: verifier.verify(pluginAt: path))
  }

  private static var swiftPlugin: String { (Installation.folder ?? "") + "/libfaulty-swift.so" }

  @Test func `a correct Swift plugin passes`() {
    let results = PluginVerifier(timeLimit: 30).verify(pluginAt: Self.swiftPlugin)
    #expect(results.filter { !$0.passed } == [])
  }

  @Test(arguments: swiftBugs)
  func `each bug of the Swift plugin is found and named once`(bug: Bug) {
    var verifier = PluginVerifier(timeLimit: bug.timeLimit)
    verifier.environment = ["RESPOOL_FAULT=\(bug.name)"]
    verifier.subjects = [bug.subject]
    bug.expect(in: verifier.verify(pluginAt: Self.swiftPlugin))
  }

  /// Every name in bugs.h has a test.
  @Test func `no bug of the C plugin is left out`() throws {
    let text = try String(
      contentsOf: PluginWorkshop.sources.appending(path: "faulty/bugs.h"), encoding: .utf8)
    let start = try #require(text.firstRange(of: "none,"))
    let end = try #require(text.firstRange(of: "};"))
    let names = text[start.upperBound..<end.lowerBound].split(separator: "\n")
      .filter { !$0.contains("/*") }
      .flatMap { $0.split { $0 == "," || $0 == " " }.map(String.init) }
    let tested =
      Self.encoderBugs + Self.audioBugs + Self.recordBugs + Self.decoderBugs + Self.containerBugs
    #expect(Set(names) == Set(tested.map(\.name)))
    #expect(names.count >= 90)
  }
}
