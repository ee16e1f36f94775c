import Foundation
import Testing

@testable import RespoolBatch

/// Damage inside of a ledger's rows, which SQLite does not notice.
@Suite final class LedgerSumTests {
  private let folder = NSTemporaryDirectory() + "/respool-sums-\(UUID().uuidString)"
  private var path: String { folder + "/ledger" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let ledger = try Ledger(path, writing: true)
    try ledger.put(entry)
    ledger.close()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// An entry with a value in each column.
  private let entry: LedgerEntry = {
    var entry = LedgerEntry(
      source: "/in/a.wav", sourceStamp: FileStamp(size: 3, modified: 5), inode: 7,
      sourceMark: ContentMark(changed: 9, samples: [1, 2]), preset: "p", plugins: "Wave 1.0",
      result: .converted)
    (entry.reason, entry.losses) = ("it ends\n\nearly", ["a cover", "two\n\nlines"])
    (entry.isIncomplete, entry.seconds) = (true, 1.5)
    entry.output = LedgerEntry.Output(
      name: "deep/a.opus", stamp: FileStamp(size: 11, modified: 13),
      mark: ContentMark(changed: 15, samples: [3]), isPublished: false, isNew: true)
    entry.replaced = ReplacedFile(
      state: .replaced, kept: "/kept/b.wav", temporary: ".respool-1.original")
    return entry
  }()

  private func read() throws -> LedgerEntry? {
    try Ledger(path, writing: false).entry(1)
  }

  private func execute(_ sql: String) throws {
    try Database(path, writing: true).execute(sql)
  }

  @Test(arguments: [
    "size = 2", "modified = 4", "inode = 6", "changed = 8", "mark = x'0103'", "attempts = 2",
    "result = 1", "incomplete = 0", "seconds = 1.25", "out_size = 10", "out_modified = 12",
    "out_mark = x'02'", "state = 5", "temporary = x'00'", "name = CAST('c.wav' AS BLOB)",
    "out_name = CAST('c.opus' AS BLOB)", "kept_name = CAST('c.wav' AS BLOB)", "kept_name = NULL",
    "reason = NULL", "losses = NULL", "losses = reason", "mark = NULL", "kept_folder = folder",
    "out_folder = folder", "plugins = preset", "sum = sum + 1",
  ])
  func `a changed value is noticed`(change: String) throws {
    let reads = try read()
    #expect(reads?.replaced == entry.replaced)
    try execute("UPDATE files SET " + change)
    let failure = #expect(throws: Ledger.Failure.self) { try self.read() }
    #expect(failure?.isDamage == true && failure?.message.contains(".wav is not as it was") == true)
  }

  @Test func `a changed text is noticed`() throws {
    for number in 1...7 {
      let before = "/words-\(number)"
      try FileManager.default.copyItem(atPath: path, toPath: folder + before)
      try execute("UPDATE words SET text = text || x'21' WHERE id = \(number)")
      #expect(throws: Ledger.Failure.self) { try self.read() }
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: folder + before, toPath: path)
    }
    #expect(try read()?.source == "/in/a.wav")
  }

  @Test func `a new name is no damage`() throws {
    let ledger = try Ledger(path, writing: true)
    try ledger.published("deep/a.opus", changed: 17)
    let output = try ledger.entry(ofOutput: "deep/a.opus")?.output
    #expect(output?.isPublished == true && output?.mark?.changed == 17)
  }

  @Test func `entries of earlier versions have no sums`() throws {
    try execute("UPDATE files SET sum = NULL, size = 2")
    #expect(try read()?.sourceStamp.size == 2)
  }
}
