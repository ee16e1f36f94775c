import Glibc
import RespoolHost
import RespoolMedia

/// The ledger of an output folder: what became of each source, in an SQLite database.
///
/// Every change is a transaction of its own, which a killed process cannot lose (write-ahead log). A power cut may lose
/// the latest ones; their outputs are then examined.
final class Ledger {
  typealias Failure = Database.Failure

  let database: Database
  let isWritable: Bool
  /// `true` if not even a power cut loses a change.
  private let isDurable: Bool
  /// Numbers of texts that were used lately.
  private var numbers: [PathKey: Int64] = [:]
  /// Number of the batch that has begun.
  var run: Int64?
  /// Version of the tables; earlier than ``Ledger/version`` only in a ledger that is not written to.
  let version: Int64

  private let findWord: Statement
  private let addWord: Statement
  private let bySource: Statement
  private let byOutput: Statement
  private let byInode: Statement
  private let byTime: Statement
  private let anyInode: Statement
  private let inFolder: Statement
  private let findText: Statement
  private let removeOutput: Statement
  private let removeSource: Statement
  private let insert: Statement
  private let markPublished: Statement
  private let readVersion: Statement
  /// Number of the ledger's state when it was opened.
  private var firstVersion: Int64?
  /// Beginning of a statement that reads entries; `nil` in a ledger of version 1, which has no replaced files.
  let replacedColumns: String?

  /// Columns of sources with final outputs.
  enum SourceColumn {
    static let (name, size, modified, changed): (Int32, Int32, Int32, Int32) = (0, 1, 2, 3)
    static let (plugins, isLossless): (Int32, Int32) = (4, 5)
    static let (outputFolder, outputName, outputSize): (Int32, Int32, Int32) = (6, 7, 8)
    static let (outputModified, outputChanged): (Int32, Int32) = (9, 10)
  }

