import RespoolHost
public import RespoolMedia

/// A plan of a batch in a file: `respool batch --plan` writes it, and `respool batch --from-plan` does exactly that.
///
/// It is an SQLite database. Paths are absolute, so that the plan does not depend on the current folder.
public final class PlanFile {
  /// Number in the header of the file by which tools recognise the format (`PRAGMA application_id`): "RspP".
  private static let applicationID: Int64 = 0x5273_7050
  /// Version of the tables (`PRAGMA user_version`).
  private static let version: Int64 = 1
  /// Number of files that are written together.
  private static let slice = 1000

  private static let schema = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    CREATE TABLE batch(name TEXT NOT NULL, position INTEGER NOT NULL, value BLOB NOT NULL);
    CREATE TABLE files(
      number INTEGER PRIMARY KEY, action TEXT NOT NULL, cost REAL NOT NULL, file BLOB NOT NULL);
    """

  private let path: String
  private let database: Database
  /// Temporary name of a plan that is being written; `nil` of one that is read.
  private let pending: PendingFile?
  /// Files that have not been written yet.
  private var unwritten: [BatchFile] = []
  /// Number of the last file that was read.
  private var last: Int64 = -1

  private init(_ path: String, _ database: Database, _ pending: PendingFile?) {
    (self.path, self.database, self.pending) = (path, database, pending)
  }

  // MARK: Writing

  /// Begins a plan; the file gets its name when it is complete.
  ///
  /// Throws `io` if it cannot be created, and `invalidArgument` if a file of that name is no plan.
  static func create(_ path: String, _ options: BatchOptions, _ results: BatchResults)
    throws(MediaError) -> PlanFile
  {
    if fileExists(path) {
      do throws(MediaError) { _ = try PlanFile.open(path) } catch {
        throw MediaError(
          .invalidArgument, "the file exists and is no plan; choose another name", file: path)
      }
    }
    let pending = PendingFile(for: path)
    do throws(Database.Failure) {
      let database = try Database(pending.path, writing: true, creating: true)
      let plan = PlanFile(path, database, pending)
      try database.execute(schema)
      try plan.write(options, results)
      return plan
    } catch {
      pending.discard()
      throw MediaError(.io, "the plan cannot be written: \(error.message)", file: path)
    }
  }

  private func write(_ options: BatchOptions, _ results: BatchResults) throws(Database.Failure) {
    let insert = try database.statement("INSERT INTO batch VALUES(?, ?, ?)")
    func put(_ name: Key, _ values: [String]) throws(Database.Failure) {
      for (position, value) in values.enumerated() {
        try insert.run([
          .bytes(Array(name.rawValue.utf8)), .integer(Int64(position)),
          .bytes(PathName.bytes(value)),
        ])
      }
    }
    try put(.inputs, options.inputs.map { PathName.absolute($0) })
    try put(.output, [PathName.absolute(options.output)])
    let isPath = options.preset.contains("/")
    try put(.preset, [isPath ? PathName.absolute(options.preset) : options.preset])
    try put(.presetIdentity, [results.preset])
    try put(.plugins, [results.plugins])
    try put(.onExists, [options.onExists.rawValue])
    try put(.strict, ["\(options.strict)"])
    try put(.keepsAttributes, ["\(options.keepsAttributes)"])
  }

  private enum Key: String {
    case inputs, output, preset, presetIdentity, plugins, onExists, strict, keepsAttributes
  }

  /// Adds a file.
  ///
  /// Throws `io`.
  func add(_ file: BatchFile) throws(MediaError) {
    unwritten.append(file)
    if unwritten.count >= Self.slice { try flush() }
  }

  private func flush() throws(MediaError) {
    do throws(Database.Failure) {
      let insert = try database.statement("INSERT INTO files VALUES(?, ?, ?, ?)")
      try database.transaction { () throws(Database.Failure) in
        for file in unwritten {
          try insert.run([
            .integer(Int64(file.number)), .bytes(Array(file.plan.action.rawValue.utf8)),
            .real(file.plan.cost), .bytes(file.absolute.line.dropLast()),
          ])
        }
      }
    } catch {
      throw MediaError(.io, "the plan cannot be written: \(error.message)", file: path)
    }
    unwritten = []
  }

  /// Writes the rest and gives the file its name.
  ///
  /// Throws `io`.
  func complete() throws(MediaError) {
    try flush()
    try pending?.complete(replacing: true)
  }

  /// Removes a plan that is not complete.
  func discard() { pending?.discard() }

  // MARK: Reading

  /// Opens a plan.
  ///
  /// Throws `malformed` if the file is no plan of this version, and `io` if it cannot be read.
  public static func open(_ path: String) throws(MediaError) -> PlanFile {
    guard fileExists(path) else { throw MediaError(.io, "there is no such plan", file: path) }
    do throws(Database.Failure) {
      let database = try Database(path, writing: false, immutable: true)
      var (identifier, version) = (Int64(0), Int64(0))
      try database.statement("PRAGMA application_id").run([]) { identifier = $0.integer(0) }
      try database.statement("PRAGMA user_version").run([]) { version = $0.integer(0) }
      guard identifier == applicationID, version == Self.version else {
        throw Database.Failure.otherFormat
      }
      return PlanFile(path, database, nil)
    } catch {
      throw MediaError(
        error.isDamage ? .malformed : .io, "the plan cannot be read: \(error.message)", file: path)
    }
  }

  private func values(_ name: Key) throws(MediaError) -> [String] {
    var values: [String] = []
    try reading { database throws(Database.Failure) in
      try database.statement("SELECT value FROM batch WHERE name = ? ORDER BY position")
        .run([.bytes(Array(name.rawValue.utf8))]) { values.append($0.text(0)) }
    }
    return values
  }

  private func value(_ name: Key) throws(MediaError) -> String {
    guard let value = try values(name).first else {
      throw MediaError(.malformed, "the plan lacks \(name.rawValue)", file: path)
    }
    return value
  }

  private func reading(_ body: (Database) throws(Database.Failure) -> Void) throws(MediaError) {
    do throws(Database.Failure) { try body(database) } catch {
      throw MediaError(
        error.isDamage ? .malformed : .io, "the plan cannot be read: \(error.message)", file: path)
    }
  }

  /// Returns the options of the batch that was planned.
  ///
  /// Throws `malformed` and `io`.
  public func options() throws(MediaError) -> BatchOptions {
    var options = BatchOptions(
      inputs: try values(.inputs), output: try value(.output), preset: try value(.preset))
    guard let onExists = BatchOptions.OnExists(rawValue: try value(.onExists)),
      let strict = Bool(try value(.strict)),
      let keepsAttributes = Bool(try value(.keepsAttributes))
    else { throw MediaError(.malformed, "the plan has unknown options", file: path) }
    (options.onExists, options.strict) = (onExists, strict)
    options.keepsAttributes = keepsAttributes
    options.plan = path
    return options
  }

  /// Throws `invalidArgument` unless preset and plugins are those of the plan.
  func check(_ results: BatchResults, preset: String) throws(MediaError) {
    guard try value(.presetIdentity) == results.preset else {
      throw MediaError(
        .invalidArgument, "the preset \(preset) has changed since the plan was made; plan again",
        file: path)
    }
    if let change = PluginVersions.change(of: try value(.plugins), to: results.versions) {
      throw MediaError(
        .invalidArgument, "since the plan was made, \(change); plan again", file: path)
    }
  }

  /// Returns the next files, at most `count`; none at the end.
  ///
  /// Throws `malformed` and `io`.
  func next(_ count: Int) throws(MediaError) -> [BatchFile] {
    var (files, isWhole, last) = ([BatchFile](), true, self.last)
    try reading { database throws(Database.Failure) in
      try database.statement(
        "SELECT number, file FROM files WHERE number > ? ORDER BY number LIMIT ?"
      )
      .run([.integer(last), .integer(Int64(count))]) { row in
        last = row.integer(0)
        if let file = BatchFile(line: row.bytes(1)) { files.append(file) } else { isWhole = false }
      }
    }
    guard isWhole else {
      throw MediaError(.malformed, "the plan has a file that cannot be read", file: path)
    }
    self.last = last
    return files
  }
}
