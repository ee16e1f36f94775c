import Glibc
import RespoolHost
import RespoolMedia

/// The exchange of sources for their complete outputs.
///
/// The ledger knows of a replacement before its first step, so that the next batch can finish it after every kind of
/// ending. An original goes only after its replacement has its name on the disk.
final class Replacer {
  let rules: Replacement
  private let folder: OutputFolder
  private let originals: OriginalsFolder?
  /// `true` if no earlier batch has kept originals in the folder.
  private var hasNewOriginalsFolder = false
  private var hasKeptOriginal = false
  /// Function that is called every few megabytes while an original is copied to another file system.
  var step: () -> Void = {}

  /// Creates a replacer; `prepare` comes next unless nothing is to be changed.
  init(_ rules: Replacement, _ folder: OutputFolder) {
    (self.rules, self.folder) = (rules, folder)
    originals = rules.originals.map { OriginalsFolder($0) }
  }

  /// Finishes what earlier batches have begun, and prepares the folder for the originals.
  ///
  /// Returns sentences for the user. Throws `io` if the folder cannot be written to.
  func prepare() throws(MediaError) -> [String] {
    // A restoration that is finished may remove the folder.
    let problems = ReplacementRecovery(folder, self).run()
    hasNewOriginalsFolder = try originals?.prepare() ?? false
    return problems
  }

  /// Removes the folder for the originals if there are none.
  func end() { originals?.removeIfEmpty(isUnused: hasNewOriginalsFolder && !hasKeptOriginal) }

  // MARK: Checks

  /// Throws if a file cannot be replaced by an output that is still to be made and has the open file `output`.
  ///
  /// Gives the output the owner of the source.
  func check(_ file: BatchFile, _ output: OpenFile, keepsAttributes: Bool) throws(MediaError) {
    let source = try FileSource(path: file.path)
    if keepsAttributes {
      try CopiedAttributes.copyOwner(
        of: source.descriptor, to: output.descriptor, at: file.path)
    }
    guard let originals, let own = Self.device(PathName.folder(file.path)),
      let other = Self.device(originals.path), own != other
    else { return }
    guard let free = FreeSpace.bytes(in: originals.path), free < file.size else { return }
    throw MediaError(
      .io,
      "the original has no room in \(originals.path): \(ByteCount.text(free)) are free, and it has "
        + ByteCount.text(file.size), file: file.path)
  }

  private static func device(_ path: String) -> dev_t? {
    var status = stat()
    return PathName.withSystemPath(path) { stat($0, &status) } == 0 ? status.st_dev : nil
  }

  // MARK: Replacing

  /// Gives a complete output the attributes of its source, on the disk.
  ///
  /// Throws `io` if that fails, or if the source is not the file that was converted.
  func keepAttributes(of file: BatchFile, on output: OpenFile) throws(MediaError) {
    let source = try FileSource(path: file.path)
    try CopiedAttributes.copyOwner(of: source.descriptor, to: output.descriptor, at: file.path)
    try CopiedAttributes.copyOthers(of: source.descriptor, to: output.descriptor, at: file.path)
  }

