import Foundation
import Testing

@testable import RespoolBatch

/// Batches in the ledger.
@Suite final class LedgerRunTests {
  private let folder = NSTemporaryDirectory() + "/respool-runs-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Begins a batch; `unfinished` ends it, with as many files left.
  private func run(_ preset: String, threads: Int?, workers: Int, unfinished: Int64?) throws -> Int?
  {
    let ledger = try Ledger(folder + "/ledger", writing: true)
    try ledger.begin(preset: preset, at: 1)
    let before = try ledger.threadsOfUnfinishedRun(preset: preset, workers: workers)
    if let threads { try ledger.setThreads(threads, workers: workers) }
    if let unfinished {
      try ledger.end(
        LedgerStatus.Counts(converted: 1, copied: 0, skipped: 0, failed: 0, unfinished: unfinished),
        at: 2, hasRemovedRemains: true)
    }
    return before
  }

  @Test func `a source that changed meanwhile has a reason`() throws {
    let ledger = try Ledger(folder + "/ledger", writing: true)
    var entry = LedgerEntry(
      source: "/in/a.wav", sourceStamp: FileStamp(size: 1, modified: 1), inode: 1, sourceMark: nil,
      preset: "p", plugins: "", result: .converted)
    entry.isIncomplete = true
    entry.output = LedgerEntry.Output(
      name: "a.opus", stamp: FileStamp(size: 1, modified: 1), mark: nil)
    try ledger.put(entry)
    #expect(
      try ledger.status(limit: 1).incomplete.map(\.reason)
        == ["the source changed while it was converted"])
  }

  @Test func `an output counts when it has its name`() throws {
    let ledger = try Ledger(folder + "/ledger", writing: true)
    for name in ["a", "b"] {
      var entry = LedgerEntry(
        source: "/in/\(name).wav", sourceStamp: FileStamp(size: 100, modified: 1), inode: 1,
        sourceMark: nil, preset: "p", plugins: "", result: .converted)
      (entry.losses, entry.isIncomplete, entry.seconds) = (["none"], true, 2)
      entry.output = LedgerEntry.Output(
        name: name + ".opus", stamp: FileStamp(size: 40, modified: 1), mark: nil,
        isPublished: name == "a", isNew: true)
      try ledger.put(entry)
    }
    func check(_ count: Int64) throws {
      let status = try ledger.status(limit: 0)
      #expect(status.counts[.converted] == count && status.unpublishedCount == 2 - count)
      #expect(status.sourceSize == count * 100 && status.outputSize == count * 40)
      #expect(status.incompleteCount == count && status.lossyCount == count)
      #expect(status.seconds == Double(count) * 2)
    }
    try check(1)
    try ledger.published("b.opus", changed: nil)
    try check(2)
  }

  @Test func `a batch that continues another one keeps its threads`() throws {
    #expect(try run("a", threads: 3, workers: 4, unfinished: nil) == nil)
    // Killed, then interrupted, then ended.
    #expect(try run("a", threads: 3, workers: 4, unfinished: 5) == 3)
    #expect(try run("a", threads: 3, workers: 4, unfinished: 0) == 3)
    #expect(try run("a", threads: 2, workers: 4, unfinished: 7) == nil)
    #expect(try run("b", threads: 2, workers: 4, unfinished: 7) == nil)
    #expect(try run("b", threads: 2, workers: 8, unfinished: nil) == nil)
    // Killed before it began to convert.
    #expect(try run("b", threads: nil, workers: 8, unfinished: nil) == 2)
    #expect(try run("b", threads: 1, workers: 8, unfinished: 0) == nil)
  }
}
