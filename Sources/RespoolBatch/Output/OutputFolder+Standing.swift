import Glibc
import Respool
import RespoolHost
import RespoolMedia

/// State of an existing file at an output's path.
enum OutputStanding: Equatable {
  /// The file is the output, and up to date.
  case finished
  /// The file is to be replaced, with the reason.
  case outdated(String)
  /// The file may be the user's own work, with the reason.
  ///
  /// It is not replaced unless the user requests it.
  case foreign(String)
  /// The file is the output of a source that is not at its place any more, with the reason.
  ///
  /// It may be the only copy, unless the source was found at another place.
  case orphaned(String)
  /// The file has to be examined: it is not in the ledger, or the ledger states another size or content.
  case unknown
}

/// Knowledge of a file that the ledger has before it is planned.
enum LedgerFinding {
  /// The output is up to date; its path below the output folder, and the reason why its source is incomplete.
  ///
  /// `incomplete` is `nil` if the source is whole.
  case finished(String, incomplete: String?)
  /// The source was moved, and the output has the name of its former place below the output folder.
  case moved(String)
  /// The file failed or was skipped, and the same would happen again.
  case remembered(LedgerEntry)
  /// The file is not to be converted, with the reason.
  case skipped(String)
}

extension OutputFolder {
  /// Returns what the ledger knows of a file; `nil` if there is work.
  ///
  /// `versions` are those of the plugins by name, and `plugins` is the text of all. `retriesFailed` is `true` if the
  /// user wants another attempt.
  func finding(
    for file: BatchFile, preset: String, versions: [String: String], plugins: String,
    strict: Bool, retriesFailed: Bool
  ) -> LedgerFinding? {
    guard let entry = entry(ofSource: PathName.absolute(file.path), preset: preset) else {
      return movedOutput(of: file, preset: preset, strict: strict).map { .moved($0) }
    }
    // The file may have the name of another one that was moved, or whose name it has exchanged.
    var moved: LedgerFinding? {
      movedOutput(of: file, preset: preset, strict: strict).map { .moved($0) }
    }
    guard let output = entry.output else {
      guard isSame(file, entry) else { return moved }
      if !session.isEmpty, entry.plugins == session { return .remembered(entry) }
      // Another plugin may be able to read the file.
      guard entry.result == .skipped || !retriesFailed, entry.plugins == plugins else {
        return moved
      }
      return .remembered(entry)
    }
    let standing = standing(
      of: file.named(output.name, in: path), entry, preset: preset, versions: versions,
      strict: strict, retriesFailed: retriesFailed)
    if standing == .finished {
      return .finished(output.name, incomplete: entry.isIncomplete ? entry.reason : nil)
    }
    // A batch may have been killed after the entry of the new name, and before the output got it, or after that.
    return output.isPublished && isSame(file, entry) && isOutput(output, at: output.name)
      ? nil : moved
  }

  /// Returns the path, below the folder, of an output whose source is now at the file's path.
  private func movedOutput(of file: BatchFile, preset: String, strict: Bool) -> String? {
    for entry in entries(like: file, preset: preset) {
      guard let output = entry.output, entry.isFinal,
        entry.replaced == nil,
        !strict || entry.isLossless, !hasSource(entry),
        entry.sourceMark?.matches(file.path, changed: file.changed) ?? false
      else { continue }
      if isOutput(output, at: output.name) { return output.name }
    }
    return nil
  }

  /// Returns entries of sources with the inode number, the size and the time of a file, also of uncollected results.
  private func entries(like file: BatchFile, preset: String) -> [LedgerEntry] {
    // A plan says which sources have moved.
    guard !hasOwnLedger else { return [] }
    let stamp = FileStamp(size: file.size, modified: file.modified)
    return entries(inode: file.inode, stamp, preset: preset)
      + (uncollected?.entries(inode: file.inode, stamp, preset: preset) ?? [])
  }

  /// Returns `true` if the source of an entry is still at its path.
  private func hasSource(_ entry: LedgerEntry) -> Bool {
    var status = stat()
    guard PathName.withSystemPath(entry.source, { lstat($0, &status) }) == 0 else {
      // A source that cannot be seen may be there.
      return errno != ENOENT && errno != ENOTDIR
    }
    return entry.sourceStamp.matches(FileStamp(status))
      && entry.sourceMark?.matches(entry.source, changed: status.changed) ?? true
  }

