import Glibc
import RespoolHost
import RespoolMedia

/// Two outputs that exchange their names.
///
/// A file beside the ledger names them until their entries have followed. If a batch was killed before that, the next one
/// gives the outputs the names of their entries back: their sources may have other names again.
struct OutputExchange {
  private let folder: OutputFolder
  private let path: String

  private static let prefix = "exchange-"
  /// Size of the largest file that is read: two paths.
  private static let mostBytes: Int64 = 4 * 4096

  /// Notes that two outputs are about to exchange their names, which are paths below the folder.
  ///
  /// Returns `nil` if that cannot be written.
  init?(of one: String, _ other: String, in folder: OutputFolder) {
    self.folder = folder
    path = PathName.join(
      Self.place(folder), Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 36))
    let file = PathName.withSystemPath(path) {
      open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    }
    guard file >= 0 else { return nil }
    defer { close(file) }
    let bytes = Array(PathName.bytes(one)) + [0] + Array(PathName.bytes(other))
    guard bytes.withUnsafeBytes({ writeAll($0, to: file) }) == 0 else {
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

  /// Removes the note, after the entries have followed.
  func end() { _ = PathName.withSystemPath(path) { unlink($0) } }

  /// Takes back exchanges of batches that were killed before the entries followed; for a batch that has the folder alone.
  static func undoAll(in folder: OutputFolder) {
    for name in names(inFolder: place(folder)) where name.hasPrefix(prefix) {
      let exchange = OutputExchange(at: PathName.join(place(folder), name), in: folder)
      if exchange.undo() { exchange.end() }
    }
  }

  /// Returns `false` if the outputs have each other's names and cannot get their own.
  private func undo() -> Bool {
    guard let source = try? FileSource(path: path), source.size <= Self.mostBytes,
      let bytes = try? source.bytes(at: 0, count: source.size)
    else { return true }
    let names = bytes.split(separator: 0).map { PathName.text($0) }
    guard names.count == 2, let first = folder.entry(ofOutput: names[0])?.output,
      let second = folder.entry(ofOutput: names[1])?.output,
      folder.isOutput(first, at: names[1]), folder.isOutput(second, at: names[0])
    else { return true }
    guard let root = try? HeldFolder(folder.path),
      let one = try? root.folder(PathName.folder(names[0]), asFolderOf: nil, followingLinks: false),
      let other = try? root.folder(
        PathName.folder(names[1]), asFolderOf: nil, followingLinks: false)
    else { return false }
    return one.exchange(PathName.last(names[0]), with: PathName.last(names[1]), in: other) == 0
  }
}
