import Glibc
import Respool
import RespoolMedia

/// The lock of an output folder against a second batch: flock(2) on a file.
///
/// It ends with the process in every case, and works between containers and on file servers that support locks.
final class FolderLock {
  private let path: String
  private var descriptor: Int32 = -1

  /// Locks the file at `path`, which is created if it does not exist.
  ///
  /// A folder that cannot be written to, or a file that cannot be opened, is not locked: each output reports the
  /// failure. Throws `io` if another batch has the lock on the folder `folder`.
  init(_ path: String, of folder: String) throws(MediaError) {
    self.path = path
    while true {
      descriptor = PathName.withSystemPath(path) {
        open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
      }
      if descriptor < 0 {
        // Another user's file can be locked.
        descriptor = PathName.withSystemPath(path) {
          open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        }
        guard descriptor >= 0 else { return }
      }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        Glibc.close(descriptor)
        descriptor = -1
        throw MediaError(
          .io,
          "another batch is using this output folder; wait until it ends, or name another folder "
            + "with --to", file: folder)
      }
      // A batch that ended meanwhile may have removed the file.
      var status = stat()
      if fstat(descriptor, &status) == 0, FileIdentity(status) == FileIdentity(path) { return }
      Glibc.close(descriptor)
    }
  }

  /// Returns `true` if a batch has the lock.
  static func isHeld(_ path: String) -> Bool {
    let file = PathName.withSystemPath(path) {
      open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }
    guard file >= 0 else { return false }
    defer { Glibc.close(file) }
    // A shared lock does not keep a batch from starting for longer than this call.
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Removes the file.
  func removeFile() {
    guard descriptor >= 0 else { return }
    _ = PathName.withSystemPath(path) { unlink($0) }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}
