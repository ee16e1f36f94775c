package import Glibc

/// Permissions and times of a file, which a conversion can apply to its output.
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

  /// Permissions with which to create the output file.
  ///
  /// They give no read access to the unfinished file that the source does not give.
  package var whileWriting: mode_t { 0o600 | permissions & 0o066 }

  /// Sets the permissions and times of an open file.
  ///
  /// Failures are ignored: some file systems have no such attributes, and the file is complete anyway.
  package func apply(to descriptor: Int32) {
    fchmod(descriptor, permissions & 0o777)
    futimens(descriptor, [accessed, modified])
  }
}
