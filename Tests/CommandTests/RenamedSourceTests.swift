import Foundation
import Testing

/// Sources that were given each other's names since the last batch: their outputs follow, and nothing is made again.
@Suite struct RenamedSourceTests {
  private let folder = TemporaryFolder()

  private func run(_ words: [String] = []) throws -> BatchRun {
    try BatchRun(folder("in"), to: folder("out"), preset: "flac", words)
  }

  /// Makes a clip whose duration in tenths of a second tells it apart.
  private func add(_ name: String, tenths: Int) throws {
    try FileManager.default.createDirectory(
      atPath: folder("in"), withIntermediateDirectories: true)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=frequency=\(200 + tenths):duration=0.\(tenths)",
        folder("in/" + name),
      ])
  }

  private func rename(_ from: String, _ to: String) throws {
    try FileManager.default.moveItem(atPath: folder("in/" + from), toPath: folder("in/" + to))
  }

  private func inode(_ name: String) throws -> UInt64 {
    UInt64(try folder.status("out/" + name).st_ino)
  }

  /// Runs a batch that must make nothing, and another one that must find nothing to do.
  private func expectOnlyMoves(_ count: Int) throws {
    let plan = try run(["--dry-run"])
    #expect(plan.summary["alreadyDone"] as? Int == count, "\(plan.errors)")
    for _ in 1...2 {
      let run = try run()
      #expect(run.summary["alreadyDone"] as? Int == count, "\(run.errors)")
      #expect(run.summary["failed"] as? Int == 0, "\(run.errors)")
    }
  }

  @Test(arguments: [("a.wav", "b.wav"), ("a.wav", "b.aiff")])
  func `two sources exchange their names`(first: String, second: String) throws {
    try add(first, tenths: 3)
    try add(second, tenths: 5)
    #expect(try run().summary["converted"] as? Int == 2)
    let (a, b) = (try inode("a.flac"), try inode("b.flac"))
    let (one, other) = (
      first.replacingOccurrences(of: "a.", with: "b."),
      second.replacingOccurrences(of: "b.", with: "a.")
    )
    try rename(first, "between")
    try rename(second, other)
    try rename("between", one)
    try expectOnlyMoves(2)
    #expect(try inode("a.flac") == b && inode("b.flac") == a)
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["a.flac", "b.flac"])
  }

  @Test func `a batch was killed when it had exchanged two outputs`() throws {
    try add("a.wav", tenths: 3)
    try add("b.aiff", tenths: 5)
    #expect(try run().summary["converted"] as? Int == 2)
    let (a, b) = (try inode("a.flac"), try inode("b.flac"))
    try rename("a.wav", "b.wav")
    try rename("b.aiff", "a.aiff")
    let files = FileManager.default
    try files.moveItem(atPath: folder("out/a.flac"), toPath: folder("out/between"))
    try files.moveItem(atPath: folder("out/b.flac"), toPath: folder("out/a.flac"))
    try files.moveItem(atPath: folder("out/between"), toPath: folder("out/b.flac"))
    try expectOnlyMoves(2)
    #expect(try inode("a.flac") == b && inode("b.flac") == a)
  }

  @Test func `clips get other numbers`() throws {
    for number in 1...4 { try add("clip\(number).wav", tenths: number + 1) }
    #expect(try run().summary["converted"] as? Int == 4)
    let inodes = try (1...4).map { try inode("clip\($0).flac") }
    for number in (1...4).reversed() { try rename("clip\(number).wav", "clip\(number + 1).wav") }
    try expectOnlyMoves(4)
    #expect(try (2...5).map { try inode("clip\($0).flac") } == inodes)
    // A new clip gets the first number.
    try add("clip1.wav", tenths: 9)
    #expect(try run().summary["converted"] as? Int == 1)
    #expect(try (2...5).map { try inode("clip\($0).flac") } == inodes)
  }

  @Test func `an output that was changed is not moved`() throws {
    try add("a.wav", tenths: 3)
    try add("b.wav", tenths: 5)
    #expect(try run().summary["converted"] as? Int == 2)
    try Tool.run("ffmpeg", ["-v", "error", "-y", "-i", folder("in/b.wav"), folder("out/a.flac")])
    let changed = try Data(contentsOf: URL(fileURLWithPath: folder("out/a.flac")))
    try rename("a.wav", "between")
    try rename("b.wav", "a.wav")
    try rename("between", "b.wav")
    let run = try run()
    #expect(run.outcome("a.wav") == "failed", "\(run.errors)")
    #expect(run.outcome("b.wav") == "converted", "\(run.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder("out/a.flac"))) == changed)
  }
}
