import Foundation
import RespoolHost
import RespoolVerifier
import TestFixtures
import Testing

/// The search for inputs with which a plugin fails.
@Suite struct Fuzzer {
  private let workshop: PluginWorkshop

  init() throws { workshop = try PluginWorkshop() }

  private func fuzz(_ bug: String, seconds: Double, samples: [String] = []) throws
    -> PluginFuzzer.Outcome
  {
    let path = try workshop.build("faulty.c", defining: ["BUG=\(bug)"], as: "\(bug).so")
    return PluginFuzzer(
      samples: samples, seconds: seconds, folder: workshop.path("kept"), timeLimit: 2
    ).run(pluginAt: path)
  }

  @Test func `a crash is kept with its reason and happens again with the kept file`() throws {
    let outcome = try fuzz("crash_on_damage", seconds: 4)
    let finding = try #require(outcome.findings.first { $0.subject == "demuxer faulty" })
    #expect(finding.reason == "crashed in read: SIGSEGV")
    #expect(finding.path.hasSuffix(".faulty"))
    let reason = try String(contentsOfFile: finding.path + ".txt", encoding: .utf8)
    #expect(reason == "crashed in read: SIGSEGV\n")
    #expect(outcome.problem == nil)
    // A kept file is a sample, which is changed again.
    let again = try fuzz("crash_on_damage", seconds: 4, samples: [finding.path])
    #expect(again.findings.contains { $0.reason == finding.reason })
  }

  @Test func `a hang is kept`() throws {
    let outcome = try fuzz("hangs_on_damage", seconds: 12)
    #expect(outcome.findings.contains { $0.reason == "read did not return within 2 s" })
  }

  @Test func `nothing is found in a correct plugin, and the inputs are counted`() throws {
    let outcome = try fuzz("none", seconds: 4)
    #expect(outcome.findings == [])
    #expect(outcome.problem == nil)
    #expect(outcome.cases.count == 3)
    #expect(outcome.cases.values.allSatisfy { $0 > 20 }, "\(outcome.cases)")
    #expect(!FileManager.default.fileExists(atPath: workshop.path("kept")))
  }

  @Test func `the command names the kept file and ends with 1`() throws {
    let command = (Installation.folder ?? "") + "/respool"
    let path = try workshop.build("faulty.c", defining: ["BUG=crash_on_damage"], as: "bad.so")
    let kept = workshop.path("kept")
    let arguments = ["plugins", "fuzz", path, "--seconds", "3", "--keep", kept]
    let failure = #expect(throws: FixtureError.self) {
      try PluginWorkshop.run(command, arguments)
    }
    #expect("\(failure as Any)".contains("FAIL demuxer faulty: crashed in read: SIGSEGV"))
    #expect("\(failure as Any)".contains("kept as \(kept)/demuxer-faulty-"))
    let plain = try workshop.build("faulty.c", as: "good.so")
    let output = try PluginWorkshop.run(command, ["plugins", "fuzz", plain, "--seconds", "2"])
    #expect(output.contains("nothing found with "))
    #expect(output.split(separator: "\n").count == 1)
  }

  @Test func `a plugin without demuxers and decoders cannot be searched`() throws {
    let path = try workshop.build("stub.c", as: "stub.so")
    let outcome = PluginFuzzer(seconds: 1, folder: workshop.path("kept")).run(pluginAt: path)
    #expect(outcome.problem != nil)
  }
}
