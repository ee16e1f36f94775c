import RespoolHost
import RespoolMedia

/// Outputs whose sources were moved or renamed: they are moved too, and not made again.
///
/// Files may have got other numbers, so that an output gets the name of one that moves too, and files may have exchanged
/// their names.
final class MovedOutputs {
  private let options: BatchOptions
  private let folder: OutputFolder
  /// `true` if nothing is renamed, because the plan is only shown.
  private let isShown: Bool
  /// Names that outputs leave in a plan that is only shown, unless others get them.
  private var left: Set<PathKey> = []

  init(_ options: BatchOptions, _ folder: OutputFolder, isShown: Bool = false) {
    (self.options, self.folder, self.isShown) = (options, folder, isShown)
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
    while !free.isEmpty {
      let part = Array(free.prefix(Self.mostMoves))
      free = Array(free.dropFirst(part.count))
      let moved = rename(part.map { files[$0] })
      for index in part {
        guard moved.contains(files[index].number), let name = files[index].formerOutputName else {
          files[index].unsettle()
          continue
        }
        // The name that the output has left is free now.
        if let next = places[PathKey(name)], waiting.remove(next) != nil { free.append(next) }
      }
    }
    for rings in Self.together(rings(of: waiting, in: files, places)) {
      let moved = exchange(rings.map { ring in ring.map { files[$0] } })
      for index in rings.joined() {
        waiting.remove(index)
        if !moved.contains(files[index].number) { files[index].unsettle() }
      }
    }
    return waiting.map { files[$0].number }
  }

  /// Returns `true` if the file with a name below the output folder is an output that gets another name in a plan that is
  /// only shown.
  func leaves(_ name: String) -> Bool { left.contains(PathKey(name)) }

  /// Returns `true` if the output of a file can get its new name, or has it already.
  private func isFree(_ file: BatchFile) -> Bool {
    !fileExists(file.output) || leaves(file.outputName)
      || file.formerOutputName.map(PathKey.init) == PathKey(file.outputName)
  }

  // MARK: Rings

  /// Returns the numbers of files whose outputs have the names of each other, each ring in the order in which an output
  /// gets the name of the next one.
  private func rings(
    of waiting: Set<Int>, in files: [BatchFile], _ places: [PathKey: Int]
  ) -> [[Int]] {
    var (rings, seen) = ([[Int]](), Set<Int>())
    // The file whose output leaves the name that the output of another one is to get.
    let holders = Dictionary(
      waiting.compactMap { index in
        files[index].formerOutputName.map { (PathKey($0), index) }
      }, uniquingKeysWith: { first, _ in first })
    for start in waiting.sorted() where !seen.contains(start) {
      var path: [Int] = []
      var next: Int? = start
      while let index = next, seen.insert(index).inserted {
        path.append(index)
        next = holders[PathKey(files[index].outputName)]
      }
      guard let next, let first = path.firstIndex(of: next),
        path.count - first <= OutputExchange.mostNames
      else { continue }
      rings.append(Array(path[first...]))
    }
    return rings
  }

  /// Divides rings into groups that exchange their names together.
  private static func together(_ rings: [[Int]]) -> [[[Int]]] {
    var (groups, count) = ([[[Int]]](), 0)
    for ring in rings {
      if groups.isEmpty || count + ring.count > OutputExchange.mostNames {
        groups.append([])
        count = 0
      }
      groups[groups.count - 1].append(ring)
      count += ring.count
    }
    return groups
  }

  /// Exchanges the names of outputs, and returns the numbers of the files for which that was possible.
  ///
  /// The entries follow in one step. After a batch was killed in between, the next one gives the outputs their
  /// names back (``OutputExchange``).
  private func exchange(_ rings: [[BatchFile]]) -> Set<Int> {
    guard !isShown else { return Set(rings.joined().map(\.number)) }
    let moves = rings.compactMap { ring -> [Move]? in
      let moves = ring.compactMap { moved($0) }
      return moves.count == ring.count && claim(moves.map(\.name)) ? moves : nil
    }
    defer { for move in moves.joined() { folder.claims.release(move.name) } }
    guard !moves.isEmpty,
      let exchange = OutputExchange(of: moves.map { $0.map(\.name) }, in: folder)
    else { return [] }
    for ring in moves {
      for move in ring.dropFirst() {
        guard OutputExchange.exchange(ring[0].name, move.name, in: folder) else {
          // The names of the entries are the right ones again.
          if exchange.undo() { exchange.end() }
          return []
        }
      }
    }
    folder.together(isDurable: true) {
      for move in moves.joined() { folder.put(move.entry) }
      for made in moves.joined().compactMap(\.entry.output) { folder.published(made) }
    }
    exchange.end()
    return Set(moves.joined().map(\.file.number))
  }

  /// Claims names; returns `false`, and claims none, if another batch that shares the work has one.
  private func claim(_ names: [String]) -> Bool {
    for (index, name) in names.enumerated() where !folder.claims.claim(name) {
      for name in names[..<index] { folder.claims.release(name) }
      return false
    }
    return true
  }

  // MARK: Renaming

  /// Renames outputs, and returns the numbers of the files for which that was possible.
  ///
  /// The entries with the new names come first, so that each file has an entry under either name whenever the batch is
  /// killed. The former ones go when the new names are on the disk.
  private func rename(_ files: [BatchFile]) -> Set<Int> {
    guard !isShown else { return show(files) }
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

  /// Takes note of renamings in a plan that is only shown.
  private func show(_ files: [BatchFile]) -> Set<Int> {
    for file in files {
      if let name = file.formerOutputName { left.insert(PathKey(name)) }
      left.remove(PathKey(file.outputName))
    }
    return Set(files.map(\.number))
  }

  /// Claims both names of an output; returns `nil` if another batch that shares the work may be moving it.
  private func begin(_ file: BatchFile) -> Move? {
    guard let name = file.formerOutputName else { return nil }
    guard claim([name, file.outputName]) else { return nil }
    guard let move = moved(file) else {
      for name in [name, file.outputName] { folder.claims.release(name) }
      return nil
    }
    return move
  }

  /// Returns the move of a file's output, with the entry that it leads to.
  ///
  /// `nil` if the output has no entry, or is not that of the file: another batch may have changed it since.
  private func moved(_ file: BatchFile) -> Move? {
    guard let name = file.formerOutputName, var entry = folder.currentEntry(ofOutput: name),
      folder.isSame(file, entry), let output = entry.output, folder.isOutput(output, at: name)
    else { return nil }
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
