import RespoolHost
import RespoolMedia

/// Outputs whose sources were moved or renamed: they are moved too, and not made again.
struct MovedOutputs {
  private let options: BatchOptions
  private let folder: OutputFolder

  init(_ options: BatchOptions, _ folder: OutputFolder) {
    (self.options, self.folder) = (options, folder)
  }

  /// Returns `true` if the output of a file can get its new name, or has it already.
  func isFree(_ file: BatchFile) -> Bool {
    !fileExists(file.output) || file.formerOutputName.map(PathKey.init) == PathKey(file.outputName)
  }

  /// An output that gets another name.
  private struct Move {
    let file: BatchFile
    /// Former name below the output folder.
    let name: String
    /// Entry with the new name.
    var entry: LedgerEntry
    var isDone = false
  }

  /// Number of outputs that are renamed together: syncing folders takes much longer than renaming.
  ///
  /// As many folders twice are open meanwhile.
  private static let mostMoves = 64

  /// Renames the outputs of files whose sources were moved; one that cannot be renamed is made again.
  func move(_ files: inout [BatchFile]) {
    var indices = files.indices.filter { files[$0].formerOutputName != nil }[...]
    while !indices.isEmpty {
      let some = indices.prefix(Self.mostMoves)
      indices = indices.dropFirst(some.count)
      let moved = move(some.map { files[$0] })
      for index in some where !moved.contains(files[index].number) { files[index].unsettle() }
    }
  }

  /// Renames outputs, and returns the numbers of the files for which that was possible.
  ///
  /// The entries with the new names come first, so that each file has an entry under either name whenever the batch is
  /// killed. The former ones go when the new names are on the disk.
  private func move(_ files: [BatchFile]) -> Set<Int> {
    var moves = files.compactMap { begin($0) }
    defer { for move in moves { release(move) } }
    folder.together(isDurable: options.strict) {
      for move in moves { folder.put(move.entry) }
    }
    rename(&moves)
    // Outputs of moved folders leave empty ones behind. They go first: the next batch finds them by the former entries.
    for move in moves where move.isDone { folder.removeEmptyFolders(from: move.name) }
    folder.together {
      for move in moves where PathKey(move.name) != PathKey(move.file.outputName) {
        if move.isDone, let made = move.entry.output { folder.published(made) }
        folder.forget(move.isDone ? move.name : move.file.outputName)
      }
    }
    return Set(moves.filter(\.isDone).map(\.file.number))
  }

  /// Claims both names of an output; returns `nil` if another batch that shares the work may be moving it.
  private func begin(_ file: BatchFile) -> Move? {
    guard let name = file.formerOutputName else { return nil }
    guard [name, file.outputName].allSatisfy({ folder.claims.claim($0) }),
      var entry = folder.entry(ofOutput: name)
    else {
      for name in [name, file.outputName] { folder.claims.release(name) }
      return nil
    }
    entry.source = PathName.absolute(file.path)
    entry.sourceMark?.changed = file.changed
    entry.output?.name = file.outputName
    let isSame = PathKey(name) == PathKey(file.outputName)
    if !isSame {
      entry.output?.isPublished = false
      entry.output?.isNew = true
    }
    return Move(file: file, name: name, entry: entry, isDone: isSame)
  }

  private func release(_ move: Move) {
    for name in [move.name, move.file.outputName] { folder.claims.release(name) }
  }

  /// Renames outputs whose new names are free, and writes the names to the disk.
  private func rename(_ moves: inout [Move]) {
    var folders: [PathKey: HeldFolder] = [:]
    for index in moves.indices where !moves[index].isDone {
      let move = moves[index]
      let former = move.file.named(move.name, in: options.output)
      guard let from = open(folderOf: former, &folders),
        let to = open(folderOf: move.file, &folders)
      else { continue }
      let number = from.rename(
        PathName.last(move.name), to: PathName.last(move.file.outputName), in: to,
        replacing: false)
      moves[index].isDone = number == 0
    }
    // If this fails, a power cut may give outputs their former names again, without entries.
    for folder in folders.values { _ = folder.sync() }
  }

  private func open(folderOf file: BatchFile, _ folders: inout [PathKey: HeldFolder]) -> HeldFolder?
  {
    let key = PathKey(PathName.folder(file.outputName))
    if let folder = folders[key] { return folder }
    let opened = try? folder.folder(
      ofOutput: file, keepsAttributes: false, followingLinks: options.followsLinks)
    folders[key] = opened
    return opened
  }
}
