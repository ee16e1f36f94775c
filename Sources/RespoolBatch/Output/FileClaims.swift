import CLinux
import Glibc
import RespoolMedia

/// Claims of a batch on outputs, so that batches that share their work do no file twice.
///
/// A claim is a lock on one byte of a file, at a position that follows from the output's name. It ends with the process
/// in every case, so that another batch does the file then. It works between containers and on file servers that support
/// locks (fcntl(2), open file description locks).
final class FileClaims {
  private let path: String
  /// `false` grants every claim.
  private let isNeeded: Bool
  private var descriptor: Int32 = -1

  /// `path` is the file with the locks, which is created for the first claim.
  init(_ path: String, isNeeded: Bool = true) { (self.path, self.isNeeded) = (path, isNeeded) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Claims an output by its name below the output folder; returns `false` if another batch has claimed it.
  ///
  /// In a folder that cannot be written to, and on a file system without locks, every claim is granted.
  func claim(_ name: String) -> Bool {
    guard isNeeded else { return true }
    if descriptor < 0 {
      descriptor = PathName.withSystemPath(path) {
        open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
      }
    }
    guard descriptor >= 0 else { return true }
    let number = linux_lock_byte(descriptor, Self.position(of: name), true)
    return number != EAGAIN && number != EACCES
  }

  /// Ends a claim.
  func release(_ name: String) {
    guard descriptor >= 0 else { return }
    _ = linux_lock_byte(descriptor, Self.position(of: name), false)
  }

  /// Removes the file; for a batch that has the folder alone.
  func removeFile() { _ = PathName.withSystemPath(path) { unlink($0) } }

  /// Returns 62 bits of the name's MD5: two names of a folder never have the same in practice.
  private static func position(of name: String) -> Int64 {
    var hash = MD5()
    PathName.bytes(name).withUnsafeBytes { hash.update($0) }
    return hash.finalize().prefix(8).reduce(0) { $0 << 8 | Int64($1) } & (1 << 62 - 1)
  }
}
