import Glibc
import RespoolHost
package import RespoolMedia

/// The way back from a replacement to its original.
///
/// A killed restoration is finished by the next one, or by the next batch on the folder.
package struct Restoration {
  /// Result of one file.
  package struct Result: Sendable {
    /// Path of the original, below the folder if it lies there.
    package var path: String
    /// Path of its replacement.
    package var replacement: String
    /// Reason why the file was not restored; `nil` if it was.
    package var problem: String?
  }

  private let folder: OutputFolder
  /// Absolute path to which the folder of all originals was moved; `nil` if it is where it was.
  private let originals: String?

  init(_ folder: OutputFolder, originals: String? = nil) {
    self.folder = folder
    self.originals = originals.map(PathName.absolute)
  }

  /// Restores files of a folder; all that have originals if `files` is empty.
  ///
  /// `files` are paths of replacements, or former or present paths of originals. Calls `report` for each file. `byForce`
  /// also restores originals whose replacements have been changed or removed. An original whose replacement was moved
  /// or renamed comes to the place of the replacement. `originals` is the path to which the folder of all originals was
  /// moved.
  ///
  /// Throws `io` if the folder has no ledger or there is no folder `originals`, and `invalidArgument` if a file is not a replacement whose original is
  /// kept; then nothing is changed.
  package static func run(
    in path: String, _ files: [String], originals: String? = nil, byForce: Bool,
    report: (Result) -> Void
  ) throws(MediaError) {
    if let originals, FolderListing(originals) == nil {
      throw MediaError(.io, "there is no such folder of originals", file: originals)
    }
    guard fileExists(OutputFolder.ledgerPath(in: path)) else {
      throw MediaError(
        .io, fileExists(path) ? "the folder has no ledger of a batch" : "there is no such folder",
        file: path)
    }
    let folder = try OutputFolder(path, isLocked: true, needsLedger: true)
    defer { folder.close() }
    // Unfinished replacements and restorations come first.
    let problems = ReplacementRecovery(folder, Replacer(Replacement(), folder)).run()
    if let problem = problems.first { throw MediaError(.io, problem, file: path) }
    let restoration = Restoration(folder, originals: originals)
    let known = folder.keptOriginals().map(restoration.found)
    let entries = RenamedReplacements(folder).find(known)
    for entry in try restoration.select(files, of: entries, formerly: known) {
      let output = restoration.outputPath(entry) ?? entry.source
      var result = Result(
        path: PathName.join(PathName.folder(output), PathName.last(entry.source)),
        replacement: output)
      do throws(MediaError) {
        try restoration.restore(entry, byForce: byForce)
      } catch { result.problem = error.message }
      report(result)
    }
    if folder.followsKilledBatch { folder.removeRemains() }
  }

  /// Returns the entries of the files that the user has named; all if `files` is empty.
  ///
  /// `formerly` are the entries in the same order, with the names that replacements had before they were renamed.
  private func select(_ files: [String], of entries: [LedgerEntry], formerly: [LedgerEntry])
    throws(MediaError) -> [LedgerEntry]
  {
    guard !files.isEmpty else { return entries }
    var byPath: [PathKey: Int] = [:]
    for (index, entry) in formerly.enumerated() {
      if let output = outputPath(entry) { byPath[PathKey(output)] = index }
    }
    for (index, entry) in entries.enumerated() {
      byPath[PathKey(entry.source)] = index
      if let output = outputPath(entry) { byPath[PathKey(output)] = index }
      if let kept = entry.replaced?.kept { byPath[PathKey(kept)] = index }
    }
    var selected: Set<Int> = []
    for file in files {
      let candidates = [
        PathName.absolute(file), PathName.absolute(PathName.join(folder.path, file)),
      ]
      guard let index = candidates.lazy.compactMap({ byPath[PathKey($0)] }).first else {
        throw MediaError(
          .invalidArgument, "the ledger has no original of this file that is kept", file: file)
      }
      selected.insert(index)
    }
    return selected.sorted().map { entries[$0] }
  }

  /// Returns an entry with the path at which its original is kept now.
  ///
  /// In a folder that was moved, the original has the longest part of its path at which the folder has a file with its
  /// content.
  private func found(_ entry: LedgerEntry) -> LedgerEntry {
    guard let originals, let kept = entry.replaced?.kept, !fileExists(kept) else { return entry }
    var (below, above) = (PathName.last(kept), PathName.folder(kept))
    var candidates = [below]
    while PathName.folder(above) != above {
      below = PathName.join(PathName.last(above), below)
      above = PathName.folder(above)
      candidates.append(below)
    }
    let content = ReplacedContent(entry: entry)
    let path = candidates.reversed().lazy.map { PathName.join(originals, $0) }
      .first { content.kind($0) == .original }
    guard let path else { return entry }
    var found = entry
    found.replaced?.kept = path
    return found
  }

  private func outputPath(_ entry: LedgerEntry) -> String? {
    entry.output.map { PathName.absolute(PathName.join(folder.path, $0.name)) }
  }

  // MARK: One file

  /// Puts an original back in place of its output.
  ///
  /// Continues a restoration that was begun. Throws `io` if that is not possible; the output then stays.
  func restore(_ entry: LedgerEntry, byForce: Bool) throws(MediaError) {
    var entry = entry
    if entry.replaced?.temporary == nil {
      try check(&entry, byForce: byForce)
      entry.replaced?.temporary = ReplacedFile.temporaryName()
      entry.replaced?.state = .restoring
      guard folder.put(entry) else {
        throw MediaError(.io, "the ledger cannot be written to", file: entry.source)
      }
    }
    guard let paths = ReplacedPaths(entry, in: folder.path), let kept = entry.replaced?.kept else {
      return
    }
    let content = ReplacedContent(entry: entry)
    do throws(MediaError) { try bring(kept, paths, content) } catch {
      // The next restoration finishes one whose original has its name already.
      guard content.kind(paths.source) != .original else { throw error }
      if content.kind(kept) == .original {
        if content.kind(paths.temporary) == .original { removeFile(paths.temporary) }
      } else if !moveFile(paths.temporary, to: kept) {
        throw error
      }
      entry.replaced?.temporary = nil
      entry.replaced?.state = .replaced
      folder.put(entry)
      throw error
    }
    // The next restoration finds them by the entry, if this one is killed.
    removeEmptyFolders(of: entry)
    conclude(entry, paths)
  }

  /// Throws if an original is missing, or its place is taken, or its replacement has been changed.
  ///
  /// With `byForce`, `entry` gets the present contents of files that have been changed.
  private func check(_ entry: inout LedgerEntry, byForce: Bool) throws(MediaError) {
    guard let kept = entry.replaced?.kept, let output = outputPath(entry) else { return }
    let content = ReplacedContent(entry: entry)
    if !byForce, let other = twin(of: output, entry, content) {
      throw MediaError(
        .io,
        "this folder is a copy, and the original belongs to \(other), which still exists; restore that folder, or use "
          + "--force to take the original", file: output)
    }
    switch content.kind(kept) {
    case .original: break
    case .none:
      throw MediaError(
        .io,
        "the original is no longer \(kept)"
          + (originals == nil
            ? "; if its folder was moved, name it with --originals"
            : ", nor below the folder of --originals"),
        file: entry.source)
    case .output, .other:
      guard byForce, let (stamp, mark) = Self.present(kept) else {
        throw MediaError(
          .io, "the original \(kept) has been changed; --force restores it", file: entry.source)
      }
      (entry.sourceStamp, entry.sourceMark) = (stamp, mark)
    }
    let source = PathName.join(PathName.folder(output), PathName.last(entry.source))
    if PathKey(source) != PathKey(output), fileExists(source) {
      throw MediaError(.io, "another file has the name of the original", file: entry.source)
    }
    switch content.kind(output) {
    case .output: break
    case .none:
      guard byForce || entry.replaced?.state == .superseded else {
        throw MediaError(
          .io, "the replacement was removed; --force restores the original", file: output)
      }
    case .original, .other:
      // The file may be any work of the user.
      let other = freeName(like: output, adding: "changed", isTaken: fileExists)
      guard byForce else {
        throw MediaError(
          .io,
          "the replacement has been changed; --force restores the original and renames it to "
            + PathName.last(other), file: output)
      }
      guard moveFile(output, to: other) else {
        throw .system("the changed replacement cannot be renamed", errno, file: output)
      }
    }
    guard entry.sourceMark?.samples != entry.output?.mark?.samples else {
      throw MediaError(.io, "the replacement is the original already", file: output)
    }
  }

  /// Returns the path at which a batch made the replacement, if that is another file with the same content.
  private func twin(of output: String, _ entry: LedgerEntry, _ content: ReplacedContent) -> String?
  {
    let former = PathName.join(PathName.folder(entry.source), PathName.last(output))
    guard PathKey(former) != PathKey(output), content.kind(former) == .output,
      FileIdentity(former) != FileIdentity(output)
    else { return nil }
    return former
  }

  /// Returns the signs of a regular file's content.
  private static func present(_ path: String) -> (FileStamp, ContentMark)? {
    var status = stat()
    guard PathName.withSystemPath(path, { lstat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFREG,
      let mark = ContentMark(path: path, changed: status.changed)
    else { return nil }
    return (FileStamp(status), mark)
  }

  /// Moves an original to its own name, and removes the output.
  private func bring(_ kept: String, _ paths: ReplacedPaths, _ content: ReplacedContent)
    throws(MediaError)
  {
    if content.kind(paths.source) != .original {
      if !fileExists(paths.temporary) { try fetch(kept, paths) }
      let number =
        paths.isSame && fileExists(paths.source)
        ? exchangeFiles(paths.temporary, paths.source)
        : moveFile(paths.temporary, to: paths.source) ? 0 : errno
      guard number == 0 else {
        throw .system("the original cannot be put back", number, file: paths.source)
      }
    }
    // The original has its name on the disk before anything is removed.
    try syncFolder(PathName.folder(paths.source))
    let remains = paths.isSame ? paths.temporary : paths.output
    switch content.kind(remains) {
    case .output: removeFile(remains)
    case .none: break
    case .original, .other:
      throw MediaError(
        .io,
        "the original was restored, but its replacement, which has been changed, is now \(remains)",
        file: paths.source)
    }
    if fileExists(kept), isCopy(kept, of: paths.source) { removeFile(kept) }
    // If this fails, a power cut may bring back files that are not needed.
    try? syncFolder(PathName.folder(paths.source))
  }

  private func isCopy(_ kept: String, of path: String) -> Bool {
    FileIdentity(kept) != FileIdentity(path) && ReplacedContent.isEqual(kept, path)
  }

  /// Gives a kept original a temporary name beside its output; a copy of it, on another file system.
  private func fetch(_ kept: String, _ paths: ReplacedPaths) throws(MediaError) {
    let parent = PathName.folder(paths.source)
    try makeDurableFolder(parent, named: "the folder of the original")
    if moveFile(kept, to: paths.temporary) { return }
    guard errno == EXDEV else {
      throw .system("the original cannot be moved from \(kept)", errno, file: paths.source)
    }
    guard try FileCopy(step: {}).copy(kept, to: paths.temporary) else {
      throw MediaError(.io, "\(paths.temporary) exists already", file: paths.source)
    }
  }

  /// Stores that a file was restored, so that the next batch does not replace it again.
  private func conclude(_ entry: LedgerEntry, _ paths: ReplacedPaths) {
    var status = stat()
    var restored = entry
    _ = PathName.withSystemPath(paths.source) { lstat($0, &status) }
    restored.source = paths.source
    restored.inode = Int64(bitPattern: UInt64(status.st_ino))
    restored.sourceStamp = FileStamp(status)
    restored.sourceMark = ContentMark(path: paths.source, changed: status.changed)
    restored.output = nil
    restored.result = .skipped
    restored.losses = []
    restored.reason = "it was restored; --retry-restored replaces it again"
    restored.replaced = ReplacedFile(state: .restored)
    folder.together {
      folder.forget(entry)
      folder.put(restored)
    }
  }

  /// Removes the folders of an original below the folder of all originals, as long as they are empty.
  private func removeEmptyFolders(of entry: LedgerEntry) {
    guard let kept = entry.replaced?.kept, let name = entry.output?.name else { return }
    var path = PathName.folder(kept)
    for byte in PathName.bytes(name) where byte == UInt8(ascii: "/") {
      guard PathName.withSystemPath(path, { rmdir($0) }) == 0 || errno == ENOENT else { break }
      path = PathName.folder(path)
    }
    if fileExists(PathName.join(path, OriginalsFolder.markName)) {
      OriginalsFolder(path).removeIfEmpty()
    }
  }
}
