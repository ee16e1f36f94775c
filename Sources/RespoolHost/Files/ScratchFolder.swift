import Glibc
package import RespoolMedia
import Synchronization

/// A folder for files that libraries make for themselves, such as the statistics of x264's first pass.
///
/// It is below `TMPDIR`, or else `/var/tmp`: the files may be large, and `/tmp` may be memory. Only the user can open it. It
/// is locked (flock(2)) until it is removed, so that one whose process was killed is recognised and removed by the next.
package final class ScratchFolder: Sendable {
  package let path: String
  private let lock: Int32

  private static let prefix = "respool-scratch-"

  /// Makes a folder; throws `io` if that fails.
  package init() throws(MediaError) {
    let base = environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/var/tmp"
    Self.removeAbandoned(in: base)
    while true {
      let name = PathName.withSystemPath(PathName.join(base, Self.prefix + "XXXXXX")) { strdup($0) }
      defer { free(name) }
      guard let name, mkdtemp(name) != nil else {
        throw .system(
          "no folder for statistics can be made; TMPDIR names another place", errno, file: base)
      }
      let made = PathName.text(system: name)
      let folder = Self.open(made)
      // Another process may have taken it for an abandoned one before it was locked.
      if folder >= 0, flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
        fileExists(made)
      {
        (path, lock) = (made, folder)
        return
      }
      if folder >= 0 { close(folder) }
    }
  }

  deinit { remove() }

  /// Removes the folder with its files.
  package func remove() {
    Self.remove(path)
    if lock >= 0 { close(lock) }
  }

  private static func open(_ path: String) -> Int32 {
    PathName.withSystemPath(path) {
      Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    }
  }

  private static func remove(_ path: String) {
    removeFiles(in: path) { _ in true }
    _ = PathName.withSystemPath(path) { rmdir($0) }
  }

  /// Removes the files in a folder whose names `isChosen` accepts.
  static func removeFiles(in path: String, where isChosen: (String) -> Bool) {
    guard let folder = PathName.withSystemPath(path, { opendir($0) }) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { PathName.text(system: $0) }
      }
      guard isChosen(name) else { continue }
      _ = PathName.withSystemPath(PathName.join(path, name)) { unlink($0) }
    }
  }

  /// Removes folders of this user whose processes have ended.
  private static func removeAbandoned(in base: String) {
    for name in (try? HeldFolder(base))?.names() ?? [] where name.hasPrefix(prefix) {
      let path = PathName.join(base, name)
      let folder = open(path)
      guard folder >= 0 else { continue }
      defer { close(folder) }
      var status = stat()
      guard fstat(folder, &status) == 0, status.st_uid == geteuid(),
        flock(folder, LOCK_EX | LOCK_NB) == 0
      else { continue }
      remove(path)
    }
  }
}

/// The files that the encoders of one job make in a ``ScratchFolder``, if any asks for a place.
///
/// They are removed with this object. In a ``Sandbox``, they are in the folder that the process was given, and there is no
/// place if it was given none.
package final class ScratchFiles: Sendable {
  private enum Place {
    case unknown, none
    /// Beginning of the names in the folder of the process.
    case shared(folder: String, prefix: String)
    case own(ScratchFolder)
  }

  private let place = Mutex(Place.unknown)
  private static let count = Atomic(0)

  package init() {}

  /// Beginning of the paths of the files; `nil` if none can be made.
  package var path: String? {
    place.withLock { place in
      if case .unknown = place { place = Self.find() }
      return switch place {
      case .unknown, .none: nil
      case .shared(let folder, let prefix): PathName.join(folder, prefix)
      case .own(let folder): folder.path + "/"
      }
    }
  }

  private static func find() -> Place {
    if let folder = Sandbox.scratchFolder {
      let number = count.wrappingAdd(1, ordering: .relaxed).newValue
      return .shared(folder: folder, prefix: "\(number)-")
    }
    let isRestricted = Sandbox.current.map { $0.restrictsCalls || $0.restrictsFiles } ?? false
    guard !isRestricted, let folder = try? ScratchFolder() else { return .none }
    return .own(folder)
  }

  deinit {
    place.withLock { place in
      guard case .shared(let folder, let prefix) = place else { return }
      ScratchFolder.removeFiles(in: folder) { $0.hasPrefix(prefix) }
    }
  }
}
