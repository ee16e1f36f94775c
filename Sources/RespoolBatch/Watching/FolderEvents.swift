import Glibc
import RespoolHost
import RespoolMedia

/// Notices of the kernel about changes in folders and those below them (inotify(7)).
///
/// File systems of other machines give none, and neither do folders for which there are no watches left.
final class FolderEvents {
  /// Last notice about a file.
  enum FileState {
    /// A process writes the file: its content has changed since a process closed it.
    case written
    /// A process closed the file after it wrote it, or the file was renamed.
    case closed
  }

  private let descriptor: Int32
  private let roots: [String]
  /// Folders by the numbers of their watches.
  private var folders: [Int32: String] = [:]
  /// Numbers of the watches by their folders.
  private var watches: [PathKey: Int32] = [:]
  /// States of files that no search has taken since the notice, by their names.
  private var states: [Name: FileState] = [:]
  /// Former states of files that are being renamed, by the number that the two notices have in common.
  private var renamed: [UInt32: FileState] = [:]
  /// `true` if there were notices of changes since they were last asked for.
  private var hasChanged = false
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// Reason why some changes are not noticed at once; `nil` if all are.
  private(set) var problem: String?

  /// A file by the watch on its folder, which stays the same if the folder is renamed.
  private struct Name: Hashable {
    let watch: Int32
    let name: PathKey
  }

  private static let mask = UInt32(
    IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ATTRIB
      | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
  /// Changes that a search has to find; a file that is being written is searched for when it is closed.
  private static let changes = ~UInt32(IN_MODIFY | IN_MOVED_FROM | IN_DELETE)

  /// Watches folders and those below them, without hidden ones.
  init(_ roots: [String]) {
    self.roots = roots
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if descriptor < 0 { problem = "changes are not noticed at once: \(errorText(errno))" }
    for root in roots { add(root) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Watches those of the folders again that were removed and made again; returns them.
  func watchReturned() -> [String] {
    read()
    let back = roots.filter { watches[Self.key($0)] == nil && fileExists($0) }
    for root in back { add(root) }
    if !back.isEmpty { hasChanged = true }
    return back
  }

  private func add(_ root: String) {
    var pending = [root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root]
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
      if let former = folders.updateValue(folder, forKey: watch),
        watches[Self.key(former)] == watch
      {
        watches[Self.key(former)] = nil
      }
      watches[Self.key(folder)] = watch
      guard let listing = FolderListing(folder) else { continue }
      for index in 0..<listing.count where !listing.isHidden(index) && listing.isFolder(index) {
        pending.append(PathName.join(folder, listing.text(index)))
      }
    }
  }

  /// Returns `true` if there were notices since the last call that make a search necessary.
  func takeChange() -> Bool {
    read()
    defer { hasChanged = false }
    return hasChanged
  }

  /// Returns the state of a file by the notices until now; `nil` if there were none.
  func state(of path: String) -> FileState? {
    read()
    return name(of: path).flatMap { states[$0] }
  }

  /// Forgets the state of a file that is taken.
  func forget(_ path: String) { if let name = name(of: path) { states[name] = nil } }

  /// Returns the path of a folder as those of its files have it.
  private static func key(_ folder: String) -> PathKey {
    PathKey(PathName.folder(PathName.join(folder, "-")))
  }

  private func name(of path: String) -> Name? {
    watches[PathKey(PathName.folder(path))].map {
      Name(watch: $0, name: PathKey(PathName.last(path)))
    }
  }

  /// Takes the notices that have come.
  ///
  /// New folders are watched from now on; what they had before is found by a search.
  private func read() {
    guard descriptor >= 0 else { return }
    while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
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
    renamed = [:]
  }

  private func take(_ event: inotify_event, _ name: Slice<UnsafeRawBufferPointer>) {
    func has(_ flags: Int32...) -> Bool { flags.contains { event.mask & UInt32($0) != 0 } }
    if event.mask & Self.changes != 0 { hasChanged = true }
    if has(IN_Q_OVERFLOW) {
      // Notices were lost.
      states = [:]
      return
    }
    if has(IN_IGNORED) {
      if let folder = folders.removeValue(forKey: event.wd), watches[Self.key(folder)] == event.wd {
        watches[Self.key(folder)] = nil
      }
      return
    }
    // Another folder may get the path of one that was moved away.
    if has(IN_MOVE_SELF), let folder = folders[event.wd],
      roots.contains(where: { Self.key($0) == Self.key(folder) })
    {
      _ = inotify_rm_watch(descriptor, event.wd)
      return
    }
    guard !name.isEmpty, let folder = folders[event.wd] else { return }
    let text = PathName.text(Array(name))
    guard has(IN_ISDIR) else {
      return note(event, Name(watch: event.wd, name: PathKey(text)))
    }
    guard has(IN_CREATE, IN_MOVED_TO), name.first != UInt8(ascii: ".") else { return }
    add(PathName.join(folder, text))
  }

  /// Notes the state of a file.
  private func note(_ event: inotify_event, _ name: Name) {
    switch event.mask {
    case UInt32(IN_MODIFY): states[name] = .written
    case UInt32(IN_CLOSE_WRITE): states[name] = .closed
    case UInt32(IN_MOVED_TO):
      // A process that has the file open writes it under its new name too.
      states[name] = renamed.removeValue(forKey: event.cookie) == .written ? .written : .closed
    case UInt32(IN_MOVED_FROM): renamed[event.cookie] = states.removeValue(forKey: name)
    case UInt32(IN_DELETE): states[name] = nil
    default: break
    }
  }
}
