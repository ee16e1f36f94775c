import Foundation
import Glibc
import Testing

/// A file system in memory of a few megabytes, which is unmounted after the test.
final class SmallDisk {
  private let path: String

  /// `true` if this process may mount file systems.
  static let isPermitted: Bool = {
    let folder = TemporaryFolder()
    return (try? SmallDisk(folder("disk"), megabytes: 1)) != nil
  }()

  /// Mounts the file system; `files` is the greatest number of its files, which may be unlimited.
  init(_ path: String, megabytes: Int, files: Int? = nil) throws {
    self.path = path
    mkdir(path, 0o777)
    let options = "size=\(megabytes)m" + (files.map { ",nr_inodes=\($0)" } ?? "")
    try #require(mount("respool-test", path, "tmpfs", 0, options) == 0)
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  /// Changes the greatest number of files.
  func allow(files: Int) throws {
    try #require(
      mount("respool-test", path, "tmpfs", UInt(MS_REMOUNT), "nr_inodes=\(files)") == 0)
  }

  /// Lets no file be changed.
  func protect() throws {
    try #require(
      mount("respool-test", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
  }

  /// Writes a file that leaves some megabytes.
  func fill(_ name: String, leaving megabytes: Double) throws {
    var status = statvfs()
    try #require(statvfs(path, &status) == 0)
    let size = Int(status.f_bavail) * Int(status.f_frsize) - Int(megabytes * 1_000_000)
    let data = Data(repeating: 1, count: max(0, size))
    try data.write(to: URL(fileURLWithPath: path + "/" + name))
  }
}
