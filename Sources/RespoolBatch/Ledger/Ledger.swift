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
        \(version < 2 ? "NULL, NULL, NULL, NULL" : "state, k.text, kept_name, temporary, files.id")
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
        \(version < 2 ? "" : ", state, kept_folder, kept_name, temporary"))
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?\(version < 2 ? "" : ", ?, ?, ?, ?"))
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
    try byInode.run(
      [.integer(inode), .integer(stamp.size), .integer(stamp.modified), .integer(preset)]
    ) { entries.append(LedgerEntry($0)) }
    // A source that was moved to another file system, or copied back, has another inode. Earlier ledgers have no index.
    guard entries.isEmpty, version >= 4 else { return entries }
    try byTime.run([.integer(stamp.modified), .integer(stamp.size), .integer(preset)]) {
      entries.append(LedgerEntry($0))
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
    try database.statement(
      replacedColumns + " WHERE files.id > ? ORDER BY files.id LIMIT ?"
    ).run([.integer(number), .integer(Int64(limit))]) { body(LedgerEntry($0), $0.integer(26)) }
  }

  /// Returns the entry with a number.
  func entry(_ number: Int64) throws(Failure) -> LedgerEntry? {
    guard let replacedColumns else { return nil }
    var entry: LedgerEntry?
    try database.statement(replacedColumns + " WHERE files.id = ?").run([.integer(number)]) {
      entry = LedgerEntry($0)
    }
    return entry
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
    try database.statement(replacedColumns + " ORDER BY files.id").run([]) { body(LedgerEntry($0)) }
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
      let folder = SQLValue.integer(try self.makeNumber(of: PathName.folder(entry.source)))
      let name = SQLValue.bytes(PathName.bytes(PathName.last(entry.source)))
      let preset = SQLValue.integer(try self.makeNumber(of: entry.preset))
      try self.removeSource.run([folder, name, preset])
      var output: [SQLValue] = Array(repeating: .null, count: 7)
      if let made = entry.knownOutput {
        output = [
          .integer(try self.makeNumber(of: PathName.folder(made.name))),
          .bytes(PathName.bytes(PathName.last(made.name))), .integer(made.stamp.size),
          .integer(made.stamp.modified), SQLValue(made.mark?.changed),
          made.mark.map { .bytes($0.samples) } ?? .null,
          .integer(made.isPublished ? 1 : made.isNew ? 2 : 0),
        ]
        try self.removeOutput.run(Array(output[..<2]))
      } else if let size = entry.rejectedSize {
        output[2] = .integer(size)
      }
      let losses = entry.losses.joined(separator: "\n")
      let columns: [SQLValue] = [
        folder, name, .integer(entry.sourceStamp.size), .integer(entry.sourceStamp.modified),
        .integer(entry.inode), SQLValue(entry.sourceMark?.changed),
        entry.sourceMark.map { .bytes($0.samples) } ?? .null, preset,
        .integer(try self.makeNumber(of: entry.plugins)), .integer(entry.attempts),
        .integer(entry.result.rawValue), try self.value(entry.reason),
        try self.value(losses.isEmpty ? nil : losses), .integer(entry.isIncomplete ? 1 : 0),
        .real(entry.seconds),
      ]
      try self.insert.run(columns + output + self.values(entry.replaced, entry.source))
    }
  }

  private func values(_ replaced: ReplacedFile?, _ source: String) throws(Failure) -> [SQLValue] {
    guard let replaced else { return Array(repeating: .null, count: 4) }
    let name = replaced.kept.map { PathName.bytes(PathName.last($0)) }
    return [
      .integer(replaced.state.rawValue), try value(replaced.kept.map(PathName.folder)),
      name == PathName.bytes(PathName.last(source)) ? .null : name.map { .bytes($0) } ?? .null,
      replaced.temporary.map { .bytes(PathName.bytes($0)) } ?? .null,
    ]
  }

  /// Returns the entries of replacements that have been begun and not finished.
  func unfinishedReplacements() throws(Failure) -> [LedgerEntry] {
    try replacements("files.temporary IS NOT NULL")
  }

  /// Returns the entries of replacements whose originals are kept, in the order of their outputs.
  func keptOriginals() throws(Failure) -> [LedgerEntry] {
    try replacements("files.state IN (2, 5) AND files.kept_folder IS NOT NULL")
      .sorted {
        PathKey($0.output?.name ?? "").path.utf8.lexicographicallyPrecedes(
          PathKey($1.output?.name ?? "").path.utf8)
      }
  }

  /// Returns the entries of replacements with a size.
  func replacements(size: Int64) throws(Failure) -> [LedgerEntry] {
    try replacements("files.state = 2 AND files.out_size = ?", [.integer(size)])
  }

  /// Returns the entries of replacements of the source at an absolute path, with any preset.
  func replacements(ofSource path: String) throws(Failure) -> [LedgerEntry] {
    guard let folder = try number(of: PathName.folder(path)) else { return [] }
    return try replacements(
      "files.state = 2 AND files.folder = ? AND files.name = ?",
      [.integer(folder), .bytes(PathName.bytes(PathName.last(path)))])
  }

  private func replacements(_ condition: String, _ values: [SQLValue] = []) throws(Failure)
    -> [LedgerEntry]
  {
    guard let replacedColumns else { return [] }
    var entries: [LedgerEntry] = []
    try database.statement(replacedColumns + " WHERE " + condition).run(values) {
      entries.append(LedgerEntry($0))
    }
    return entries
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
    try statement.run(values) { entry = LedgerEntry($0) }
    return entry
  }

  // MARK: Texts

  private func number(of text: String) throws(Failure) -> Int64? {
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

  private func value(_ text: String?) throws(Failure) -> SQLValue {
    guard let text else { return .null }
    return .integer(try makeNumber(of: text))
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
