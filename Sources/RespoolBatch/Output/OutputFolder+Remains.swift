import Glibc
import RespoolHost
import RespoolMedia

extension OutputFolder {
  /// Removes the temporary files of outputs that a killed batch has left in all folders.
  ///
  /// Waits up to two seconds: the workers of that batch end a little after it, and hold their files until then.
  func removeRemains() {
    let deadline = monotonicSeconds() + 2
    var folders = [path]
    while let folder = folders.popLast() {
      while PendingFile.removeAbandoned(in: folder) > 0, monotonicSeconds() < deadline {
        usleep(20_000)
      }
      guard let listing = FolderListing(folder) else { continue }
      for index in 0..<listing.count where !listing.isHidden(index) && listing.isFolder(index) {
        folders.append(PathName.join(folder, listing.text(index)))
      }
    }
  }
}