  /// Returns `true` if the file with a name is an output as it was made.
  func isOutput(_ output: LedgerEntry.Output, at name: String) -> Bool {
    var status = stat()
    let made = PathName.join(path, name)
    return PathName.withSystemPath(made, { lstat($0, &status) }) == 0
      && status.st_mode & S_IFMT == S_IFREG && output.stamp.matches(FileStamp(status))
      && output.mark?.matches(made, changed: status.changed) ?? false
  }

  /// Compares the existing file at a file's output path with the ledger.
  func standing(
    of file: BatchFile, preset: String, versions: [String: String], strict: Bool,
    retriesFailed: Bool
  ) -> OutputStanding {
    standing(
      of: file, entry(ofOutput: file.outputName), preset: preset, versions: versions,
      strict: strict, retriesFailed: retriesFailed)
  }

  /// Compares the existing file at a file's output path with the entry of the output.
  private func standing(
    of file: BatchFile, _ entry: LedgerEntry?, preset: String, versions: [String: String],
    strict: Bool, retriesFailed: Bool
  ) -> OutputStanding {
    var status = stat()
    guard PathName.withSystemPath(file.output, { stat($0, &status) }) == 0 else {
      return fileExists(file.output)
        ? .foreign("it is a broken link") : .outdated("the output was removed")
    }
    if let kind = status.specialKind { return .foreign("it is \(kind)") }
    let (known, isCurrent) = current(entry, named: file.outputName)
    guard status.st_size > 0 else {
      return known?.knownOutput == nil
        ? .foreign("it is empty and not in the ledger") : .outdated("the output is empty")
    }
    guard let entry = known, let output = entry.knownOutput else {
      if let source = sourceOfLink(file) { return .foreign("it leads to the output of \(source)") }
      return status.modified < file.modified
        ? .foreign("it is older than its source and not in the ledger") : .unknown
    }
    let isSame = isSame(file, entry)
    if let origin = otherOrigin(of: file, entry, isSame: isSame) {
      return !fileExists(entry.source) && isOutput(output, at: file.outputName)
        ? .orphaned(origin) : .foreign(origin)
    }
    // The preset that made a found output is unknown.
    if entry.isFound, isSame, entry.preset != preset { return .unknown }
    let reason =
      reason(
        toReplace: entry, isSame: isSame, preset: preset, strict: strict,
        retriesFailed: retriesFailed)
      ?? PluginVersions.change(of: entry.plugins, to: versions)
    if entry.isFound, let reason { return .foreign(reason) }
    let hasTime = output.stamp.matches(FileStamp(status))
    let isUntouched = isCurrent || !hasOtherContent(file, status, output)
    if !output.isPublished, !(hasTime && isUntouched) {
      guard output.isNew else {
        // Killed between the entry and the new name: this is the output that was to be replaced.
        return .outdated("a batch was stopped while it replaced the output")
      }
      // A power cut may leave the name on the disk and not the time, which is set after the content was written.
      return isUntouched && output.mark != nil
        ? .outdated("a batch was stopped while it gave the output its name")
        : .foreign("it got the name while the output was made")
    }
    if hasTime, isUntouched {
      guard reason == nil else { return reason.map(OutputStanding.outdated) ?? .finished }
      keepTimes(of: file, status, in: entry)
      return .finished
    }
    // A user who has changed the output may want to keep it.
    if let reason { return .foreign("\(reason), and the output has been changed since") }
    // A copy of the folder may have other times. Without samples, only an examination distinguishes it from a change.
    return isUntouched && output.mark != nil ? .finished : .unknown
  }

