import Foundation
import Testing

@testable import RespoolBatch

/// Ledgers that earlier versions of Respool have made.
@Suite struct LedgerMigrationTests {
  /// Tables of version 1, as they were released.
  private static let schema = """
    PRAGMA application_id = \(0x5273_706C);
    PRAGMA user_version = 1;
    CREATE TABLE words(id INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE);
    CREATE TABLE files(
      id INTEGER PRIMARY KEY,
      folder INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
      inode INTEGER NOT NULL, changed INTEGER, mark BLOB,
      preset INTEGER NOT NULL, plugins INTEGER NOT NULL, attempts INTEGER NOT NULL,
      result INTEGER NOT NULL, reason INTEGER, losses INTEGER, incomplete INTEGER NOT NULL,
      seconds REAL NOT NULL,
      out_folder INTEGER, out_name BLOB, out_size INTEGER, out_modified INTEGER,
      out_changed INTEGER, out_mark BLOB, published INTEGER,
      UNIQUE(folder, name, preset));
    CREATE INDEX by_output ON files(out_folder, out_name) WHERE out_name IS NOT NULL;
    CREATE INDEX by_inode ON files(inode);
    CREATE INDEX failed ON files(result) WHERE result = 3;
    CREATE TABLE totals(
      result INTEGER PRIMARY KEY, files INTEGER NOT NULL, size INTEGER NOT NULL,
      out_size INTEGER NOT NULL, seconds REAL NOT NULL);
    INSERT INTO totals SELECT value, 0, 0, 0, 0 FROM (
      SELECT 0 AS value UNION SELECT 1 UNION SELECT 2 UNION SELECT 3);
    CREATE TRIGGER added AFTER INSERT ON files BEGIN
      UPDATE totals SET files = files + 1, size = size + new.size,
        out_size = out_size + ifnull(new.out_size, 0), seconds = seconds + new.seconds
        WHERE result = new.result;
    END;
    CREATE TRIGGER removed AFTER DELETE ON files BEGIN
      UPDATE totals SET files = files - 1, size = size - old.size,
        out_size = out_size - ifnull(old.out_size, 0), seconds = seconds - old.seconds
        WHERE result = old.result;
    END;
    CREATE TABLE runs(
      id INTEGER PRIMARY KEY, started INTEGER NOT NULL, ended INTEGER, preset BLOB NOT NULL,
      converted INTEGER, copied INTEGER, skipped INTEGER, failed INTEGER, unfinished INTEGER);
    INSERT INTO words VALUES(1, CAST('/in' AS BLOB)), (2, CAST('p' AS BLOB)), (3, CAST('Wave 1.0' AS BLOB)),
      (4, CAST('.' AS BLOB));
    INSERT INTO files VALUES(7, 1, CAST('a.wav' AS BLOB), 100, 5, 9, 6, x'01', 2, 3, 1, 0, NULL, NULL, 0, 1.5,
      4, CAST('a.opus' AS BLOB), 40, 8, 9, x'02', 1);
    """

  private let folder = NSTemporaryDirectory() + "/respool-ledger-\(UUID().uuidString)"

  private func makeLedger() throws -> String {
    try FileManager.default.createDirectory(
      atPath: folder + "/.respool", withIntermediateDirectories: true)
    let path = OutputFolder.ledgerPath(in: folder)
    try Database(path, writing: true, creating: true).execute(Self.schema)
    return path
  }

  @Test func `a ledger of version 1 is read and changed without loss`() throws {
    let path = try makeLedger()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let before = try #require(
      try Ledger(path, writing: false).entry(ofSource: "/in/a.wav", preset: "p"))
    #expect(before.output?.name == "a.opus" && before.replaced == nil)
    #expect(try Ledger(path, writing: false).keptOriginals().isEmpty)
    let ledger = try Ledger(path, writing: true)
    #expect(try ledger.entry(ofSource: "/in/a.wav", preset: "p") == before)
    #expect(try ledger.status(limit: 1).counts[.converted] == 1)
    var entry = before
    entry.replaced = ReplacedFile(state: .replaced, kept: "/kept/deep/a.wav")
    try ledger.put(entry)
    #expect(try ledger.entry(ofOutput: "a.opus") == entry)
    #expect(try ledger.keptOriginals() == [entry])
    #expect(try ledger.replacements(size: 40) == [entry])
    #expect(try ledger.unfinishedReplacements().isEmpty)
    #expect(try ledger.status(limit: 1).keptOriginals == 1)
    entry.replaced?.kept = "/kept/deep/a 2.wav"
    try ledger.put(entry)
    #expect(try ledger.keptOriginals() == [entry])
    entry.replaced?.temporary = ".respool-1.original"
    try ledger.put(entry)
    #expect(try ledger.unfinishedReplacements() == [entry])
    ledger.close()
    // A second opening changes nothing.
    #expect(try Ledger(path, writing: true).entry(ofSource: "/in/a.wav", preset: "p") == entry)
  }

  @Test func `totals of earlier versions count incomplete sources and losses`() throws {
    let path = try makeLedger()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Database(path, writing: true).execute(
      """
      INSERT INTO words VALUES(5, CAST('it ends early' AS BLOB)), (6, CAST('a cover' AS BLOB));
      INSERT INTO files SELECT 8, 1, CAST('b.wav' AS BLOB), size, modified, 10, changed, mark, preset, plugins, attempts,
        result, 5, 6, 1, seconds, out_folder, CAST('b.opus' AS BLOB), out_size, out_modified, out_changed, out_mark, 1
        FROM files;
      """)
    #expect(try Ledger(path, writing: false).status(limit: 9).incompleteCount == 0)
    let ledger = try Ledger(path, writing: true)
    var status = try ledger.status(limit: 9)
    #expect(status.incompleteCount == 1 && status.lossyCount == 1)
    #expect(status.incomplete.map(\.path) == ["/in/b.wav"])
    #expect(status.incomplete.map(\.reason) == ["it ends early"])
    var losses: [String: [String]] = [:]
    try ledger.eachLoss { losses[$0.source + " in " + $0.output] = $0.sentences }
    #expect(losses == ["/in/b.wav in b.opus": ["a cover"]])
    var entry = try #require(try ledger.entry(ofSource: "/in/b.wav", preset: "p"))
    (entry.isIncomplete, entry.losses) = (false, [])
    try ledger.put(entry)
    status = try ledger.status(limit: 9)
    #expect(status.incompleteCount == 0 && status.lossyCount == 0 && status.incomplete.isEmpty)
  }

  @Test func `a new ledger has its name only when it is whole`() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/.respool", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = OutputFolder.ledgerPath(in: folder)
    // What a killed batch leaves.
    try Data("half".utf8).write(to: URL(fileURLWithPath: path + ".new"))
    let ledger = try Ledger(path, writing: true)
    try ledger.begin(preset: "p", at: 1)
    ledger.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/.respool") == ["ledger"])
    try Data().write(to: URL(fileURLWithPath: path))
    #expect { try Ledger(path, writing: true) } throws: {
      ($0 as? Database.Failure)?.isDamage == true
    }
  }

  @Test func `the size of a rejected output is kept`() throws {
    let path = try makeLedger()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ledger = try Ledger(path, writing: true)
    var entry = try #require(try ledger.entry(ofSource: "/in/a.wav", preset: "p"))
    (entry.output, entry.rejectedSize, entry.result) = (nil, 123, .skipped)
    try ledger.put(entry)
    #expect(try ledger.entry(ofSource: "/in/a.wav", preset: "p") == entry)
    #expect(try ledger.status(limit: 1).outputSize == 0)
  }
}
