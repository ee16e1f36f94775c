import Foundation
import Testing

@testable import RespoolBatch

/// The files beside the ledger.
@Suite final class LedgerLogTests {
  private let folder = NSTemporaryDirectory() + "/respool-log-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// SQLite ends a log only if no other connection has the file open.
  @Test func `the log is removed although another batch closes the ledger a little later`() throws {
    let path = folder + "/ledger"
    let database = try Database(path, writing: true, creating: true)
    try database.execute("PRAGMA journal_mode=WAL; CREATE TABLE one(number)")
    // Only the thread uses it from its start on.
    nonisolated(unsafe) var other: Database? = try Database(path, writing: true)
    try other?.execute("INSERT INTO one VALUES(1)")
    #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    Thread {
      usleep(300_000)
      other = nil
    }.start()
    database.removeLog()
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
  }
}