  /// Replaces a file by its complete output; `entry` is that of the output.
  ///
  /// Returns notes about the original. Throws `io` if the original stays; the output is then removed.
  func replace(_ file: BatchFile, by output: PendingFile, _ open: OpenFile, _ entry: LedgerEntry)
    throws(MediaError) -> [String]
  {
    var entry = entry
    var notes: [String] = []
    // If there is one, the file is a replacement that was changed.
    let earlier = folder.entry(ofOutput: file.outputName)
    let links: nlink_t
    do throws(MediaError) {
      links = try checkSource(file)
      let number = syncContent(of: open.descriptor)
      guard number == 0 else { throw .system("cannot be written", number, file: output.target) }
      guard entry.sourceMark != nil, entry.output?.mark != nil else {
        throw MediaError(.io, "the source or the output cannot be read", file: file.path)
      }
      // Recovery and restoration distinguish them by that.
      guard entry.sourceMark?.samples != entry.output?.mark?.samples else {
        throw MediaError(
          .io, "the output has the content of the source: kept the original", file: file.path)
      }
      entry.replaced = ReplacedFile(
        state: .replacing, kept: originals?.freePath(for: file.relative),
        temporary: ReplacedFile.temporaryName())
      if let earlier, let name = folder.supersede(earlier) {
        notes.append("respool restore brings back the earlier original too, as \(name)")
      }
      guard folder.put(entry) else {
        throw MediaError(
          .io, "the ledger cannot be written to: kept the original", file: file.path)
      }
    } catch {
      output.discard()
      folder.reinstate(earlier)
      throw error
    }
    guard let paths = ReplacedPaths(entry, in: folder.path) else { return [] }
    do throws(MediaError) {
      try exchange(paths, with: output)
    } catch {
      output.discard()
      folder.forget(file.outputName)
      folder.reinstate(earlier)
      throw error
    }
    do throws(MediaError) {
      var status = stat()
      let isRead = PathName.withSystemPath(paths.temporary) { lstat($0, &status) } == 0
      // A program may have changed the source, or put another file in its place.
      guard isRead, isSource(status, file) else { throw Self.change(of: file) }
      try finish(&entry, paths)
    } catch {
      // The entry stays if the next batch has to finish the replacement.
      if let worse = takeBack(paths, because: error) { throw worse }
      folder.forget(file.outputName)
      folder.reinstate(earlier)
      throw error
    }
    guard links > 1 else { return notes }
    let others = Int(links) - 1
    return notes + [
      "the original had \(links) names (hard links); the "
        + (others == 1 ? "other one keeps it until that" : "\(others) others keep it until each")
        + " is replaced, too"
    ]
  }

  /// Throws unless the source is the file that was converted, with names that may be replaced; returns their number.
  private func checkSource(_ file: BatchFile) throws(MediaError) -> nlink_t {
    var status = stat()
    guard PathName.withSystemPath(file.path, { lstat($0, &status) }) == 0 else {
      throw .system("cannot be replaced", errno, file: file.path)
    }
    guard isSource(status, file) else { throw Self.change(of: file) }
    if let reason = rules.reasonToSkip(status) {
      throw MediaError(.io, reason + ": kept the original", file: file.path)
    }
    return status.st_nlink
  }

  private func isSource(_ status: stat, _ file: BatchFile) -> Bool {
    status.st_mode & S_IFMT == S_IFREG
      && Int64(bitPattern: UInt64(status.st_ino)) == file.inode
      && FileStamp(status) == FileStamp(size: file.size, modified: file.modified)
  }

  private static func change(of file: BatchFile) -> MediaError {
    MediaError(.io, "the source has changed since it was found", file: file.path)
  }

  /// Gives the output its name, and the original its temporary one.
  ///
  /// Throws `io` with all files as before, except that the output may have another temporary name.
  private func exchange(_ paths: ReplacedPaths, with output: PendingFile) throws(MediaError) {
    // The original must not get a name that is removed as an unfinished output.
    let first = paths.isSame ? paths.temporary : paths.output
    guard moveFile(output.path, to: first) else {
      throw .system("the finished file cannot be renamed", errno, file: paths.output)
    }
    do throws(MediaError) { try setAside(paths) } catch {
      removeFile(first)
      throw error
    }
  }

  /// Gives the original its temporary name, after the output has the first of its names.
  func setAside(_ paths: ReplacedPaths) throws(MediaError) {
    if paths.isSame {
      let number = exchangeFiles(paths.temporary, paths.source)
      guard number == 0 else {
        throw .system("the original cannot be exchanged for its output", number, file: paths.source)
      }
    } else {
      guard moveFile(paths.source, to: paths.temporary) else {
        throw .system("the original cannot be renamed", errno, file: paths.source)
      }
    }
  }

