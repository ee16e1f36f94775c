import RespoolHost
import RespoolMedia

/// Outputs whose sources were moved or renamed: they are moved too, and not made again.
///
/// Files may have got other numbers, so that an output gets the name of one that moves too, and two files may have
/// exchanged their names.
struct MovedOutputs {
  private let options: BatchOptions
  private let folder: OutputFolder
  /// `true` if nothing is renamed, because the plan is only shown.
  private let isShown: Bool
  /// `true` if each file is to be moved by itself, as machines do that follow a plan.
  private let isForPlan: Bool

  init(
    _ options: BatchOptions, _ folder: OutputFolder, isShown: Bool = false, isForPlan: Bool = false
  ) {
    (self.options, self.folder) = (options, folder)
    (self.isShown, self.isForPlan) = (isShown, isForPlan)
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
  ///
  /// Returns the numbers of files whose outputs are not renamed because others have their new names.
  func move(_ files: inout [BatchFile]) -> [Int] {
    var waiting: Set<Int> = []
    var free: [Int] = []
    // Files by the name that their outputs are to get.
    var places: [PathKey: Int] = [:]
    for index in files.indices where files[index].formerOutputName != nil {
      if isFree(files[index]) {
        free.append(index)
      } else {
        waiting.insert(index)
        places[PathKey(files[index].outputName)] = index
      }
    }
    while true {
      let some = free.isEmpty ? exchangedPair(waiting, files, places) : free
      guard !some.isEmpty else { break }
      let isPair = free.isEmpty
      let part = Array(some.prefix(Self.mostMoves))
      free = Array(some.dropFirst(part.count))
      waiting.subtract(part)
      let moved = move(part.map { files[$0] }, isPair: isPair)
      for index in part {
        guard moved.contains(files[index].number), let name = files[index].formerOutputName else {
          files[index].unsettle()
          continue
        }
        // The name that the output has left is free now.
        if !isPair, !isForPlan, let next = places[PathKey(name)], waiting.remove(next) != nil {
          free.append(next)
        }
      }
    }
    return waiting.map { files[$0].number }
  }

  /// Returns `true` if the output of a file can get its new name, or has it already.
  private func isFree(_ file: BatchFile) -> Bool {
    !fileExists(file.output) || file.formerOutputName.map(PathKey.init) == PathKey(file.outputName)
  }

  /// Returns two of the files whose outputs have the names of each other; empty if there are none.
  private func exchangedPair(
    _ waiting: Set<Int>, _ files: [BatchFile], _ places: [PathKey: Int]
  ) -> [Int] {
    guard !isForPlan else { return [] }
    for index in waiting {
      guard let other = files[index].formerOutputName.flatMap({ places[PathKey($0)] }),
        waiting.contains(other), other != index,
        files[other].formerOutputName.map(PathKey.init) == PathKey(files[index].outputName)
      else { continue }
      return [index, other]
    }
    return []
  }

  private func move(_ files: [BatchFile], isPair: Bool) -> Set<Int> {
    guard !isShown else { return Set(files.map(\.number)) }
    return isPair ? exchange(files[0], files[1]) : rename(files)
  }

  /// Renames outputs, and returns the numbers of the files for which that was possible.
  ///
  /// The entries with the new names come first, so that each file has an entry under either name whenever the batch is
  /// killed. The former ones go when the new names are on the disk.
  private func rename(_ files: [BatchFile]) -> Set<Int> {
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

  /// Exchanges the names of two outputs, and returns the numbers of their files if that was possible.
  ///
  /// The entries follow in one step. After a batch was killed in between, the next one gives the outputs their
  /// names back (``OutputExchange``).
  private func exchange(_ one: BatchFile, _ other: BatchFile) -> Set<Int> {
    guard let move = begin(one) else { return [] }
    defer { release(move) }
    guard let back = moved(other),
      let note = OutputExchange(of: move.name, back.name, in: folder)
    else { return [] }
    defer { note.end() }
    guard exchange(move) else { return [] }
    folder.together(isDurable: options.strict) {
      for move in [move, back] { folder.put(move.entry) }
      for made in [move, back].compactMap(\.entry.output) { folder.published(made) }
    }
    return [one.number, other.number]
  }

  private func exchange(_ move: Move) -> Bool {
    var folders: [PathKey: HeldFolder] = [:]
    guard let from = open(folderOf: move.file.named(move.name, in: options.output), &folders),
      let to = open(folderOf: move.file, &folders)
    else { return false }
    let number = from.exchange(
      PathName.last(move.name), with: PathName.last(move.file.outputName), in: to)
    for folder in folders.values { _ = folder.sync() }
    return number == 0
  }

  /// Claims both names of an output; returns `nil` if another batch that shares the work may be moving it.
  private func begin(_ file: BatchFile) -> Move? {
    guard let name = file.formerOutputName else { return nil }
    guard [name, file.outputName].allSatisfy({ folder.claims.claim($0) }), let move = moved(file)
    else {
      for name in [name, file.outputName] { folder.claims.release(name) }
      return nil
    }
    return move
  }

  /// Returns the move of a file's output, with the entry that it leads to; `nil` if the output has none.
  private func moved(_ file: BatchFile) -> Move? {
    guard let name = file.formerOutputName, var entry = folder.entry(ofOutput: name) else {
      return nil
    }
    entry.source = PathName.absolute(file.path)
    entry.inode = file.inode
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
