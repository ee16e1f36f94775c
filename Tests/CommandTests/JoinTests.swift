import Foundation
import Glibc
import Testing

/// Batches that share the work on one output folder.
@Suite struct JoinTests {
  private let folder = TemporaryFolder()
  private static let names = (0..<8).map { "sound \($0).wav" }

  /// Adds sounds that take some tenths of a second each.
  private func addSounds() throws {
    try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
    for (number, name) in Self.names.enumerated() {
      try folder.addLongSound(as: "in/\(name)", seconds: 15 + number)
    }
  }

  private func words(_ more: [String] = [], preset: String = "opus-128k") -> [String] {
    ["batch", folder("in"), "--to", folder("out"), "--preset", preset, "--jobs", "1", "--json"]
      + more
  }

  /// Starts a batch and waits until it converts.
  private func startFirst() throws -> Running {
    let first = try Respool.start(words())
    try first.wait(until: "it converts") { first.output.contains("\"progress\"") }
    return first
  }

  /// Names of temporary files, and of the file with claims.
  private func remains() -> [String] {
    (FileManager.default.enumerator(atPath: folder("out"))?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".part") || $0.hasSuffix("/claims") }
  }

  @Test func `two batches convert each file once, and both know of all files`() throws {
    try addSounds()
    let first = try startFirst()
    let second = try BatchRun(Respool.start(words(["--join"])).wait())
    let other = try BatchRun(first.wait())
    #expect(second.status == 0, "\(second.errors)")
    #expect(other.status == 0, "\(other.errors)")
    let converted = [second, other].map { run in
      Set(Self.names.filter { run.outcome($0) == "converted" })
    }
    #expect(converted[0].count >= 1 && converted[1].count >= 1)
    #expect(converted[0].isDisjoint(with: converted[1]))
    #expect(converted[0].union(converted[1]) == Set(Self.names))
    for name in converted[1].subtracting(converted[0]) {
      #expect(second.outcome(name) == "skipped" || second.outcome(name) == nil, "\(name)")
    }
    #expect(other.summary["alreadyDone"] as? Int == converted[0].count)
    #expect(TemporaryFolder.outputs(in: folder("out")).count == Self.names.count)
    #expect(remains() == [])
    let status = try Respool.run("status", folder("out"))
    #expect(status.output.hasPrefix("8 converted, 0 copied, 0 skipped, 0 failed"))
    let again = try BatchRun(Respool.start(words()).wait())
    #expect(again.summary["alreadyDone"] as? Int == Self.names.count)
  }

  @Test func `a file that fails is tried by one batch, and again by the next`() throws {
    try addSounds()
    let limit = ["--limit-output", "1k"]
    let first = try Respool.start(words(limit))
    try first.wait(until: "it converts") { first.output.contains("\"progress\"") }
    let runs = try [
      BatchRun(Respool.start(words(limit + ["--join"])).wait()), BatchRun(first.wait()),
    ]
    for name in Self.names {
      let events = runs.compactMap { $0.events("finished")[name] }
      #expect(events.count == 2 && events.allSatisfy { $0["status"] as? String == "failed" })
      #expect(events.allSatisfy { ($0["error"] as? String)?.contains("wrote more") ?? false })
      // A process that was killed has no time, but a warning that there will be a second attempt.
      let tried = runs.filter { run in
        run.events("finished")[name]?["seconds"] as? Double ?? 0 > 0
          || run.warnings.contains { $0.contains("\(name): the process") }
      }
      #expect(tried.count == 1, "\(name): \(events) \(runs.map(\.warnings))")
    }
    let status = try Respool.run("status", folder("out"))
    #expect(status.output.contains("\(Self.names.count) failed"), "\(status.output)")
    let next = try BatchRun(Respool.start(words()).wait())
    #expect(next.summary["converted"] as? Int == Self.names.count)
  }

  @Test func `the file of a killed batch is converted by the one that shares its work`() throws {
    try addSounds()
    let first = try startFirst()
    let second = try Respool.start(words(["--join"]))
    try second.wait(until: "it converts") { second.output.contains("\"progress\"") }
    kill(first.identifier, SIGKILL)
    _ = try first.wait()
    let run = try BatchRun(second.wait())
    #expect(run.status == 0, "\(run.errors)")
    #expect(TemporaryFolder.outputs(in: folder("out")).count == Self.names.count)
    #expect(remains() == [])
  }

  @Test func `a batch joins only one that does the same`() throws {
    try addSounds()
    let first = try startFirst()
    let other = try Respool.start(words(["--join", "--strict"], preset: "aac-160k")).wait()
    #expect(other.status == 2)
    #expect(
      other.errors.contains("cannot be joined, because it differs in the preset, --strict"),
      "\(other.errors)")
    let alone = try Respool.start(words()).wait()
    #expect(alone.errors.contains("share the work of a batch with --join"), "\(alone.errors)")
    first.interrupt()
    #expect(try first.wait().status == 130)
  }

  @Test func `a batch that joins none works alone`() throws {
    try folder.add("speech.wav", as: "in/speech.wav")
    let run = try BatchRun(Respool.start(words(["--join"])).wait())
    #expect(run.status == 0)
    #expect(run.outcome("speech.wav") == "converted")
    #expect(remains() == [])
  }

  @Test func `an incomplete source is converted by one batch`() throws {
    try addSounds()
    for number in 0..<4 {
      let name = folder("in/sound \(number).wav")
      try #require(truncate(name, 1_000_000) == 0)
    }
    let first = try startFirst()
    let second = try BatchRun(Respool.start(words(["--join"])).wait())
    let other = try BatchRun(first.wait())
    #expect(second.status == 0 && other.status == 0, "\(second.errors) \(other.errors)")
    for name in Self.names {
      let outcomes = [second, other].map { $0.outcome(name) }
      #expect(outcomes.filter { $0 == "converted" }.count == 1, "\(name): \(outcomes)")
    }
  }
}
