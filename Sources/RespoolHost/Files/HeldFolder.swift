import CLinux
import Glibc
package import RespoolMedia

/// An open folder: files are created, renamed and removed in it wherever its path leads meanwhile.
package final class HeldFolder: Sendable {
  /// Path under which the folder was opened, for messages.
  package let path: String
  let descriptor: Int32

  private init(_ path: String, _ descriptor: Int32) {
    (self.path, self.descriptor) = (path, descriptor)
  }

  deinit { close(descriptor) }

  /// Opens the folder at `path`, through links.
  ///
  /// Throws `io`.
  package convenience init(_ path: String) throws(MediaError) {
    let descriptor = PathName.withSystemPath(path) { linux_open_folder(AT_FDCWD, $0, true) }
    guard descriptor >= 0 else { throw .system("cannot be opened", errno, file: path) }
    self.init(path, descriptor)
  }

  /// Opens the folder `name` in this one; creates it with the permissions `mode` without those of the umask, if that is
  /// not `nil`.
  ///
  /// The name of a new folder is on the disk when this returns, so that a power cut loses nothing that is moved into it.
  /// A link to a folder is not followed, unless with `followingLinks`. Throws `io`, and `invalidArgument` for a link.
  package func folder(_ name: String, creating mode: UInt32?, followingLinks: Bool)
    throws(MediaError) -> HeldFolder
  {
    let path = PathName.join(path, name)
    let open = {
      PathName.withSystemPath(name) { linux_open_folder(self.descriptor, $0, followingLinks) }
    }
    var opened = open()
    if opened < 0, errno == ENOENT, let mode {
      let number = PathName.withSystemPath(name) { mkdirat(descriptor, $0, mode) == 0 ? 0 : errno }
      guard number == 0 || number == EEXIST else {
        throw .system("cannot be created", number, file: path)
      }
      let synced = number == 0 ? sync() : 0
      guard synced == 0 else { throw .system("cannot be written", synced, file: self.path) }
      opened = open()
    }
    guard opened >= 0 else {
      let number = errno
      guard !followingLinks, isLink(name) else {
        throw .system("cannot be opened", number, file: path)
      }
      throw MediaError(
        .invalidArgument,
        "is a link, and outputs are written through links only with --follow-links",
        file: path)
    }
    return HeldFolder(path, opened)
  }

  /// `true` if the folder's path still leads to it.
  package var isAtPath: Bool {
    var status = stat()
    return fstat(descriptor, &status) != 0 || FileIdentity(path) == FileIdentity(status)
  }

  private func isLink(_ name: String) -> Bool {
    var status = stat()
    return PathName.withSystemPath(name) {
      fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) == 0
    } && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Renames a file into a folder, which may be this one; without `replacing`, the name must be free.
  ///
  /// Returns 0, or an errno.
  package func rename(
    _ name: String, to target: String, in folder: HeldFolder, replacing: Bool
  ) -> Int32 {
    PathName.withSystemPath(name) { name in
      PathName.withSystemPath(target) { target in
        guard replacing else {
          return linux_rename_new(descriptor, name, folder.descriptor, target)
        }
        return renameat(descriptor, name, folder.descriptor, target) == 0 ? 0 : errno
      }
    }
  }

  /// Exchanges the names of a file and of one in a folder, which may be this one, in one step.
  ///
  /// Returns 0, or an errno: EINVAL if the file system cannot do that.
  package func exchange(_ name: String, with other: String, in folder: HeldFolder) -> Int32 {
    PathName.withSystemPath(name) { name in
      PathName.withSystemPath(other) {
        linux_exchange_names(descriptor, name, folder.descriptor, $0)
      }
    }
  }

  /// Removes a file; failures are ignored.
  package func remove(_ name: String) {
    _ = PathName.withSystemPath(name) { unlinkat(descriptor, $0, 0) }
  }

  /// Writes the names in the folder to the disk (fsync(2)); returns 0, or an errno.
  ///
  /// Does nothing on file systems that cannot do this, and in a folder that may not be read.
  package func sync() -> Int32 {
    let folder = openat(descriptor, ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard folder >= 0 else { return 0 }
    defer { close(folder) }
    while fsync(folder) != 0 {
      if errno == EINVAL || errno == EROFS { return 0 }
      guard errno == EINTR else { return errno }
    }
    return 0
  }

  /// Returns the names in the folder; none if it may not be read.
  package func names() -> [String] {
    let folder = openat(descriptor, ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard folder >= 0, let directory = fdopendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { PathName.text(system: $0) }
        })
    }
    return names
  }
}
