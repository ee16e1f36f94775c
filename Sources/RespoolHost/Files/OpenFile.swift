package import Glibc
package import RespoolMedia

/// An open file, which is closed when this object is released.
///
/// A lock on the file (flock(2)) lasts until then, even after the sink that wrote the file is closed.
package final class OpenFile: Sendable {
  package let descriptor: Int32

  /// Shares `descriptor`, which may be closed afterwards.
  ///
  /// `nil` if the process has no descriptor left.
  package init?(sharing descriptor: Int32) {
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard self.descriptor >= 0 else { return nil }
  }

  /// Shares the file of `source`.
  ///
  /// Throws `io` if the process has no descriptor left.
  package init(_ source: FileSource) throws(MediaError) {
    descriptor = fcntl(source.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .system("cannot be opened", errno, file: source.path) }
  }

  /// Creates and locks a file for ``FileSink``, with `permissions` reduced by the umask of the process.
  ///
  /// Throws `io`.
  package init(creating path: String, permissions: mode_t) throws(MediaError) {
    descriptor = try FileSink.create(path, permissions: permissions)
  }

  /// Creates and locks a file in `folder` with the last name of `path`.
  ///
  /// Throws `io`.
  init(creating path: String, in folder: HeldFolder, permissions: mode_t) throws(MediaError) {
    descriptor = FileSink.open(
      PathName.last(path), in: folder.descriptor, permissions: permissions)
    guard descriptor >= 0 else { throw .system("cannot be created", errno, file: path) }
  }

  deinit { close(descriptor) }
}

extension PendingFile {
  /// Creates and locks the file for ``FileSink``, with `permissions` reduced by the umask of the process.
  ///
  /// Throws `io`, with the target as the file.
  package func create(permissions: mode_t) throws(MediaError) -> OpenFile {
    try naming { () throws(MediaError) in
      guard let held else { return try OpenFile(creating: path, permissions: permissions) }
      return try OpenFile(creating: path, in: held, permissions: permissions)
    }
  }
}
