import Glibc
import RespoolHost
import RespoolMedia

/// Outputs that exchange their names in rings: each gets the name of the next one, and the last that of the first.
///
/// A file beside the ledger has the names until the entries have followed. If a batch was killed before that, the next one
/// gives the outputs the names of their entries back: their sources may have other names again.
struct OutputExchange {
  private let folder: OutputFolder
  private let path: String

  private static let prefix = "exchange-"
  /// Number of names that one file may have.
  static let mostNames = 64
  /// Size of the largest file that is read.
  private static let mostBytes = Int64(2 * mostNames) * (Int64(PATH_MAX) + 1)

  /// Writes to the disk that the outputs of rings are about to exchange their names, which are paths below the folder.
  ///
  /// Returns `nil` if that cannot be written.
  init?(of rings: [[String]], in folder: OutputFolder) {
    self.folder = folder
    path = PathName.join(
      Self.place(folder), Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 36))
    let file = PathName.withSystemPath(path) {
      open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    }
    guard file >= 0 else { return nil }
    defer { close(file) }
    // An empty name ends a ring.
    var bytes: [UInt8] = []
    for ring in rings {
      for name in ring { bytes += PathName.bytes(name) + [0] }
      bytes.append(0)
    }
    guard bytes.withUnsafeBytes({ writeAll($0, to: file) }) == 0, fsync(file) == 0,
      (try? syncFolder(Self.place(folder))) != nil
    else {
      end()
      return nil
    }
  }

  private init(at path: String, in folder: OutputFolder) {
    (self.path, self.folder) = (path, folder)
  }

  private static func place(_ folder: OutputFolder) -> String {
    PathName.join(folder.path, OutputFolder.stateName)
  }

  /// Removes the file with the names, after the entries have followed.
  func end() { _ = PathName.withSystemPath(path) { unlink($0) } }

  /// Takes back exchanges of batches that were killed before the entries followed; for a batch that has the folder alone.
  static func undoAll(in folder: OutputFolder) {
    for name in names(inFolder: place(folder)) where name.hasPrefix(prefix) {
      let exchange = OutputExchange(at: PathName.join(place(folder), name), in: folder)
      if exchange.undo() { exchange.end() }
    }
  }

  /// Gives the outputs the names that their entries have; returns `false` if some cannot get them.
  func undo() -> Bool {
    guard let source = try? FileSource(path: path), source.size <= Self.mostBytes,
      let bytes = try? source.bytes(at: 0, count: source.size)
    else { return true }
    var (isDone, ring) = (true, [String]())
    for name in bytes.split(separator: 0, omittingEmptySubsequences: false) + [[]] {
      if !name.isEmpty {
        ring.append(PathName.text(name))
      } else if !ring.isEmpty {
        if !undo(ring) { isDone = false }
        ring = []
      }
    }
    return isDone
  }

  /// Returns `false` if outputs of a ring have names of others, and cannot get their own.
  private func undo(_ ring: [String]) -> Bool {
    let outputs = ring.compactMap { folder.entry(ofOutput: $0)?.output }
    guard outputs.count == ring.count, var order = order(of: outputs, at: ring) else { return true }
    for index in ring.indices {
      while order[index] != index {
        let other = order[index]
        guard Self.exchange(ring[index], ring[other], in: folder) else { return false }
        order.swapAt(index, other)
      }
    }
    return true
  }

  /// Returns the number of the output that has each name; `nil` if another file has one of the names.
  private func order(of outputs: [LedgerEntry.Output], at ring: [String]) -> [Int]? {
    var free = Set(ring.indices)
    var order: [Int] = []
    for (index, name) in ring.enumerated() {
      let candidates = [index] + free.sorted()
      guard
        let found = candidates.first(where: {
          free.contains($0) && folder.isOutput(outputs[$0], at: name)
        })
      else { return nil }
      free.remove(found)
      order.append(found)
    }
    return order
  }

  /// Exchanges the names of two outputs, which are paths below the folder, and writes that to the disk.
  static func exchange(_ one: String, _ other: String, in folder: OutputFolder) -> Bool {
    guard let root = try? HeldFolder(folder.path),
      let from = try? root.folder(PathName.folder(one), asFolderOf: nil, followingLinks: false),
      let to = try? root.folder(PathName.folder(other), asFolderOf: nil, followingLinks: false),
      from.exchange(PathName.last(one), with: PathName.last(other), in: to) == 0
    else { return false }
    return from.sync() == 0 && to.sync() == 0
  }
}
