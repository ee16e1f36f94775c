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
}
