package import Glibc
import RespoolMedia

/// Identity of a file, independent of its name: its device and inode number.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt
  private let inode: UInt

  package init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
  }

  /// Creates the identity of the file at `path`, with links followed.
  ///
  /// `nil` if `path` leads to no file.
  package init?(_ path: String) {
    var status = stat()
    guard PathName.withSystemPath(path, { stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }
}