  /// Gives the original its name again, and removes the output.
  ///
  /// Returns an error with the place of the original if that fails; the next batch then finishes the replacement.
  private func takeBack(_ paths: ReplacedPaths, because error: MediaError) -> MediaError? {
    var number = Int32(0)
    if paths.isSame {
      number = exchangeFiles(paths.temporary, paths.source)
    } else if !moveFile(paths.temporary, to: paths.source) {
      number = errno
    }
    guard number == 0 else {
      return MediaError(
        .io,
        "\(error.message); the next batch tries again to finish the replacement, and the original is "
          + "\(paths.temporary) until then: \(systemMessage(number))", file: error.file)
    }
    removeFile(paths.isSame ? paths.temporary : paths.output)
    return nil
  }

  /// Keeps or removes an original that has its temporary name, and stores that.
  ///
  /// Throws `io` with the original under its temporary name.
  func finish(_ entry: inout LedgerEntry, _ paths: ReplacedPaths) throws(MediaError) {
    // The name of the replacement comes to the disk before the original goes.
    try syncFolder(PathName.folder(paths.source))
    if entry.replaced?.kept != nil {
      try keep(&entry, paths)
    } else {
      guard PathName.withSystemPath(paths.temporary, { unlink($0) }) == 0 else {
        throw .system("the original cannot be removed", errno, file: paths.source)
      }
    }
    // If this fails, a power cut may bring back the temporary name, which costs only its space.
    try? syncFolder(PathName.folder(paths.source))
    conclude(&entry, paths)
  }

  /// Stores that a replacement is finished.
  func conclude(_ entry: inout LedgerEntry, _ paths: ReplacedPaths) {
    entry.replaced?.state = .replaced
    entry.replaced?.temporary = nil
    entry.output?.isPublished = true
    var status = stat()
    if PathName.withSystemPath(paths.output, { lstat($0, &status) }) == 0 {
      entry.output?.mark?.changed = status.changed
    }
    // If this fails, the next batch finds the replacement complete.
    folder.put(entry)
  }

  // MARK: Originals

  /// Moves an original from its temporary name to the folder for originals.
  ///
  /// `entry` gets another path if that is taken.
  private func keep(_ entry: inout LedgerEntry, _ paths: ReplacedPaths) throws(MediaError) {
    guard var kept = entry.replaced?.kept else { return }
    hasKeptOriginal = true
    while true {
      let target = PathName.folder(kept)
      _ = try HeldFolder("/").folder(
        PathName.absolute(target), asFolderOf: PathName.folder(paths.source), followingLinks: true)
      if moveFile(paths.temporary, to: kept) { break }
      let number = errno
      if number == EXDEV {
        guard try !copy(paths.temporary, to: kept) else { break }
      } else if number != EEXIST {
        throw .system("the original cannot be moved to \(kept)", number, file: paths.source)
      }
      // A batch that was killed may have copied it.
      if ReplacedContent.isEqual(paths.temporary, kept) {
        removeFile(paths.temporary)
        break
      }
      kept = OriginalsFolder(target).freePath(for: PathName.last(paths.source))
      entry.replaced?.kept = kept
      guard folder.put(entry) else {
        throw MediaError(.io, "the ledger cannot be written to", file: paths.source)
      }
    }
    // If this fails, a power cut leaves the original under one of the two names.
    try? syncFolder(PathName.folder(kept))
  }

  /// Copies an original to another file system and then removes it; returns `false` if the name is taken.
  private func copy(_ path: String, to target: String) throws(MediaError) -> Bool {
    guard try FileCopy(step: step).copy(path, to: target) else { return false }
    guard PathName.withSystemPath(path, { unlink($0) }) == 0 else {
      let number = errno
      removeFile(target)
      throw .system("the original cannot be removed after it was copied", number, file: target)
    }
    return true
  }
}

extension Replacement {
  /// Returns the reason why the name of a file may not be replaced; `nil` if it may be.
  func reasonToSkip(_ status: stat) -> String? {
    if status.st_mode & S_IFMT == S_IFLNK {
      return "a link to a file; --replace needs the file's own name"
    }
    guard links == .skip, status.st_nlink > 1 else { return nil }
    return
      "it has \(status.st_nlink) names (hard links); --links break replaces only this one"
  }
}
