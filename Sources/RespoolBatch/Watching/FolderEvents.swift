import Glibc
import RespoolHost
import RespoolMedia

/// Notices of the kernel about changes in folders and those below them (inotify(7)).
///
/// File systems of other machines give none, and neither do folders for which there are no watches left.
final class FolderEvents {
  private let descriptor: Int32
  /// Folders by the numbers of their watches.
  private var folders: [Int32: String] = [:]
  /// Reason why some changes are not noticed at once; `nil` if all are.
  private(set) var problem: String?

  private static let mask = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
      | IN_ONLYDIR)

  /// Watches folders and those below them, without hidden ones.
  init(_ roots: [String]) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if descriptor < 0 { problem = "changes are not noticed at once: \(errorText(errno))" }
    for root in roots { add(root) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private func add(_ root: String) {
    var pending = [root]
    while let folder = pending.popLast(), descriptor >= 0 {
      let watch = PathName.withSystemPath(folder) {
        inotify_add_watch(descriptor, $0, Self.mask)
      }
      guard watch >= 0 else {
        if errno == ENOSPC {
          problem =
            "changes in some folders are not noticed at once: the limit of watches is reached; raise "
            + "fs.inotify.max_user_watches with sysctl"
        }
        continue
      }
      folders[watch] = folder
      guard let listing = FolderListing(folder) else { continue }
      for index in 0..<listing.count where !listing.isHidden(index) && listing.isFolder(index) {
        pending.append(PathName.join(folder, listing.text(index)))
      }
    }
  }

  /// Takes the notices that have come; returns `true` if there were any.
  ///
  /// New folders are watched from now on; what they had before is found by a search.
  func take() -> Bool {
    guard descriptor >= 0 else { return false }
    var hasChanged = false
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      hasChanged = true
      buffer.withUnsafeBytes { bytes in
        var start = 0
        let head = MemoryLayout<inotify_event>.size
        while start + head <= count {
          let event = bytes.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
          let end = start + head + Int(event.len)
          if end <= count { take(event, bytes[(start + head)..<end].prefix { $0 != 0 }) }
          start = end
        }
      }
    }
    return hasChanged
  }

  private func take(_ event: inotify_event, _ name: Slice<UnsafeRawBufferPointer>) {
    if event.mask & UInt32(IN_IGNORED) != 0 { folders[event.wd] = nil }
    guard event.mask & UInt32(IN_ISDIR) != 0, event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0,
      let folder = folders[event.wd], name.first != UInt8(ascii: ".")
    else { return }
    add(PathName.join(folder, PathName.text(Array(name))))
  }
}
