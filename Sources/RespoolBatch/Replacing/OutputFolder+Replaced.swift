import Glibc
import RespoolHost
import RespoolMedia

/// Knowledge of a batch that replaces its sources: its own outputs are among them.
extension OutputFolder {
  /// Returns what the ledger knows of a file that may be a source or an output; `nil` if there is work.
  ///
  /// `plugins` is the text of all plugins. `retriesFailed` is `true` if the user wants another attempt, and
  /// `convertsChanged` if replacements are sources again after they were changed.
  func replacementFinding(
    for file: BatchFile, _ rules: Replacement, preset: String, plugins: String,
    retriesFailed: Bool, convertsChanged: Bool
  ) -> LedgerFinding? {
    if let made = madeEntry(of: file) {
      return made.preset == preset
        ? .finished(file.relative, incomplete: nil) : .skipped(Self.reason(toKeep: made))
    }
    if !convertsChanged, let made = entry(ofOutput: file.relative),
      made.replaced?.state == .replaced
    {
      return .skipped(
        "a batch has put it in place of \(PathName.last(made.source)), and it has been changed since; --on-exists "
          + "replace converts it again")
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

  /// Returns the reason why a link leads nowhere if its file was replaced by one with another name; `nil` otherwise.
  func reasonOfBrokenLink(_ path: String) -> String? {
    guard let target = PathName.linkTarget(path) else { return nil }
    let source = PathName.absolute(
      target.hasPrefix("/")
        ? target : PathName.join(PathName.folder(PathName.absolute(path)), target))
    guard
      let output = replacements(ofSource: source).lazy.compactMap({ $0.output })
        .first(where: { fileExists(PathName.join(self.path, $0.name)) })
    else { return nil }
    return "a link to \(target), which a batch has replaced by \(PathName.last(output.name))"
  }

  /// Returns the entry of a replacement that was moved or copied to the file's path.
  private func movedEntry(of file: BatchFile) -> LedgerEntry? {
    let found = replacements(size: file.size).filter {
      $0.output?.mark?.matches(file.path, changed: file.changed) ?? false
    }
    guard entry(ofOutput: file.relative) == nil,
      var entry = found.first(where: { $0.output.map { !isInPlace($0) } ?? false })
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

  /// Makes room for an entry whose source is that of a renamed replacement, whose original would be forgotten.
  ///
  /// The replacement gets a source of its own. Returns `false` if that is not possible, so that the entry must not be
  /// stored.
  func makeRoom(for new: LedgerEntry) -> Bool {
    guard var old = entry(ofSource: new.source, preset: new.preset), let output = old.output,
      let kept = old.replaced?.kept,
      old.replaced?.state == .replaced || old.replaced?.state == .superseded,
      new.replaced == nil
        || new.replaced?.kept != kept
          && new.output.map({ PathKey($0.name) }) != PathKey(output.name)
    else { return true }
    let source = sourceNamed(like: output, of: old)
    guard PathKey(source) != PathKey(new.source) else { return new.replaced != nil }
    forget(old)
    old.source = source
    put(old)
    return true
  }

  /// Keeps the original of a changed replacement known, which is about to be replaced itself.
  ///
  /// Its entry gets the name of an output that does not exist, because another entry gets its own. Returns the name
  /// that the original has after it is restored; `nil` if none is kept.
  func supersede(_ entry: LedgerEntry) -> String? {
    guard let output = entry.output, entry.replaced?.state == .replaced,
      let kept = entry.replaced?.kept, fileExists(kept)
    else { return nil }
    var new = entry
    new.replaced?.state = .superseded
    let path = PathName.absolute(PathName.join(path, output.name))
    if PathKey(PathName.join(PathName.folder(path), PathName.last(entry.source))) == PathKey(path) {
      let name = freeName(like: output.name, adding: "original") {
        fileExists(PathName.join(self.path, $0)) || self.entry(ofOutput: $0) != nil
      }
      new.output?.name = name
      new.source = PathName.absolute(PathName.join(self.path, name))
    } else {
      new.output?.name = nameOfMissing(output.name)
    }
    var isStored = false
    together {
      forget(entry)
      isStored = put(new)
      if !isStored { put(entry) }
    }
    return isStored ? PathName.last(new.source) : nil
  }

  /// Takes back that a replacement was superseded by one that failed.
  func reinstate(_ entry: LedgerEntry?) {
    guard let entry, let kept = entry.replaced?.kept,
      let new = keptOriginals().first(where: {
        $0.replaced == ReplacedFile(state: .superseded, kept: kept)
      })
    else { return }
    together {
      forget(new)
      put(entry)
    }
  }

  /// Returns the path beside a renamed output that its source gets: with the same name before the extension.
  func sourceNamed(like output: LedgerEntry.Output, of entry: LedgerEntry) -> String {
    let kind = PathName.splitExtension(PathName.last(entry.source)).extension
    let stem = PathName.splitExtension(PathName.last(output.name)).stem
    let parent = PathName.folder(PathName.absolute(PathName.join(path, output.name)))
    return PathName.join(parent, kind.isEmpty ? stem : "\(stem).\(kind)")
  }
}