  /// Opens the ledger at `path`; creates it if it is to be written and does not exist.
  ///
  /// `isShared` keeps to the calls that work on file servers. With `isDurable`, not even a power cut loses a change.
  init(_ path: String, writing: Bool, isShared: Bool = false, isDurable: Bool = false)
    throws(Failure)
  {
    database = try Self.open(path, writing: writing)
    (isWritable, self.isDurable) = (writing, isDurable)
    if writing {
      // A write-ahead log needs memory that processes share, which file servers do not have.
      try database.execute(isShared ? "PRAGMA journal_mode=TRUNCATE" : "PRAGMA journal_mode=WAL")
      try database.execute(
        isDurable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL")
    }
    version = try Self.checkFormat(database, writing: writing)
    findWord = try database.statement("SELECT id FROM words WHERE text = ?")
    addWord = try database.statement("INSERT INTO words(text) VALUES(?)")
    let columns = """
      SELECT f.text, files.name, size, modified, inode, changed, mark, p.text, g.text, attempts, result, r.text,
        l.text, incomplete, seconds, o.text, out_name, out_size, out_modified, out_changed, out_mark, published,
        \(version < 2 ? "NULL, NULL, NULL, NULL" : "state, k.text, kept_name, temporary"), files.id,
        \(version < 5 ? "NULL" : "files.sum")
      FROM files JOIN words f ON f.id = files.folder JOIN words p ON p.id = files.preset
        JOIN words g ON g.id = files.plugins LEFT JOIN words r ON r.id = files.reason
        LEFT JOIN words l ON l.id = files.losses LEFT JOIN words o ON o.id = files.out_folder
        \(version < 2 ? "" : "LEFT JOIN words k ON k.id = files.kept_folder")
      """
    replacedColumns = version < 2 ? nil : columns
    bySource = try database.statement(
      columns + " WHERE files.folder = ? AND files.name = ? AND files.preset = ?")
    byOutput = try database.statement(
      columns + " WHERE files.out_folder = ? AND files.out_name = ? ORDER BY files.id DESC LIMIT 1")
    byInode = try database.statement(
      columns
        + " WHERE files.inode = ? AND files.size = ? AND files.modified = ? AND files.preset = ? LIMIT 8"
    )
    byTime = try database.statement(
      columns
        + """
           WHERE files.modified = ? AND files.size = ? AND files.preset = ? AND files.out_name IS NOT NULL
          \(version < 2 ? "" : "AND state IS NULL") LIMIT 8
        """)
    anyInode = try database.statement(
      "SELECT f.text, files.name FROM files JOIN words f ON f.id = files.folder WHERE inode = ?")
    inFolder = try database.statement(
      """
      SELECT name, size, modified, changed, plugins, losses IS NULL AND attempts > 0, out_folder, out_name, out_size,
        out_modified, out_changed
      FROM files WHERE folder = ? AND preset = ? AND out_name IS NOT NULL AND published = 1 AND incomplete = 0
        AND result < 2
      ORDER BY name
      """)
    findText = try database.statement("SELECT text FROM words WHERE id = ?")
    removeOutput = try database.statement("DELETE FROM files WHERE out_folder = ? AND out_name = ?")
    // A result without an output is superseded by any other of the same source.
    removeSource = try database.statement(
      "DELETE FROM files WHERE folder = ? AND name = ? AND (preset = ? OR out_name IS NULL)")
    insert = try database.statement(
      """
      INSERT INTO files(folder, name, size, modified, inode, changed, mark, preset, plugins, attempts, result, reason,
        losses, incomplete, seconds, out_folder, out_name, out_size, out_modified, out_changed, out_mark, published
        \(version < 2 ? "" : ", state, kept_folder, kept_name, temporary")\(version < 5 ? "" : ", sum"))
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?\(version < 2 ? "" : ", ?, ?, ?, ?")
        \(version < 5 ? "" : ", ?"))
      """)
    markPublished = try database.statement(
      """
      UPDATE files SET published = 1, out_changed = ifnull(?, out_changed)
      WHERE out_folder = ? AND out_name = ?
      """)
    readVersion = try database.statement("PRAGMA data_version")
    firstVersion = dataVersion()
  }

  private static func open(_ path: String, writing: Bool) throws(Failure) -> Database {
    if writing {
      if !fileExists(path) { try create(path) }
      return try Database(path, writing: true)
    }
    let database = try Database(path, writing: false)
    do throws(Failure) {
      try database.execute("SELECT 1 FROM sqlite_master LIMIT 1")
      return database
    } catch {
      // A folder that cannot be written to has no place for the files by which readers and writers wait.
      guard !error.isDamage, fileExists(path) else { throw error }
      return try Database(path, writing: false, immutable: true)
    }
  }

  /// Creates an empty ledger, which gets its name when it is whole.
  ///
  /// A ledger of 0 bytes is thus never one that was just begun.
  private static func create(_ path: String) throws(Failure) {
    let temporary = path + ".new"
    func remove() {
      for suffix in ["", "-journal"] {
        _ = PathName.withSystemPath(temporary + suffix) { unlink($0) }
      }
    }
    // A killed batch may have left one.
    remove()
    do throws(Failure) {
      let database = try Database(temporary, writing: true, creating: true)
      try database.transaction { () throws(Failure) in try database.execute(schema) }
    } catch {
      remove()
      throw error
    }
    let isNamed = PathName.withSystemPath(temporary) { from in
      PathName.withSystemPath(path) { rename(from, $0) == 0 }
    }
    guard isNamed else {
      let reason = errorText(errno)
      remove()
      throw Failure.cannotCreate(reason)
    }
    do throws(MediaError) { try syncFolder(PathName.folder(path)) } catch {
      throw Failure.cannotCreate(error.cause ?? error.message)
    }
  }

  /// Checks that the database is a ledger, and returns its version.
  ///
  /// With `writing`, changes a ledger of an earlier version.
  private static func checkFormat(_ database: Database, writing: Bool) throws(Failure) -> Int64 {
    var (identifier, version, pages) = (Int64(0), Int64(0), Int64(0))
    try database.statement("PRAGMA application_id").run([]) { identifier = $0.integer(0) }
    try database.statement("PRAGMA user_version").run([]) { version = $0.integer(0) }
    try database.statement("PRAGMA page_count").run([]) { pages = $0.integer(0) }
    guard pages > 0 else { throw Failure.damage("it is empty") }
    guard identifier == applicationID, (1...Int64(Self.version)).contains(version) else {
      throw Failure.otherFormat
    }
    while writing, let migration = migration(from: version) {
      try database.transaction { () throws(Failure) in try database.execute(migration) }
      version += 1
    }
    return version
  }

  /// Throws a damage if pages of the file are wrong; takes as long as reading it.
  func check() throws(Failure) {
    var answer = ""
    try database.statement("PRAGMA quick_check(1)").run([]) { answer = $0.text(0) }
    guard answer == "ok" else { throw Failure.damage(answer) }
  }

  // MARK: Entries

  /// Returns the entry of the source at an absolute path with the preset.
  func entry(ofSource path: String, preset: String) throws(Failure) -> LedgerEntry? {
    guard let folder = try number(of: PathName.folder(path)), let preset = try number(of: preset)
    else { return nil }
    return try first(
      bySource, [.integer(folder), .bytes(PathName.bytes(PathName.last(path))), .integer(preset)])
  }

  /// Returns the latest entry with an output, named by its path below the output folder.
  func entry(ofOutput name: String) throws(Failure) -> LedgerEntry? {
    guard let folder = try number(of: PathName.folder(name)) else { return nil }
    return try first(byOutput, [.integer(folder), .bytes(PathName.bytes(PathName.last(name)))])
  }

  /// Returns entries of sources that had the inode number, the size and the time.
  func entries(inode: Int64, _ stamp: FileStamp, preset: String) throws(Failure) -> [LedgerEntry] {
    guard let preset = try number(of: preset) else { return [] }
    var entries: [LedgerEntry] = []
    try read(
      byInode, [.integer(inode), .integer(stamp.size), .integer(stamp.modified), .integer(preset)]
    ) { entry, _ in entries.append(entry) }
    // A source that was moved to another file system, or copied back, has another inode. Earlier ledgers have no index.
    guard entries.isEmpty, version >= 4 else { return entries }
    try read(byTime, [.integer(stamp.modified), .integer(stamp.size), .integer(preset)]) {
      entry, _ in entries.append(entry)
    }
    return entries
  }

  /// Calls `body` for each source in a folder that has a final output, in the byte order of the names.
  ///
  /// `folder` is an absolute path. The columns are those of `SourceColumn`.
  func eachOutput(
    ofSourcesIn folder: String, preset: String, _ body: (borrowing SQLRow) -> Void
  ) throws(Failure) {
    guard let folder = try number(of: folder), let preset = try number(of: preset) else { return }
    try inFolder.run([.integer(folder), .integer(preset)]) { body($0) }
  }

  /// Returns the text with a number.
  func text(_ number: Int64) throws(Failure) -> String? {
    var text: String?
    try findText.run([.integer(number)]) { text = $0.text(0) }
    return text
  }

  /// Returns the absolute path of the source of the latest entry with an output.
  func source(ofOutput name: String) throws(Failure) -> String? {
    guard let folder = try number(of: PathName.folder(name)) else { return nil }
    var source: String?
    try byOutput.run([.integer(folder), .bytes(PathName.bytes(PathName.last(name)))]) {
      source = PathName.join($0.text(0), $0.text(1))
    }
    return source
  }

  /// Returns the absolute paths of sources that had the inode number.
  func sources(inode: Int64) throws(Failure) -> [String] {
    var sources: [String] = []
    try anyInode.run([.integer(inode)]) { sources.append(PathName.join($0.text(0), $0.text(1))) }
    return sources
  }

  /// Returns the seconds that a byte of a source took in the latest conversions with a preset; `nil` if there are none.
  func pace(preset: String) throws(Failure) -> Double? {
    guard let preset = try number(of: preset) else { return nil }
    var pace: Double?
    try database.statement(
      """
      SELECT sum(seconds), sum(size) FROM (
        SELECT seconds, size FROM files WHERE preset = ? AND out_name IS NOT NULL AND result < 2 AND attempts > 0
        ORDER BY id DESC LIMIT 1000)
      """
    ).run([.integer(preset)]) { if $0.integer(1) > 0 { pace = $0.real(0) / $0.real(1) } }
    return pace
  }

  /// Calls `body` with entries and their numbers, at most `limit`, which come after the one with a number.
  func entries(after number: Int64, limit: Int, _ body: (LedgerEntry, Int64) -> Void)
    throws(Failure)
  {
    guard let replacedColumns else { return }
    let statement = try database.statement(
      replacedColumns + " WHERE files.id > ? ORDER BY files.id LIMIT ?")
    try read(statement, [.integer(number), .integer(Int64(limit))], body)
  }

  /// Returns the entry with a number.
  func entry(_ number: Int64) throws(Failure) -> LedgerEntry? {
    guard let replacedColumns else { return nil }
    return try first(
      try database.statement(replacedColumns + " WHERE files.id = ?"), [.integer(number)])
  }

  /// Number of entries.
  func count() throws(Failure) -> Int64 {
    var count: Int64 = 0
    try database.statement("SELECT count(*) FROM files").run([]) { count = $0.integer(0) }
    return count
  }

  /// Calls `body` with each entry, in the order in which they were made.
  func eachEntry(_ body: (LedgerEntry) -> Void) throws(Failure) {
    guard let replacedColumns else { return }
    try read(try database.statement(replacedColumns + " ORDER BY files.id"), []) { entry, _ in
      body(entry)
    }
  }

  /// Forgets the failures for which `isSettled` returns `true` for the source and the plugins.
  ///
  /// An output that such a source had before stays known, as one of a skipped source.
  func forgetFailures(where isSettled: (String, String) -> Bool) throws(Failure) {
    var settled: [Int64] = []
    try database.statement(
      """
      SELECT f.text, files.name, g.text, files.id FROM files JOIN words f ON f.id = files.folder
        JOIN words g ON g.id = files.plugins WHERE result = 3
      """
    ).run([]) {
      if isSettled(PathName.join($0.text(0), $0.text(1)), $0.text(2)) {
        settled.append($0.integer(3))
      }
    }
    guard !settled.isEmpty else { return }
    try writing { () throws(Failure) in
      let remove = try self.database.statement("DELETE FROM files WHERE id = ?")
      for number in settled {
        guard var entry = try self.entry(number), entry.formerOutput != nil else {
          try remove.run([.integer(number)])
          continue
        }
        // Without plugins, the result is not remembered of a source that gets the name.
        (entry.result, entry.reason, entry.plugins) = (.skipped, "the source is gone", "")
        try self.put(entry)
      }
    }
  }

  /// Replaces the entries of a source with the preset, and those of the output.
  func put(_ entry: LedgerEntry) throws(Failure) {
    try writing { () throws(Failure) in
      var row: [SQLValue] = []
      for cell in entry.cells { row.append(try self.value(of: cell)) }
      try self.removeSource.run([row[0], row[1], row[7]])
      if entry.knownOutput != nil { try self.removeOutput.run(Array(row[15...16])) }
      try self.insert.run(row + [.integer(entry.sum)])
    }
  }

  /// Removes the entries of an output, named by its path below the output folder.
  func forget(_ name: String) throws(Failure) {
    guard let folder = try number(of: PathName.folder(name)) else { return }
    try removeOutput.run([.integer(folder), .bytes(PathName.bytes(PathName.last(name)))])
  }

  /// Notes that an output has its name now, and the change time that it got by that; `nil` if that is unknown.
  func published(_ name: String, changed: Int64?) throws(Failure) {
    guard let folder = try number(of: PathName.folder(name)) else { return }
    try markPublished.run([
      SQLValue(changed), .integer(folder), .bytes(PathName.bytes(PathName.last(name))),
    ])
  }

  /// Runs `body` as one change; many changes in one are faster.
  func writing(_ body: () throws(Failure) -> Void) throws(Failure) {
    guard isWritable else { throw Failure.readOnly }
    if isInTransaction { return try body() }
    isInTransaction = true
    defer { isInTransaction = false }
    do throws(Failure) { try database.transaction(body) } catch {
      // Numbers of texts that were not stored.
      numbers = [:]
      throw error
    }
  }

  /// Runs `body`, after whose changes a power cut loses neither them nor earlier ones.
  func durably(_ body: () throws(Failure) -> Void) throws(Failure) {
    guard !isDurable, !isInTransaction else { return try body() }
    try database.execute("PRAGMA synchronous=FULL")
    defer { try? database.execute("PRAGMA synchronous=NORMAL") }
    try body()
  }

  private var isInTransaction = false

  private func first(_ statement: Statement, _ values: [SQLValue]) throws(Failure) -> LedgerEntry? {
    var entry: LedgerEntry?
    try read(statement, values) { found, _ in entry = found }
    return entry
  }

  /// Calls `body` with each entry that a statement finds, and its number.
  ///
  /// Throws a damage if an entry is not as it was written.
  func read(_ statement: Statement, _ values: [SQLValue], _ body: (LedgerEntry, Int64) -> Void)
    throws(Failure)
  {
    var damaged: String?
    try statement.run(values) { row in
      if LedgerEntry.isWhole(row) {
        body(LedgerEntry(row), row.integer(LedgerEntry.numberColumn))
      } else {
        damaged = row.text(1)
      }
    }
    if let damaged { throw Failure.damage("the entry of \(damaged) is not as it was written") }
  }

  // MARK: Texts

  func number(of text: String) throws(Failure) -> Int64? {
    if let number = numbers[PathKey(text)] { return number }
    var number: Int64?
    try findWord.run([.bytes(PathName.bytes(text))]) { number = $0.integer(0) }
    if let number { remember(text, number) }
    return number
  }

  private func makeNumber(of text: String) throws(Failure) -> Int64 {
    if let number = try number(of: text) { return number }
    try addWord.run([.bytes(PathName.bytes(text))])
    let number = database.lastRow
    remember(text, number)
    return number
  }

  private func value(of cell: LedgerEntry.Cell) throws(Failure) -> SQLValue {
    switch cell {
    case .value(let value): value
    case .text(let text): .integer(try makeNumber(of: text))
    }
  }

  private func remember(_ text: String, _ number: Int64) {
    // Enough for the folders of one path; a million folders must not stay in memory.
    if numbers.count >= 256 { numbers = [:] }
    numbers[PathKey(text)] = number
  }

  /// Returns `true` if another connection has changed the ledger since this one was opened.
  func hasForeignChanges() -> Bool { dataVersion() != firstVersion }

  /// Number that changes with each change by another connection (`PRAGMA data_version`); `nil` if it is unknown.
  private func dataVersion() -> Int64? {
    var version: Int64?
    try? readVersion.run([]) { version = $0.integer(0) }
    return version
  }

  /// Leaves one file without a log beside it, which can also be read in a folder without write permission.
  func close() { if isWritable { database.removeLog() } }
}
