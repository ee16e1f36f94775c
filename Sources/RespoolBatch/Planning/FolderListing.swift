import Glibc
import RespoolMedia

/// The names in a folder in byte order, in one block of memory.
///
/// The folder is open until `close`, so that the status of a file is found faster.
final class FolderListing {
  /// Place of a name, and its first bytes, by which most names are ordered.
  private struct Name {
    let head: UInt64
    let start: Int
    let count: UInt16
    /// Number of bytes before the last extension.
    let stem: UInt16
    /// Type of the file as readdir(3) states it.
    let type: UInt8

    var range: Range<Int> { start..<start + Int(count) }
  }

  private let path: String

  private var directory: OpaquePointer?
  /// Names, each with a zero at its end.
  private let bytes: [UInt8]
  private let names: [Name]

  /// Reads a folder; `nil` with `errno` if it cannot be read.
  init?(_ path: String) {
    guard let directory = PathName.withSystemPath(path, { opendir($0) }) else { return nil }
    (self.path, self.directory) = (path, directory)
    var bytes: [UInt8] = []
    var names: [Name] = []
    while let entry = readdir(directory) {
      withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: UInt8.self, capacity: 256) { name in
          let count = strnlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self), 256)
          if name[0] == UInt8(ascii: "."), count == 1 || count == 2 && name[1] == name[0] { return }
          let text = UnsafeRawBufferPointer(start: name, count: count)
          names.append(
            Name(
              head: Self.head(name, count), start: bytes.count, count: UInt16(count),
              stem: UInt16(PathName.stemLength(of: text)), type: entry.pointee.d_type))
          bytes.append(contentsOf: text)
          bytes.append(0)
        }
      }
    }
    bytes.withUnsafeBytes { bytes in
      names.sort { a, b in
        // Equal heads of names with less than eight bytes end with zeros, as the names do.
        a.head != b.head ? a.head < b.head : Self.order(bytes, a, b) < 0
      }
    }
    (self.bytes, self.names) = (bytes, names)
  }

  deinit { close() }

  func close() {
    if let directory { closedir(directory) }
    directory = nil
  }

  var count: Int { names.count }

  /// Returns the text of the name with an index.
  func text(_ index: Int) -> String {
    PathName.text(bytes[names[index].range])
  }

  /// Calls `body` with the bytes of the name with an index, and the number of those before its last extension.
  func withName<Result>(
    _ index: Int, _ body: (UnsafeRawBufferPointer, _ stem: Int) -> Result
  ) -> Result {
    let name = names[index]
    return bytes.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[name.range]), Int(name.stem))
    }
  }

  /// Returns the type of the file with an index, one of the DT constants of readdir(3).
  func type(_ index: Int) -> Int { Int(names[index].type) }

  /// Returns `true` if the name with an index starts with a dot.
  func isHidden(_ index: Int) -> Bool { bytes[names[index].start] == UInt8(ascii: ".") }

  /// Compares the name with an index to other bytes; returns a negative number, 0 or a positive number.
  func compare(_ index: Int, _ other: UnsafeRawBufferPointer) -> Int {
    withName(index) { name, _ in Self.order(name, other) }
  }

  /// Returns `true` if the folder has a name.
  func contains(_ name: String) -> Bool {
    let bytes = PathName.bytes(name)
    return bytes.withUnsafeBytes { wanted in
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if compare(middle, wanted) < 0 { low = middle + 1 } else { high = middle }
      }
      return low < count && compare(low, wanted) == 0
    }
  }

  /// Returns the status of the file with an index, without following a link; `nil` if there is none.
  func status(_ index: Int) -> stat? {
    var status = stat()
    guard let directory else {
      let path = PathName.join(path, text(index))
      return PathName.withSystemPath(path) { lstat($0, &status) } == 0 ? status : nil
    }
    let result = bytes.withUnsafeBytes { bytes -> Int32 in
      guard let base = bytes.baseAddress else { return -1 }
      let name = base.assumingMemoryBound(to: CChar.self) + names[index].start
      return fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW)
    }
    return result == 0 ? status : nil
  }

  /// Returns `true` for a folder, and `false` for a link to one.
  func isFolder(_ index: Int) -> Bool {
    // Not every file system states the types of files in its folders.
    if type(index) != DT_UNKNOWN { return type(index) == DT_DIR }
    return status(index).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  /// Returns the first eight bytes of a name as a number that has their order.
  private static func head(_ name: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 << 8 | ($1 < count ? UInt64(name[$1]) : 0) }
  }

  private static func order(_ bytes: UnsafeRawBufferPointer, _ a: Name, _ b: Name) -> Int {
    order(
      UnsafeRawBufferPointer(rebasing: bytes[a.range]),
      UnsafeRawBufferPointer(rebasing: bytes[b.range]))
  }

  /// Compares bytes; returns a negative number, 0 or a positive number.
  static func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    guard let first = a.baseAddress, let second = b.baseAddress else { return a.count - b.count }
    let order = memcmp(first, second, min(a.count, b.count))
    return order != 0 ? Int(order) : a.count - b.count
  }
}
