import Glibc
import Respool
import RespoolHost
public import RespoolMedia

/// A plan of a batch in a file: `respool plan` writes it, and `respool batch --from-plan` does exactly that.
///
/// It is an SQLite database. Paths are absolute, so that the plan does not depend on the current folder. Its files are
/// divided into parts, which several machines can take (`respool work`).
public final class PlanFile {
  /// Number in the header of the file by which tools recognise the format (`PRAGMA application_id`): "RspP".
  private static let applicationID: Int64 = 0x5273_7050
  /// Version of the tables (`PRAGMA user_version`).
  private static let version: Int64 = 5
  /// Number of files that are written together.
  private static let slice = 1000

  private static let schema = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    CREATE TABLE batch(name TEXT NOT NULL, position INTEGER NOT NULL, value BLOB NOT NULL);
    CREATE TABLE files(
      number INTEGER PRIMARY KEY, action TEXT NOT NULL, work REAL NOT NULL, file BLOB NOT NULL);
    CREATE TABLE parts(
      number INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, files INTEGER NOT NULL,
      work REAL NOT NULL);
    \(sealTable)
    """

  let path: String
  let database: Database
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
  /// Throws `io` if it cannot be created, and `invalidArgument` if a file of that name is no plan, or is one that is needed to
  /// work or to collect its results.
  static func create(
    _ path: String, _ options: BatchOptions, _ results: BatchResults, programs: [ProgramIdentity]
  ) throws(MediaError) -> PlanFile {
    if fileExists(path) {
      let former: PlanFile?
      do throws(MediaError) { former = try PlanFile.open(path) } catch {
        // A plan of another version is replaced, too.
        guard error.code == .unsupported else {
          throw MediaError(
            .invalidArgument, "the file exists and is no plan; choose another name", file: path)
        }
        former = nil
      }
      try former?.checkUse()
    }
    guard fileExists(PathName.folder(path)) else {
      throw MediaError(.io, "there is no such folder for the plan", file: PathName.folder(path))
    }
    // A killed process may have left a part of its plan.
    PendingFile.removeAbandoned(in: PathName.folder(path))
    let pending = PendingFile(for: path)
    do throws(Database.Failure) {
      let database = try Database(pending.path, writing: true, creating: true)
      let plan = PlanFile(path, database, pending)
      try database.execute(schema)
      try plan.write(options, results, programs)
      return plan
    } catch {
      pending.discard()
      throw MediaError(.io, "the plan cannot be written: \(error.message)", file: path)
    }
  }

  /// Throws `invalidArgument` if processes are working on the plan, or their results are not collected.
  private func checkUse() throws(MediaError) {
    let folder = FleetFolder(try identifier(), output: try options().output)
    for run in folder.runNames() where !folder.isCollected(run) {
      let isRunning = FleetStatus.Run(run, in: folder)?.isRunning ?? false
      guard isRunning || fileExists(folder.ledgerPath(of: run)) else { continue }
      throw MediaError(
        .invalidArgument,
        (isRunning
          ? "the file is a plan on which processes are working"
          : "the file is a plan whose results are not in the ledger of its output folder yet; respool collect puts them there")
          + "; choose another name, or remove the file to give up what it is needed for", file: path
      )
    }
  }

  private func write(
    _ options: BatchOptions, _ results: BatchResults, _ programs: [ProgramIdentity]
  ) throws(Database.Failure) {
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
    try put(.verification, [options.extentOfCheck.rawValue])
    try put(.threads, ["\(options.threadsOfPlan)"])
    try put(.identifier, [String(UInt64.random(in: 0 ... .max), radix: 36)])
    try put(.programs, programs.map(\.text))
  }

  private enum Key: String {
    case inputs, output, preset, presetIdentity, plugins, onExists, strict, keepsAttributes,
      verification, threads, identifier, programs
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
            .integer(Int64(file.number)), .bytes(Array(Self.action(of: file).utf8)),
            .real(PlanPart.work(of: file)),
            .bytes(file.absolute.line.dropLast()),
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
    do throws(Database.Failure) { try divide() } catch {
      throw MediaError(.io, "the plan cannot be written: \(error.message)", file: path)
    }
    try pending?.complete(replacing: true)
  }

  /// Divides the files that are to be converted or copied into parts.
  private func divide() throws(Database.Failure) {
    var (count, work) = (Int64(0), 0.0)
    try database.statement("SELECT count(*), total(work) FROM files WHERE \(Self.isToConvert)")
      .run([]) { (count, work) = ($0.integer(0), $0.real(1)) }
    var division = PlanDivision(files: Int(count), work: work)
    try database.statement(
      "SELECT number, work FROM files WHERE \(Self.isToConvert) ORDER BY number"
    ).run([]) { division.add($0.integer(0), work: $0.real(1)) }
    division.close()
    let insert = try database.statement("INSERT INTO parts VALUES(?, ?, ?, ?, ?)")
    try database.transaction { () throws(Database.Failure) in
      for part in division.parts {
        try insert.run([
          .integer(Int64(part.number)), .integer(part.first), .integer(part.last),
          .integer(Int64(part.files)), .real(part.work),
        ])
      }
    }
    try seal(division.parts)
  }

  /// Action of a file whose output only gets another name.
  private static let move = "move"

  private static func action(of file: BatchFile) -> String {
    file.formerOutputName == nil ? file.plan.action.rawValue : move
  }

  /// Condition for the rows of files whose outputs only get other names.
  static let isMove = "action = CAST('\(move)' AS BLOB)"

  /// Condition for the rows of files that are left out.
  static let isLeftOut = "NOT \(isToConvert) AND NOT \(isMove)"

  /// Condition for the rows of files that are to be converted or copied; texts are stored as bytes.
  static let isToConvert = "action IN (CAST('convert' AS BLOB), CAST('copy' AS BLOB))"

  /// Condition for the rows of a part, with the numbers of its first and last file as values.
  static let isInPart = "number BETWEEN ? AND ? AND \(isToConvert)"

  /// Removes a plan that is not complete.
  func discard() { pending?.discard() }

  // MARK: Reading

  /// Returns `true` if a path is that of a file, which may be a plan, and not of a folder.
  public static func isFile(_ path: String) -> Bool {
    var status = stat()
    return PathName.withSystemPath(path) { stat($0, &status) } == 0
      && status.st_mode & S_IFMT == S_IFREG
  }

  /// Opens a plan.
  ///
  /// Throws `malformed` if the file is no plan or its options are damaged, `unsupported` if it is a plan of another version,
  /// and `io` if it cannot be read.
  public static func open(_ path: String) throws(MediaError) -> PlanFile {
    var status = stat()
    guard PathName.withSystemPath(path, { stat($0, &status) }) == 0 else {
      throw MediaError(.io, "there is no such plan", file: path)
    }
    // A pipe would be waited for.
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw MediaError(.invalidArgument, "a plan is a file, and this is none", file: path)
    }
    let plan: PlanFile
    var (identifier, version) = (Int64(0), Int64(0))
    do throws(Database.Failure) {
      let database = try Database(path, writing: false, immutable: true)
      try database.statement("PRAGMA application_id").run([]) { identifier = $0.integer(0) }
      try database.statement("PRAGMA user_version").run([]) { version = $0.integer(0) }
      guard identifier == applicationID else { throw Database.Failure.otherFormat }
      plan = PlanFile(path, database, nil)
    } catch {
      throw MediaError(
        error.isDamage ? .malformed : .io, "the plan cannot be read: \(error.message)", file: path)
    }
    guard version == Self.version else {
      throw MediaError(
        .unsupported, "the plan was made by another version of respool; plan again", file: path)
    }
    try plan.checkHead()
    return plan
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

  func reading(_ body: (Database) throws(Database.Failure) -> Void) throws(MediaError) {
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
      let keepsAttributes = Bool(try value(.keepsAttributes)),
      let verification = OutputVerification(rawValue: try value(.verification)),
      let threads = Int(try value(.threads))
    else { throw MediaError(.malformed, "the plan has unknown options", file: path) }
    (options.onExists, options.strict) = (onExists, strict)
    (options.keepsAttributes, options.verification) = (keepsAttributes, verification)
    options.threads = threads
    options.plan = path
    return options
  }

  /// Name of the plan, which no other one has.
  func identifier() throws(MediaError) -> String { try value(.identifier) }

  /// Identity of the preset's content.
  func presetIdentity() throws(MediaError) -> String { try value(.presetIdentity) }

  /// All plugins with their versions, as ``PluginVersions`` has them.
  func plugins() throws(MediaError) -> String { try value(.plugins) }

  /// Identities of the program and of its plugins when the plan was made.
  func programs() throws(MediaError) -> [ProgramIdentity] {
    try values(.programs).compactMap(ProgramIdentity.init)
  }

  /// Throws `invalidArgument` unless program, plugins and preset are those of the plan, byte for byte.
  ///
  /// `identity` is that of the preset's content.
  func check(_ here: [ProgramIdentity], preset identity: String) throws(MediaError) {
    let machine = machineName()
    if let difference = ProgramIdentity.difference(of: here, from: try programs(), on: machine) {
      throw MediaError(.invalidArgument, difference, file: path)
    }
    let planned = try value(.presetIdentity)
    guard planned == identity else {
      throw MediaError(
        .invalidArgument,
        "the preset \(try value(.preset)) has another content on \(machine) (\(identity.prefix(8))) "
          + "than the one with which the plan was made (\(planned.prefix(8)))", file: path)
    }
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

  /// Returns the files of a part.
  ///
  /// Throws `malformed` and `io`.
  func files(of part: PlanPart) throws(MediaError) -> [BatchFile] {
    var hash = RowHash()
    let files = try files(
      Self.isInPart, [.integer(part.first), .integer(part.last)], hash: &hash)
    try check(hash.end(), of: .part(part.number))
    return files
  }

  /// Calls `body` with each file that is left out.
  ///
  /// Throws `malformed` and `io`.
  func eachLeftOut(_ body: (BatchFile) -> Void) throws(MediaError) {
    var (last, hash) = (Int64(-1), RowHash())
    while true {
      let some = try files(
        "number > ? AND \(Self.isLeftOut)", [.integer(last)], limit: Self.slice, hash: &hash)
      guard let end = some.last else { return try check(hash.end(), of: .leftOut) }
      for file in some { body(file) }
      last = Int64(end.number)
    }
  }

  /// `true` if outputs are to get other names.
  ///
  /// Throws `malformed` and `io`.
  func hasMoves() throws(MediaError) -> Bool {
    var hash = RowHash()
    return try !files(Self.isMove, [], limit: 1, hash: &hash).isEmpty
  }

  /// Returns the next files whose outputs only get other names.
  ///
  /// `last` is the number of the file before them. Throws `malformed` and `io`.
  func moves(after last: Int64) throws(MediaError) -> [BatchFile] {
    var hash = RowHash()
    return try moves(after: last, hash: &hash)
  }

  /// Throws `malformed` unless all files whose outputs only get other names are those that were written.
  func checkMoves() throws(MediaError) {
    var (last, hash) = (Int64(-1), RowHash())
    while let end = try moves(after: last, hash: &hash).last { last = Int64(end.number) }
    try check(hash.end(), of: .moves)
  }

  private func moves(after last: Int64, hash: inout RowHash) throws(MediaError) -> [BatchFile] {
    try files("number > ? AND \(Self.isMove)", [.integer(last)], limit: Self.slice, hash: &hash)
  }

  /// Returns the files of rows, and adds the rows to `hash`.
  private func files(
    _ condition: String, _ values: [SQLValue], limit: Int = -1, hash: inout RowHash
  ) throws(MediaError) -> [BatchFile] {
    var (files, isWhole) = ([BatchFile](), true)
    try reading { database throws(Database.Failure) in
      try database.statement(
        "SELECT number, action, file FROM files WHERE \(condition) ORDER BY number LIMIT \(limit)"
      ).run(values) { row in
        let bytes = row.bytes(2)
        hash.add(row.integer(0), action: row.bytes(1), file: bytes)
        if let file = BatchFile(line: bytes), Int64(file.number) == row.integer(0) {
          files.append(file)
        } else {
          isWhole = false
        }
      }
    }
    guard isWhole else {
      throw MediaError(.malformed, "the plan has a file that cannot be read", file: path)
    }
    return files
  }

  /// Returns the parts, in the order of their files.
  ///
  /// Throws `malformed` and `io`.
  func parts() throws(MediaError) -> [PlanPart] {
    var parts: [PlanPart] = []
    try reading { database throws(Database.Failure) in
      try database.statement("SELECT number, first, last, files, work FROM parts ORDER BY number")
        .run([]) { row in
          parts.append(
            PlanPart(
              number: Int(row.integer(0)), first: row.integer(1), last: row.integer(2),
              files: Int(row.integer(3)), work: row.real(4)))
        }
    }
    return parts
  }

  /// Returns the number of files with each action.
  ///
  /// Throws `malformed` and `io`.
  func counts() throws(MediaError) -> [FilePlan.Action: Int] {
    var counts: [FilePlan.Action: Int] = [:]
    try reading { database throws(Database.Failure) in
      try database.statement("SELECT action, count(*) FROM files GROUP BY action").run([]) { row in
        let text = row.text(0)
        if let action = text == Self.move ? .skip : FilePlan.Action(rawValue: text) {
          counts[action, default: 0] += Int(row.integer(1))
        }
      }
    }
    return counts
  }
}

extension PlanFile: PlanSupply {
  func next(_ count: Int) throws(MediaError) -> SuppliedFiles {
    var hash = RowHash()
    if last < 0 { try checkAll() }
    let files = try files(
      "number > ? AND NOT \(Self.isMove)", [.integer(last)], limit: count, hash: &hash)
    guard let end = files.last else { return .end }
    last = Int64(end.number)
    return .files(files)
  }
}
