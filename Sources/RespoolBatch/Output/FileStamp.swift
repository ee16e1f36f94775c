import Glibc

/// Size and modification time of a file, by which a change is detected.
struct FileStamp: Hashable {
  /// Size in bytes.
  var size: Int64
  /// Modification time in nanoseconds since 1970.
  var modified: Int64

  init(size: Int64, modified: Int64) { (self.size, self.modified) = (size, modified) }

  init(_ status: stat) { self.init(size: Int64(status.st_size), modified: status.modified) }

  /// Returns `true` if the file is probably unchanged.
  ///
  /// Some file systems store only whole seconds, so a file copied to one has lost the fraction.
  func matches(_ other: FileStamp) -> Bool {
    let second: Int64 = 1_000_000_000
    guard size == other.size else { return false }
    return modified == other.modified
      || modified / second == other.modified / second
        && (modified % second == 0 || other.modified % second == 0)
  }
}

extension stat {
  /// Time of the last change of the content, in nanoseconds since 1970.
  var modified: Int64 { Self.nanoseconds(st_mtim) }
  /// Time of the last change of content or attributes, in nanoseconds since 1970.
  var changed: Int64 { Self.nanoseconds(st_ctim) }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec).multipliedClamped(by: 1_000_000_000).addingClamped(Int64(time.tv_nsec))
  }
}
