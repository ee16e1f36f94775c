import RespoolMedia

/// Hashes of what a plan has, by which damage is noticed before a file is left out or written elsewhere.
///
/// SQLite does not notice changed bytes in values. There is a hash for each part of the plan, so that a machine reads only
/// the parts that it converts, one for the files that are left out, one for
/// outputs that get other names, and one for the options and the division into parts.
extension PlanFile {
  static let sealTable = "CREATE TABLE seals(part INTEGER PRIMARY KEY, hash BLOB NOT NULL);"

  /// Parts of a plan that have hashes.
  enum Sealed: Hashable {
    case head, leftOut, moves, part(Int)

    fileprivate var number: Int64 {
      switch self {
      case .head: -2
      case .leftOut: -1
      case .moves: -3
      case .part(let number): Int64(number)
      }
    }

    fileprivate var name: String {
      switch self {
      case .head: "its options or parts"
      case .leftOut: "the files that it leaves out"
      case .moves: "the outputs that get other names"
      case .part(let number): "part \(number + 1)"
      }
    }
  }

  /// Hash of rows of files, in their order.
  struct RowHash {
    private var hash = MD5()

    mutating func add(_ number: Int64, action: [UInt8], file: [UInt8]) {
      withUnsafeBytes(of: number.littleEndian) { hash.update($0) }
      action.withUnsafeBytes { hash.update($0) }
      file.withUnsafeBytes { hash.update($0) }
    }

    mutating func end() -> [UInt8] { hash.finalize() }
  }

  /// Writes the hashes of a plan that has all of its rows.
  func seal(_ parts: [PlanPart]) throws(Database.Failure) {
    let insert = try database.statement("INSERT INTO seals VALUES(?, ?)")
    func write(_ sealed: Sealed, _ hash: [UInt8]) throws(Database.Failure) {
      try insert.run([.integer(sealed.number), .bytes(hash)])
    }
    try database.transaction { () throws(Database.Failure) in
      try write(.head, headHash())
      try write(.leftOut, hash(where: Self.isLeftOut, []))
      try write(.moves, hash(where: Self.isMove, []))
      for part in parts {
        try write(
          .part(part.number),
          hash(where: Self.isInPart, [.integer(part.first), .integer(part.last)]))
      }
    }
  }

  private func hash(where condition: String, _ values: [SQLValue]) throws(Database.Failure)
    -> [UInt8]
  {
    var hash = RowHash()
    try database.statement(
      "SELECT number, action, file FROM files WHERE \(condition) ORDER BY number"
    ).run(values) { row in
      hash.add(row.integer(0), action: row.bytes(1), file: row.bytes(2))
    }
    return hash.end()
  }

  /// Hash of the options and of the division into parts.
  private func headHash() throws(Database.Failure) -> [UInt8] {
    var hash = RowHash()
    try database.statement("SELECT name, position, value FROM batch ORDER BY name, position")
      .run([]) { hash.add($0.integer(1), action: $0.bytes(0), file: $0.bytes(2)) }
    try database.statement("SELECT number, first, last, files, work FROM parts ORDER BY number")
      .run([]) { row in
        let values =
          (0..<4).map { UInt64(bitPattern: row.integer($0)) } + [row.real(4).bitPattern]
        hash.add(
          row.integer(0), action: [],
          file: values.flatMap { value in withUnsafeBytes(of: value.littleEndian, Array.init) })
      }
    return hash.end()
  }

  /// Throws `malformed` unless options and parts are those that were written.
  func checkHead() throws(MediaError) {
    var found: [UInt8] = []
    try reading { (_: Database) throws(Database.Failure) in found = try headHash() }
    try check(found, of: .head)
  }

  /// Throws `malformed` unless a plan has all that was written.
  func checkAll() throws(MediaError) {
    try checkHead()
    try eachLeftOut { _ in }
    try checkMoves()
    for part in try parts() { _ = try files(of: part) }
  }

  /// Throws `malformed` unless a hash is the one that was written.
  func check(_ hash: [UInt8], of sealed: Sealed) throws(MediaError) {
    var written: [UInt8]?
    try reading { database throws(Database.Failure) in
      try database.statement("SELECT hash FROM seals WHERE part = ?")
        .run([.integer(sealed.number)]) { written = $0.bytes(0) }
    }
    guard written == hash else {
      throw MediaError(
        .malformed, "the plan is damaged: \(sealed.name) changed since it was made; plan again",
        file: path)
    }
  }
}
