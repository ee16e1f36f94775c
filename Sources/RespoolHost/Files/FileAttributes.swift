package import Glibc

/// Permissions and times of a file, which its conversion can keep.
package struct FileAttributes: Sendable {
  /// Permission bits, without set-user-ID and the like.
  private let permissions: mode_t
  private let accessed: timespec
  private let modified: timespec

  init(_ status: stat) {
    permissions = status.st_mode & 0o777
    accessed = status.st_atim
    modified = status.st_mtim
  }

  /// Permissions to create a file with that is to get these attributes when it is complete.
  ///
  /// Nobody may read the unfinished file who may not read the source.
  package var whileWriting: mode_t { 0o600 | permissions & 0o066 }

  /// Sets them on an open file.
  ///
  /// File systems that have no such attributes refuse; the file is complete all the same.
  package func apply(to descriptor: Int32) {
    fchmod(descriptor, permissions)
    futimens(descriptor, [accessed, modified])
  }
}
