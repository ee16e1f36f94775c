import RespoolMedia

/// The entry of an output that is about to get its name, until it has the name.
extension OutputFolder {
  /// Returns the entries that the ledger loses when an entry is put into it.
  func entries(displacedBy entry: LedgerEntry) -> [LedgerEntry] {
    let former = self.entry(ofSource: entry.source, preset: entry.preset)
    // The files of a plan have different outputs.
    guard !hasOwnLedger, let name = entry.output?.name, let other = self.entry(ofOutput: name),
      other.source != entry.source || other.preset != entry.preset
    else { return [former].compactMap(\.self) }
    return [former, other].compactMap(\.self)
  }

  /// Removes an entry whose output did not get its name, and puts back those that it has displaced.
  ///
  /// Otherwise the ledger would have a conversion without an output.
  func takeBack(_ entry: LedgerEntry, puttingBack displaced: [LedgerEntry]) {
    together {
      forget(entry)
      for entry in displaced { put(entry) }
    }
  }
}
