import Glibc
import RespoolMedia

extension FileSink {
  /// Creates a file and locks it (flock(2)), so that other processes see that it is being written.
  ///
  /// Throws `io` if the file cannot be created.
  static func create(_ path: String, permissions: mode_t) throws(MediaError) -> Int32 {
    while true {
      let descriptor = PathName.withSystemPath(path) {
        open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, permissions)
      }
      guard descriptor >= 0 else { throw .system("cannot be created", errno, file: path) }
      // `PendingFile.removeAbandoned` of another process may hold the lock for a moment. A file system
      // without locks refuses at once; then no process removes its files.
      while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
      var status = stat()
      // That process may have found the file between its creation and its lock, and removed it.
      if fstat(descriptor, &status) != 0 || status.st_nlink > 0 || fileExists(path) {
        return descriptor
      }
      close(descriptor)
    }
  }
}

/// A lock on a written file, which lasts until this object is released, even after the sink is closed.
package final class FileLock: Sendable {
  private let descriptor: Int32

  /// Shares the lock of `descriptor`, which may be closed afterwards.
  ///
  /// `nil` if the process has no descriptor left.
  package init?(sharing descriptor: Int32) {
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard self.descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }
}
