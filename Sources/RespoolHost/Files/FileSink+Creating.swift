import Glibc
import RespoolMedia

extension FileSink {
  /// Creates a file and locks it (flock(2)), so that other processes see that it is being written.
  ///
  /// A file that another process has created for this one (``ReceivedFiles``) is emptied instead; it is locked already.
  /// Throws `io` if the file cannot be created.
  static func create(_ path: String, permissions: mode_t) throws(MediaError) -> Int32 {
    if let descriptor = try ReceivedFiles.descriptor(of: path) {
      guard ftruncate(descriptor, 0) == 0 else {
        let number = errno
        close(descriptor)
        throw .system("cannot be written", number, file: path)
      }
      return descriptor
    }
    let descriptor =
      OutputBroker.current?.create(path, permissions: permissions)
      ?? open(path, permissions: permissions)
    guard descriptor >= 0 else { throw .system("cannot be created", errno, file: path) }
    return descriptor
  }

  /// Removes a file that is to be written again.
  ///
  /// One that another process has created for this one stays, and is emptied when it is written.
  package static func makeRoom(at path: String) {
    guard let descriptor = try? ReceivedFiles.descriptor(of: path) else { return removeFile(path) }
    close(descriptor)
  }

  /// Creates and locks a file, by its path or its name in an open folder; returns its descriptor, or -1 with `errno`.
  static func open(_ path: String, in folder: Int32 = AT_FDCWD, permissions: mode_t) -> Int32 {
    while true {
      let descriptor = PathName.withSystemPath(path) {
        openat(folder, $0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, permissions)
      }
      guard descriptor >= 0 else { return -1 }
      // `PendingFile.removeAbandoned` of another process may hold the lock for a moment. A file system
      // without locks refuses at once; then no process removes its files.
      while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
      var status = stat()
      // That process may have found the file between its creation and its lock, and removed it.
      if fstat(descriptor, &status) != 0 || status.st_nlink > 0 || exists(path, in: folder) {
        return descriptor
      }
      close(descriptor)
    }
  }

  private static func exists(_ path: String, in folder: Int32) -> Bool {
    var status = stat()
    return PathName.withSystemPath(path) {
      fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) == 0
    }
  }
}
