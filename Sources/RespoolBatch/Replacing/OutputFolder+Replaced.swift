import Glibc
import RespoolHost
import RespoolMedia

/// Knowledge of a batch that replaces its sources: its own outputs are among them.
extension OutputFolder {
  /// Returns what the ledger knows of a file that may be a source or an output; `nil` if there is work.
  ///
  /// `plugins` is the text of all plugins. `retriesFailed` is `true` if the user wants another attempt.
  func replacementFinding(
    for file: BatchFile, _ rules: Replacement, preset: String, plugins: String, retriesFailed: Bool
  ) -> LedgerFinding? {
    if let made = madeEntry(of: file) {
      return made.preset == preset
        ? .finished(file.relative, incomplete: nil) : .skipped(Self.reason(toKeep: made))
    }
    var status = stat()
    if PathName.withSystemPath(file.path, { lstat($0, &status) }) == 0,
      let reason = rules.reasonToSkip(status)
    {
      return .skipped(reason)
    }
    guard let entry = entry(ofSource: PathName.absolute(file.path), preset: preset),
      entry.output == nil, isSame(file, entry)
    else { return nil }
    if entry.replaced?.state == .restored {
      return rules.retriesRestored ? nil : .remembered(entry)
    }
    guard entry.plugins == plugins else { return nil }
    if let size = entry.rejectedSize {
      var entry = entry
      // The user may accept another size now.
      entry.reason = rules.reasonToKeep(size: size, ofSource: entry.sourceStamp.size)
      return entry.reason == nil ? nil : .remembered(entry)
    }
    return entry.result == .skipped || !retriesFailed ? .remembered(entry) : nil
  }

  /// Returns the entry of a file that a batch has made and that has not changed since.
  private func madeEntry(of file: BatchFile) -> LedgerEntry? {
    if var entry = entry(ofOutput: file.relative), let output = entry.output,
      output.isPublished, output.stamp.size == file.size,
      output.mark?.matches(file.path, changed: file.changed)
        ?? (output.stamp.modified == file.modified)
    {
      if let mark = output.mark, mark.changed != file.changed {
        // A later batch need not read the samples again.
        entry.output?.mark?.changed = file.changed
        put(entry)
      }
      return entry
    }
    return movedEntry(of: file)
  }

  /// Returns the entry of a replacement that was moved or copied to the file's path.
  private func movedEntry(of file: BatchFile) -> LedgerEntry? {
    let found = replacements(size: file.size).filter {
      $0.output?.mark?.matches(file.path, changed: file.changed) ?? false
    }
    guard
      var entry = found.first(where: {
        !fileExists(PathName.join(path, $0.output?.name ?? ""))
      })
    else { return found.first }
    entry.output?.name = file.relative
    entry.output?.mark?.changed = file.changed
    put(entry)
    return entry
  }

  private static func reason(toKeep made: LedgerEntry) -> String {
    let origin = PathName.last(made.source)
    guard made.replaced?.state == .replaced else {
      return "a batch has made it from \(made.source) with another preset"
    }
    return
      "it was made from \(origin) with another preset, and would lose quality again; "
      + (made.replaced?.kept == nil
        ? "its original was removed" : "respool restore brings back its original")
  }
}
