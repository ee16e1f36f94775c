import RespoolMedia

extension Ledger {
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
    try read(try database.statement(replacedColumns + " WHERE " + condition), values) { entry, _ in
      entries.append(entry)
    }
    return entries
  }
}