  /// Returns the source of the output that a link at a file's output path leads to; `nil` if there is none.
  private func sourceOfLink(_ file: BatchFile) -> String? {
    var status = stat()
    guard PathName.withSystemPath(file.output, { lstat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFLNK, let root = InputPaths.realPath(path),
      let target = InputPaths.realPath(file.output),
      target.starts(with: root + [UInt8(ascii: "/")])
    else { return nil }
    return source(ofOutput: PathName.text(Array(target[(root.count + 1)...])))
  }

  /// Returns the entry of the existing output with a name, also that of a process whose results were not collected.
  func currentEntry(ofOutput name: String) -> LedgerEntry? {
    current(entry(ofOutput: name), named: name).entry
  }

  /// Returns the entry of the ledger, or that of a process whose results were not collected if only that one has the
  /// existing output with a name.
  ///
  /// The second value is `true` if the ledger has that file.
  private func current(_ entry: LedgerEntry?, named name: String) -> (entry: LedgerEntry?, Bool) {
    let isCurrent = entry.map { hasOutput(of: $0) } ?? false
    return (isCurrent ? entry : uncollectedEntry(ofOutput: name) ?? entry, isCurrent)
  }

  /// Returns the result of a process that has worked on a plan and made the existing output with a name, and keeps it in
  /// the ledger; `nil` if there is none.
  private func uncollectedEntry(ofOutput name: String) -> LedgerEntry? {
    guard let uncollected,
      let found = uncollected.entry(ofOutput: name, where: { hasOutput(of: $0) })
    else { return nil }
    if uncollected.isWriting { put(found) }
    return found
  }

  /// Returns `true` if the output has another size than the ledger states, or other samples.
  func hasOtherContent(_ file: BatchFile) -> Bool {
    var status = stat()
    guard let output = entry(ofOutput: file.outputName)?.knownOutput,
      PathName.withSystemPath(file.output, { stat($0, &status) }) == 0
    else { return false }
    return hasOtherContent(file, status, output)
  }

  private func hasOtherContent(_ file: BatchFile, _ status: stat, _ output: LedgerEntry.Output)
    -> Bool
  {
    guard output.stamp.size == FileStamp(status).size else { return true }
    guard let mark = output.mark else { return false }
    return !mark.matches(file.output, changed: status.changed)
  }

  /// Returns a new result of a source as it follows the entry that the source has; `nil` if that one stays.
  ///
  /// The output of before stays known if the new result has none.
  func successor(_ new: LedgerEntry, of before: LedgerEntry?) -> LedgerEntry? {
    guard new.output == nil, let before else { return new }
    let isPassing = new.plugins == session
    // A replacement is recognized by its entry only, and so is a file that the user has restored.
    if before.replaced != nil, isPassing || before.output != nil { return nil }
    // A source that is gone, possibly renamed, says nothing of an output that was made of it before.
    // One that was renamed is found by the entries of both names.
    if isPassing, let output = before.output, fileExists(PathName.join(path, output.name)),
      before.sourceStamp == new.sourceStamp || !fileExists(new.source) || isRenamed(new)
    {
      return nil
    }
    var new = new
    if new.rejectedSize == nil { new.formerOutput = before.knownOutput }
    // Respool has not made that output, and must not replace it later either.
    if before.isFound, new.formerOutput != nil { new.attempts = 0 }
    return new
  }

  /// Returns `true` if an entry of this ledger is newer than a result that has never been in it.
  ///
  /// A plan makes no output again that the same plugins have made of the same preset. So an output that they made of the
  /// source as it is, where the result has none or not the one that is there, is that of a later batch.
  func isNewer(_ entry: LedgerEntry, than result: LedgerEntry) -> Bool {
    var status = stat()
    // The result of a file that may succeed another time names the work instead of plugins.
    guard [entry.plugins, session].contains(result.plugins), entry.output?.isPublished == true,
      PathName.withSystemPath(entry.source, { stat($0, &status) }) == 0,
      entry.sourceStamp.matches(FileStamp(status)), hasOutput(of: entry)
    else { return false }
    return result.output == nil || !hasOutput(of: result)
  }

  /// Returns `true` if the source of an entry has the content of the file.
  func isSame(_ file: BatchFile, _ entry: LedgerEntry) -> Bool {
    entry.sourceStamp.matches(FileStamp(size: file.size, modified: file.modified))
      && entry.sourceMark?.matches(file.path, changed: file.changed) ?? true
  }

  /// Returns `true` if the source of a new result is known by another name, and has an output.
  private func isRenamed(_ new: LedgerEntry) -> Bool {
    var status = stat()
    guard PathName.withSystemPath(new.source, { stat($0, &status) }) == 0 else { return false }
    return entries(inode: new.inode, new.sourceStamp, preset: new.preset).contains {
      PathKey($0.source) != PathKey(new.source) && $0.output != nil
        && $0.sourceMark?.matches(new.source, changed: status.changed) ?? false
    }
  }

  /// Returns `true` if the output of an entry is in its place, with the size and the samples that it had.
  func hasOutput(of entry: LedgerEntry) -> Bool {
    guard let output = entry.output else { return false }
    var status = stat()
    let made = PathName.join(path, output.name)
    guard PathName.withSystemPath(made, { stat($0, &status) }) == 0,
      output.stamp.size == FileStamp(status).size
    else { return false }
    return output.mark?.matches(made, changed: status.changed) ?? true
  }

  /// Returns `true` if the source of an entry has another name now, and its output too.
  func hasMoved(_ entry: LedgerEntry) -> Bool {
    guard let mark = entry.output?.mark, !hasSource(entry) else { return false }
    return entries(inode: entry.inode, entry.sourceStamp, preset: entry.preset).contains {
      $0.source != entry.source && $0.output?.mark?.samples == mark.samples && hasOutput(of: $0)
    }
  }

  /// Stores new times of change of a finished file, so that a later batch need not read samples again.
  private func keepTimes(of file: BatchFile, _ status: stat, in entry: LedgerEntry) {
    var new = entry
    // A copy of the source may have taken its place.
    new.inode = file.inode
    new.sourceMark?.changed = file.changed
    new.output?.mark?.changed = status.changed
    new.output?.isPublished = true
    new.output?.isNew = false
    if new != entry { put(new) }
    if entry.output?.isPublished == false { forgetFormerOutput(of: file, entry) }
  }

  /// Removes the output that a file had under its former name, now that the new one is there; returns `false` if there is
  /// none, or the user has changed it.
  func removeOutdated(_ file: BatchFile) -> Bool {
    guard let name = file.outdatedOutputName, PathKey(name) != PathKey(file.outputName),
      let entry = entry(ofOutput: name), isSame(file, entry)
    else { return false }
    return removeOutdated(entry)
  }

  /// Removes the output of an entry whose source has another name now, and the entry.
  private func removeOutdated(_ entry: LedgerEntry) -> Bool {
    guard let output = entry.output, !fileExists(entry.source), isOutput(output, at: output.name),
      let root = try? HeldFolder(path),
      let place = try? root.folder(
        PathName.folder(output.name), asFolderOf: nil, followingLinks: false)
    else { return false }
    place.remove(PathName.last(output.name))
    removeEmptyFolders(from: output.name)
    forget(output.name)
    return true
  }

  /// Removes the output and the entry that a moved source had before, after a batch was killed before it did so.
  private func forgetFormerOutput(of file: BatchFile, _ entry: LedgerEntry) {
    for former in entries(like: file, preset: entry.preset) where former.source != entry.source {
      guard let name = former.output?.name, !fileExists(former.source),
        former.sourceMark?.samples == entry.sourceMark?.samples,
        PathKey(name) != entry.output.map({ PathKey($0.name) })
      else { continue }
      if removeOutdated(former) { continue }
      guard !fileExists(PathName.join(path, name)) else { continue }
      removeEmptyFolders(from: name)
      forget(name)
    }
  }

  private func reason(
    toReplace entry: LedgerEntry, isSame: Bool, preset: String, strict: Bool,
    retriesFailed: Bool
  ) -> String? {
    if !isSame { return "the source has changed" }
    if entry.preset != preset { return "the output was made with another preset" }
    if entry.output == nil {
      return entry.isFound
        ? "it is not known to be made of this source as it is" : "the last attempt failed"
    }
    if !entry.isFinal { return LedgerEntry.changedSource }
    if entry.isIncomplete, strict || retriesFailed { return "the source was incomplete before" }
    if strict, entry.isFound { return "the ledger does not state what it has lost" }
    if strict, !entry.losses.isEmpty { return "the output was made without --strict" }
    return nil
  }

  /// Returns a sentence with the entry's source if that is another file.
  ///
  /// `nil` if it is this file, possibly renamed or moved. `isSame` is `true` if both have the same size and
  /// time.
  private func otherOrigin(of file: BatchFile, _ entry: LedgerEntry, isSame: Bool) -> String? {
    let path = PathName.absolute(file.path)
    if PathKey(entry.source) == PathKey(path) { return nil }
    // In a container, the same folder may have another path.
    if isSame, PathKey(PathName.last(entry.source)) == PathKey(PathName.last(path)) { return nil }
    if fileExists(entry.source) { return "it was made from \(entry.source)" }
    return isSame ? nil : "it was made from \(entry.source), which no longer exists"
  }
}
