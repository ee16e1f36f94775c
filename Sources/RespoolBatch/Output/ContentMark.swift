import Glibc
import RespoolMedia

/// Signs of a file's content beside its size and modification time, which programs can set.
struct ContentMark: Hashable {
  /// Time of the last change of content or attributes (ctime), in nanoseconds since 1970.
  ///
  /// No program can set it, but copying, renaming and other permissions change it too.
  var changed: Int64
  /// MD5 of the samples.
  var samples: String

  /// Size in bytes of each of the three samples: at the start, in the middle and at the end.
  static let sampleSize = 64 << 10

  init(changed: Int64, samples: String) { (self.changed, self.samples) = (changed, samples) }

  /// Reads the samples of a file; `nil` if it cannot be read.
  init?(path: String) {
    let descriptor = PathName.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let (size, length) = (Int(status.st_size), Self.sampleSize)
    let starts = size <= 3 * length ? [0] : [0, (size - length) / 2, size - length]
    var hash = MD5()
    var buffer = [UInt8](repeating: 0, count: starts.count == 1 ? size : length)
    for start in starts {
      let isRead = buffer.withUnsafeMutableBytes { buffer in
        var count = 0
        while count < buffer.count {
          let place = buffer.baseAddress.map { $0 + count }
          let result = pread(descriptor, place, buffer.count - count, off_t(start + count))
          guard result > 0 else { return false }
          count += result
        }
        hash.update(UnsafeRawBufferPointer(buffer))
        return true
      }
      guard isRead else { return nil }
    }
    self.init(changed: status.changed, samples: hash.finalizeHex())
  }

  /// Returns `true` if a file with the change time `changed` probably still has the content.
  ///
  /// Its samples are read only if the time differs. A file that cannot be read counts as unchanged: reading it
  /// reports the reason.
  func matches(_ path: String, changed: Int64) -> Bool {
    if self.changed == changed { return true }
    return ContentMark(path: path).map { $0.samples == samples } ?? true
  }
}

extension stat {
  /// Time of the last change of content or attributes, in nanoseconds since 1970.
  var changed: Int64 { Int64(st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(st_ctim.tv_nsec) }
}
