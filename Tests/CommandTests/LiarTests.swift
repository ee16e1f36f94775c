import Foundation
import Glibc
import Testing

/// Plugins that misbehave: at most their own file is lost, its reason is right, and every other file is made.
@Suite struct LiarTests {
  /// Result of the file of a plugin that misbehaves.
  enum Outcome: Sendable, Equatable {
    /// The file fails with a reason that contains the text.
    case failed(String)
    /// The sandbox or a check has averted it.
    case averted
  }

  private func check(_ word: String, _ expected: Outcome) throws {
    let folder = TemporaryFolder()
    let plugin = try CPlugin(
      "unruly.c", defining: ["THROWS"],
      linking: ["-lpthread", Respool.package + "/Tests/Fixtures/thrower.cpp", "-lstdc++"])
    let good = ["a.x", "c.x", "d.x"]
    for name in good { try folder.write("GOODFILE", as: "in/" + name) }
    try folder.write(word, as: "in/bad.x")
    // Opus takes almost no bytes for silence.
    let preset = word == "ENDLESS_" ? "wav" : "opus-128k"
    let run = try BatchRun(
      folder("in"), to: folder("out"),
      preset: preset, ["--jobs", "2", "--limit-memory", "600M", "--limit-output", "4M"],
      environment: plugin.environment + ["RESPOOL_PATIENCE=2"])
    let isMade = { run.outcome($0) == "converted" || run.outcome($0) == "copied" }
    #expect(good.allSatisfy(isMade), "\(run.events)")
    switch expected {
    case .failed(let reason):
      #expect(run.status == 1 && run.outcome("bad.x") == "failed", "\(run.events)")
      #expect(run.reason("bad.x").contains(reason), "\(run.reason("bad.x"))")
    case .averted:
      #expect(run.status == 0 && run.outcome("bad.x") != "failed", "\(run.events)")
    }
    let made = good + (isMade("bad.x") ? ["bad.x"] : [])
    #expect(
      TemporaryFolder.outputs(in: folder("out"))
        == made.map { $0.replacing(".x", with: preset == "wav" ? ".wav" : ".opus") }.sorted())
  }

  /// Faults of the whole process.
  @Test(arguments: [
    ("LEAKINGS", Outcome.failed("of memory, more than 600")),
    ("CLOSEALL", .failed("was ended by a plugin or a library")),
    ("OVERFLOW", .failed("in unruly_overflow (unruly.c:")),
    ("FREE2X__", .failed("of the plugin unruly: ")),
    ("WRITEOOB", .failed("was killed by signal 11 (SIGSEGV, invalid memory access)")),
    ("KILLPRNT", .averted), ("KILLGRUP", .averted), ("FORKBOMB", .averted),
    ("STOPSELF", .failed("did not respond for 2 seconds and was killed")),
    ("DEAFHANG", .failed("did not respond for 2 seconds and was killed")),
    ("STEALREQ", .failed("did not respond for 2 seconds and was killed")),
    ("CRASHLAT", .averted), ("EXITLATE", .averted),
  ])
  func `a plugin that breaks its process costs its own file`(_ word: String, _ expected: Outcome)
    throws
  {
    try check(word, expected)
  }

  /// Wrong answers, packets and tracks.
  @Test(arguments: [
    ("FORGEFAI", Outcome.failed("which is no answer")),
    ("FORGERDY", .failed("which is no answer")),
    (
      "LIESIZE_",
      .failed("returned a packet of 1099511627776 bytes; at most 2147483647 are possible")
    ),
    ("LIENULLS", .averted), ("LIETIMES", .averted),
    ("LIETRACK", .failed("returned a packet of track 8, but the number of tracks is 1")),
    ("ENDLESS_", .failed("wrote more than 4")),
  ])
  func `a plugin that lies costs its own file`(_ word: String, _ expected: Outcome) throws {
    try check(word, expected)
  }
}
