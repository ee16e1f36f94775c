import RespoolHost
import RespoolMedia

extension LedgerEntry {
  /// Reads an entry from a row with the columns of the ledger's queries, in their order.
  init(_ row: borrowing SQLRow) {
    func mark(_ changed: Int32, _ samples: Int32) -> ContentMark? {
      row.isNull(samples) || row.isNull(changed)
        ? nil : ContentMark(changed: row.integer(changed), samples: row.bytes(samples))
    }
    self.init(
      source: PathName.join(row.text(0), row.text(1)),
      sourceStamp: FileStamp(size: row.integer(2), modified: row.integer(3)),
      inode: row.integer(4), sourceMark: mark(5, 6), preset: row.text(7), plugins: row.text(8),
      attempts: row.integer(9), result: Result(rawValue: row.integer(10)) ?? .failed,
      reason: row.isNull(11) ? nil : row.text(11),
      losses: row.isNull(12)
        ? [] : row.text(12).split(separator: "\n").map(String.init),
      isIncomplete: row.integer(13) != 0,
      seconds: row.real(14))
    replaced = ReplacedFile.State(rawValue: row.integer(22)).map { state in
      ReplacedFile(
        state: state,
        kept: row.isNull(23)
          ? nil : PathName.join(row.text(23), row.text(row.isNull(24) ? 1 : 24)),
        temporary: row.isNull(25) ? nil : row.text(25))
    }
    guard !row.isNull(16) else {
      rejectedSize = row.isNull(17) ? nil : row.integer(17)
      return
    }
    let made = Output(
      name: PathName.join(row.text(15), row.text(16)),
      stamp: FileStamp(size: row.integer(17), modified: row.integer(18)), mark: mark(19, 20),
      isPublished: row.integer(21) == 1, isNew: row.integer(21) == 2)
    switch result {
    case .converted, .copied: output = made
    case .skipped, .failed: formerOutput = made
    }
  }
  /// A value of a row; a text is stored once in the table of words.
  enum Cell {
    case value(SQLValue)
    case text(String)

    init(_ text: String?) { self = text.map { .text($0) } ?? .value(.null) }

    static func integer(_ value: Int64?) -> Cell { .value(SQLValue(value)) }
    static func name(_ path: String) -> Cell { .value(.bytes(PathName.bytes(PathName.last(path)))) }

    static func mark(_ mark: ContentMark?) -> Cell {
      .value(mark.map { .bytes($0.samples) } ?? .null)
    }

    /// The value as the queries return it.
    fileprivate var content: SQLValue {
      switch self {
      case .value(let value): value
      case .text(let text): .bytes(PathName.bytes(text))
      }
    }
  }

  /// The values of the entry's row, in the order of the columns.
  var cells: [Cell] {
    let losses = losses.joined(separator: "\n")
    return [
      .text(PathName.folder(source)), .name(source), .integer(sourceStamp.size),
      .integer(sourceStamp.modified), .integer(inode), .integer(sourceMark?.changed),
      .mark(sourceMark), .text(preset), .text(plugins), .integer(attempts),
      .integer(result.rawValue), Cell(reason), Cell(losses.isEmpty ? nil : losses),
      .integer(isIncomplete ? 1 : 0), .value(.real(seconds)),
    ] + outputCells + replacedCells
  }

  private var outputCells: [Cell] {
    guard let made = knownOutput else {
      return [.value(.null), .value(.null), .integer(rejectedSize)]
        + Array(repeating: .value(.null), count: 4)
    }
    return [
      .text(PathName.folder(made.name)), .name(made.name), .integer(made.stamp.size),
      .integer(made.stamp.modified), .integer(made.mark?.changed), .mark(made.mark),
      .integer(made.isPublished ? 1 : made.isNew ? 2 : 0),
    ]
  }

  private var replacedCells: [Cell] {
    guard let replaced else { return Array(repeating: .value(.null), count: 4) }
    let name = replaced.kept.map(Cell.name)
    // An original usually keeps the name of its source.
    let hasOtherName = replaced.kept.map {
      PathName.bytes(PathName.last($0)) != PathName.bytes(PathName.last(source))
    }
    return [
      .integer(replaced.state.rawValue), Cell(replaced.kept.map(PathName.folder)),
      hasOtherName == true ? name ?? .value(.null) : .value(.null),
      replaced.temporary.map { .value(.bytes(PathName.bytes($0))) } ?? .value(.null),
    ]
  }

  // MARK: Sums

  /// Columns of the queries that follow those of the entry: its number and its sum.
  static let (numberColumn, sumColumn): (Int32, Int32) = (26, 27)
  /// Columns that change when an output gets its name: its time of change, and whether it has the name.
  private static let changingColumns: Set<Int32> = [19, 21]

  /// The sum over all that stays of the entry, by which a damaged one is recognised.
  var sum: Int64 {
    let cells = cells
    return Self.sum { cells[Int($0)].content }
  }

  /// Returns `false` if a row is not as it was written; rows of ledgers before version 5 are not checked.
  static func isWhole(_ row: borrowing SQLRow) -> Bool {
    row.isNull(sumColumn) || sum { row.value($0) } == row.integer(sumColumn)
  }

  private static func sum(of value: (Int32) -> SQLValue) -> Int64 {
    var bytes: [UInt8] = []
    func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    for column in 0..<numberColumn where !changingColumns.contains(column) {
      switch value(column) {
      case .null: bytes.append(0)
      case .integer(let value):
        bytes.append(1)
        add(value)
      case .real(let value):
        bytes.append(2)
        add(Int64(bitPattern: value.bitPattern))
      case .bytes(let value):
        bytes.append(3)
        add(Int64(value.count))
        bytes += value
      }
    }
    let sum = bytes.withUnsafeBytes { checksum($0) }
    // Four bytes are enough, and a ledger has a row for each of a million files.
    return Int64(Int32(truncatingIfNeeded: sum ^ sum >> 32))
  }
}
