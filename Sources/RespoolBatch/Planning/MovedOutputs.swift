import RespoolHost
import RespoolMedia

/// Outputs whose sources were moved or renamed: they are moved too, and not made again.
struct MovedOutputs {
  private let options: BatchOptions
  private let folder: OutputFolder

  init(_ options: BatchOptions, _ folder: OutputFolder) {
    (self.options, self.folder) = (options, folder)
  }

  /// Gives the output at `name` the place that belongs to its source's new path, if that is free.
  func follow(_ file: inout BatchFile, from name: String) {
    let suffix = PathName.splitExtension(PathName.last(name)).extension
    let new = OutputNames.name(of: file.relative, extension: suffix)
    guard PathKey(new) == PathKey(name) || !fileExists(PathName.join(options.output, new)) else {
      return
    }
    file = file.named(new, in: options.output)
    file.settleAsMoved(from: name)
  }

  /// Renames the output of a file whose source was moved; one that cannot be renamed is made again.
  func move(_ file: inout BatchFile) {
    guard let name = file.formerOutputName else { return }
    let names = [name, file.outputName]
    defer { for name in names { folder.claims.release(name) } }
    // A batch that shares the work may be moving it.
    guard names.allSatisfy({ folder.claims.claim($0) }),
      let former = folder.entry(ofOutput: name), move(file, former, from: name)
    else { return file.unsettle() }
  }

  /// Gives an output the name that belongs to its moved source, and its entry; returns `false` if that fails.
  ///
  /// The entry with the new name comes first, so that the file has an entry under either name whenever the batch is
  /// killed.
  private func move(_ file: BatchFile, _ former: LedgerEntry, from name: String) -> Bool {
    var entry = former
    entry.source = PathName.absolute(file.path)
    entry.sourceMark?.changed = file.changed
    entry.output?.name = file.outputName
    guard PathKey(name) != PathKey(file.outputName) else {
      folder.put(entry)
      return true
    }
    entry.output?.isPublished = false
    folder.put(entry, isDurable: options.strict)
    guard rename(name, to: file) else {
      folder.forget(file.outputName)
      return false
    }
    // Outputs of moved folders leave empty ones behind. They go first: the next batch finds them by the former entry.
    folder.removeEmptyFolders(from: name)
    folder.together {
      if let made = entry.output { folder.published(made) }
      folder.forget(name)
    }
    return true
  }

  /// Renames an output; returns `false` if the name is taken, or a folder cannot be created.
  private func rename(_ name: String, to file: BatchFile) -> Bool {
    let former = file.named(name, in: options.output)
    guard let from = open(folderOf: former), let to = open(folderOf: file) else { return false }
    let number = from.rename(
      PathName.last(name), to: PathName.last(file.outputName), in: to, replacing: false)
    guard number == 0 else { return false }
    // If this fails, a power cut may give the output its former name again, without an entry.
    for folder in [to, from] { _ = folder.sync() }
    return true
  }

  private func open(folderOf file: BatchFile) -> HeldFolder? {
    try? folder.folder(
      ofOutput: file, keepsAttributes: false, followingLinks: options.followsLinks)
  }
}
