import RespoolHost
import RespoolMedia

/// Replacements that the user has moved or renamed since the last batch, as the files of the folder show.
struct RenamedReplacements {
  private let folder: OutputFolder

  init(_ folder: OutputFolder) { self.folder = folder }

  /// Returns the entries with the present names of their replacements, which the ledger gets too.
  ///
  /// Looks for files with the size and the samples of replacements that are missing.
  func find(_ entries: [LedgerEntry]) -> [LedgerEntry] {
    var entries = entries
    var missing: [Int64: [Int]] = [:]
    for (index, entry) in entries.enumerated() {
      guard let output = entry.output, entry.replaced?.temporary == nil,
        !fileExists(PathName.join(folder.path, output.name))
      else { continue }
      missing[output.stamp.size, default: []].append(index)
    }
    guard !missing.isEmpty else { return entries }
    var walker = Walker([folder.path], excluding: nil, followsLinks: false, isReplacing: true)
    while let group = walker.next() {
      for file in group.files {
        guard let candidates = missing[file.size], folder.entry(ofOutput: file.relative) == nil,
          let found = candidates.first(where: {
            entries[$0].output?.mark?.matches(file.path, changed: file.changed) ?? false
          })
        else { continue }
        missing[file.size]?.removeAll { $0 == found }
        entries[found].output?.name = file.relative
        entries[found].output?.mark?.changed = file.changed
        folder.put(entries[found])
      }
    }
    return entries
  }
}
