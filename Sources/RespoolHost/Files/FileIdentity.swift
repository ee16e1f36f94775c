package import Glibc
import RespoolMedia

/// Which file it is, under whatever name: its device and its number on it.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let inode: UInt

  package init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
  }

  /// What a path leads to, through all links; nil where it leads nowhere.
  package init?(_ path: String) {
    var status = stat()
    guard FileName.withSystemPath(path, { stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }
}
