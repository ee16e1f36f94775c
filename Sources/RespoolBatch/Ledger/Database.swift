import CSQLite
import Glibc
import RespoolHost
import RespoolMedia

/// A connection to an SQLite database, for one thread.
final class Database {
  /// A failure of SQLite.
  struct Failure: Error {
    /// Extended result code (https://www.sqlite.org/rescode.html).
    let code: Int32
    let message: String

    static let otherFormat = Failure(code: SQLITE_FORMAT, message: "it has another format")
    static let readOnly = Failure(code: SQLITE_READONLY, message: "it cannot be written to")

    static func cannotCreate(_ reason: String) -> Failure {
      Failure(code: SQLITE_CANTOPEN, message: "it cannot be created: " + reason)
    }

    static func damage(_ message: String) -> Failure {
      Failure(code: SQLITE_CORRUPT, message: message)
    }

    /// `true` if the content of the file is wrong, and not only the access to it.
    ///
    /// The statements are fixed, so that an error in one means that the tables are not ours.
    var isDamage: Bool {
      [
        SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_CONSTRAINT,
        SQLITE_MISMATCH,
      ]
      .contains(code & 0xFF)
    }
  }

  private let connection: OpaquePointer

  /// Opens a file; creates it with `creating`.
  ///
  /// `immutable` reads a file that nothing changes meanwhile, without locks and without other files. The file and its
  /// folder must not be links; folders above may be.
  init(_ path: String, writing: Bool, creating: Bool = false, immutable: Bool = false)
    throws(Failure)
  {
    if let reason = ledger_sqlite_missing() {
      throw Failure(code: SQLITE_CANTOPEN, message: String(cString: reason))
    }
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    flags |= writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    if creating { flags |= SQLITE_OPEN_CREATE }
    var name = Self.real(path)
    if immutable {
      flags |= SQLITE_OPEN_URI
      name = "file:" + Self.escaped(name) + "?immutable=1"
    }
    var opened: OpaquePointer?
    let code = PathName.withSystemPath(name) { ledger_open_v2($0, &opened, flags) }
    guard code == SQLITE_OK, let opened else {
      if let opened { ledger_close_v2(opened) }
      throw Failure(code: code, message: String(cString: ledger_errstr(code)))
    }
    connection = opened
    // Another batch that shares the work may be changing the ledger.
    ledger_busy_timeout(connection, 60_000)
  }

  deinit { ledger_close_v2(connection) }

  /// Returns the absolute path, without links in the folders above that of the file.
  ///
  /// SQLITE_OPEN_NOFOLLOW rejects links in all parts of a path.
  private static func real(_ path: String) -> String {
    let path = PathName.absolute(path)
    let folder = PathName.folder(path)
    guard
      let above = PathName.withSystemPath(PathName.folder(folder), { realpath($0, nil) })
    else { return path }
    defer { free(above) }
    return PathName.join(
      PathName.join(PathName.text(system: above), PathName.last(folder)), PathName.last(path))
  }

  /// Escapes characters that have a meaning in a URI (https://www.sqlite.org/uri.html).
  private static func escaped(_ path: String) -> String {
    path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
  }

  func execute(_ sql: String) throws(Failure) {
    try check(ledger_exec(connection, sql))
  }

  /// Ends the write-ahead log and removes its files, if other processes close the file within two seconds.
  ///
  /// SQLite does not wait for them here, and the last two to close a file at the same moment leave the log.
  func removeLog() {
    let deadline = monotonicSeconds() + 2
    while true {
      let code = ledger_exec(connection, "PRAGMA journal_mode=DELETE")
      guard code & 0xFF == SQLITE_BUSY, monotonicSeconds() < deadline else { return }
      usleep(5_000)
    }
  }

  func statement(_ sql: String) throws(Failure) -> Statement { try Statement(sql, self) }

  /// Row number of the last insertion.
  var lastRow: Int64 { ledger_last_insert_rowid(connection) }

  /// Runs `body` in a transaction, which is taken back if it throws.
  func transaction(_ body: () throws(Failure) -> Void) throws(Failure) {
    try execute("BEGIN IMMEDIATE")
    do throws(Failure) {
      try body()
      try execute("COMMIT")
    } catch {
      _ = ledger_exec(connection, "ROLLBACK")
      throw error
    }
  }

  fileprivate func check(_ code: Int32) throws(Failure) {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  fileprivate func failure(_ code: Int32) -> Failure {
    Failure(code: code, message: String(cString: ledger_errmsg(connection)))
  }

  fileprivate func prepare(_ sql: String) throws(Failure) -> OpaquePointer {
    var prepared: OpaquePointer?
    try check(ledger_prepare_v3(connection, sql, &prepared))
    guard let prepared else { throw Failure(code: SQLITE_MISUSE, message: "no statement") }
    return prepared
  }
}

/// A statement that may run many times.
final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  fileprivate init(_ sql: String, _ database: Database) throws(Database.Failure) {
    handle = try database.prepare(sql)
    self.database = database
  }

  deinit { ledger_finalize(handle) }

  /// Runs the statement with the values of its parameters, and calls `row` for each row.
  func run(_ values: [SQLValue], row: (borrowing SQLRow) -> Void = { _ in })
    throws(Database.Failure)
  {
    defer {
      ledger_reset(handle)
      ledger_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() {
      try database.check(value.bind(to: handle, Int32(index + 1)))
    }
    while true {
      switch ledger_step(handle) {
      case SQLITE_ROW: row(SQLRow(handle))
      case SQLITE_DONE: return
      case let code: throw database.failure(code)
      }
    }
  }
}

/// A value of a parameter or a column.
enum SQLValue {
  case null
  case integer(Int64)
  case real(Double)
  case bytes([UInt8])

  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }

  fileprivate func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
    switch self {
    case .null: SQLITE_OK
    case .integer(let value): ledger_bind_int64(statement, index, value)
    case .real(let value): ledger_bind_double(statement, index, value)
    case .bytes(let bytes):
      bytes.withUnsafeBytes { ledger_bind_blob(statement, index, $0.baseAddress, $0.count) }
    }
  }
}

/// A row of a result, valid only during the call that gets it.
struct SQLRow: ~Copyable {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

  func isNull(_ column: Int32) -> Bool { ledger_column_type(handle, column) == SQLITE_NULL }
  func integer(_ column: Int32) -> Int64 { ledger_column_int64(handle, column) }
  func real(_ column: Int32) -> Double { ledger_column_double(handle, column) }

  func value(_ column: Int32) -> SQLValue {
    switch ledger_column_type(handle, column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    default: .bytes(bytes(column))
    }
  }

  func bytes(_ column: Int32) -> [UInt8] {
    withBytes(column) { Array($0) }
  }

  /// Calls `body` with the bytes of a column, which are valid during the call.
  func withBytes<Value>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    let start = ledger_column_blob(handle, column)
    return body(
      UnsafeRawBufferPointer(
        start: start, count: start == nil ? 0 : Int(ledger_column_bytes(handle, column))))
  }

  /// The text of a path or a sentence.
  func text(_ column: Int32) -> String { PathName.text(bytes(column)) }
}
