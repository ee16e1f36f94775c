import CLinux
import Glibc
package import RespoolMedia
import Synchronization

/// A file that is being made: it has a temporary name beside its target until it is complete.
///
/// The name is random, so two processes never use the same one, even in two containers where each is
/// process 1. The writer (`FileSink`) holds a lock on the file until it has its final name. An unlocked
/// file was therefore left by a process that was killed.
package struct PendingFile: Sendable {
  /// Temporary path, to which to write.
  package let path: String
  package let target: String
  /// Folder of both names, if they belong to it wherever the path leads; `nil` if the path decides.
  let held: HeldFolder?

  /// Folder of the temporary path.
  package var folder: String { PathName.folder(path) }

  /// Chooses a temporary name beside `target`, a different one at every call.
  ///
  /// With `held`, the file is made in that folder, which is that of `target`. `owner` begins the name; it consists of
  /// eight hexadecimal digits, or is empty.
  package init(for target: String, in held: HeldFolder? = nil, owner: String = "") {
    self.init(for: target, in: held, token: owner + Self.token())
  }

  fileprivate init(for target: String, in held: HeldFolder? = nil, token: String) {
    (self.target, self.held) = (target, held)
    path = PathName.join(PathName.folder(target), Self.prefix + token + Self.suffix)
  }

  /// Returns random hexadecimal digits.
  fileprivate static func token() -> String {
    let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    return String(repeating: "0", count: Self.digits - digits.count) + digits
  }

  /// Returns `true` if the last part of a path is a temporary name.
  package static func isTemporary(_ path: String) -> Bool {
    let name = PathName.last(path)
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    // A user may have a file with another word there.
    let words = name.dropFirst(prefix.count).dropLast(suffix.count)
      .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let token = words.first, [digits, ownerDigits + digits].contains(token.utf8.count),
      token.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
    else { return false }
    return words.count == 1 || UInt64(words[1]) != nil
  }

  /// Number of random digits in a name, and of those of an owner before them.
  private static let (digits, ownerDigits) = (16, 8)

  private static let prefix = ".respool-"
  private static let suffix = ".part"

  /// Gives the file its target's name in one step.
  ///
  /// Without `replacing`, a file that has been created at the target meanwhile is kept. With `syncingFolder`, the
  /// name is on the disk when this returns; otherwise the caller syncs the folder later.
  ///
  /// Throws `io`; the temporary file is then removed, unless only the folder could not be synced.
  package func complete(replacing: Bool, syncingFolder: Bool = true) throws(MediaError) {
    let number =
      held.map {
        $0.rename(PathName.last(path), to: PathName.last(target), in: $0, replacing: replacing)
      } ?? OutputBroker.current?.rename(path, to: target, replacing: replacing)
      ?? renameFile(path, to: target, replacing: replacing)
    guard number != 0 else {
      if syncingFolder { try syncFolder(PathName.folder(target)) }
      return
    }
    discard()
    throw .notRenamed(to: target, number)
  }

  /// Runs `body` and replaces the temporary path in errors by the target, the only name that users know.
  package func naming<Value>(_ body: () throws(MediaError) -> Value) throws(MediaError) -> Value {
    do throws(MediaError) { return try body() } catch {
      var error = error
      if error.file == path { error.file = target }
      throw error
    }
  }

  package func discard() {
    if let held { held.remove(PathName.last(path)) } else { removeFile(path) }
  }

  /// Removes temporary files in a folder that no process has locked: killed processes left them.
  ///
  /// On a file system without locks, running processes cannot be recognized, so the files stay. Returns the number of
  /// files that stay.
  ///
  /// With `owner`, only those of that owner, which is known to have ended: file systems that are mounted on several
  /// machines may have locks of each machine alone.
  @discardableResult package static func removeAbandoned(in folder: String, of owner: String = "")
    -> Int
  {
    guard let folder = try? HeldFolder(folder) else { return 0 }
    return removeAbandoned(in: folder, of: owner)
  }

  /// Removes temporary files in an open folder that no process has locked.
  @discardableResult package static func removeAbandoned(
    in folder: HeldFolder, of owner: String = ""
  ) -> Int {
    var sets: [String: [String]] = [:]
    for name in folder.names() where isTemporary(name) && name.hasPrefix(prefix + owner) {
      let set = name.dropFirst(prefix.count).prefix { $0 != "-" && $0 != "." }
      sets[String(set), default: []].append(name)
    }
    var left = 0
    for names in sets.values {
      // The file that represents a whole set has the shortest name. While it is locked, the others stay.
      left += names.count
      for name in names.sorted(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) {
        guard let descriptor = lock(name, in: folder) else { break }
        left -= 1
        folder.remove(name)
        close(descriptor)
      }
    }
    return left
  }

  /// Returns an open descriptor that holds the file's lock; `nil` if another process may hold it.
  private static func lock(_ name: String, in folder: HeldFolder) -> Int32? {
    let file = PathName.withSystemPath(name) {
      openat(folder.descriptor, $0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    }
    guard file >= 0 else { return nil }
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
    close(file)
    return nil
  }
}

/// Temporary names for files that get their final names together, more files than a process can keep open.
///
/// One locked file in each folder represents all of them.
package final class PendingSet: Sendable {
  /// Files in the order of the targets.
  package let files: [PendingFile]
  private let keepers: Mutex<[FileSink]>

  /// Creates the set.
  ///
  /// Throws `io` if a folder cannot be written to.
  package init(for targets: [String]) throws(MediaError) {
    let token = PendingFile.token()
    files = targets.enumerated().map { PendingFile(for: $1, token: "\(token)-\($0)") }
    var keepers: [FileSink] = []
    let firsts = Dictionary(targets.map { (PathKey(PathName.folder($0)), $0) }) { first, _ in first
    }
    for (_, target) in firsts.sorted(by: { $0.key.path < $1.key.path }) {
      let keeper = PendingFile(for: target, token: token)
      keepers.append(
        try keeper.naming { () throws(MediaError) in try FileSink(path: keeper.path) })
    }
    self.keepers = Mutex(keepers)
  }

  /// Ends the set after its files have their final names or have been removed.
  package func end() { keepers.withLock { for keeper in $0 { keeper.abandon() } } }

  /// Removes the files that have no final name yet.
  package func discard() {
    for file in files { file.discard() }
    end()
  }
}

/// Gives a file another name that no file has yet (renameat2(2) with RENAME_NOREPLACE).
///
/// Returns `false` with `errno` if that fails.
package func moveFile(_ path: String, to target: String) -> Bool {
  let number = renameFile(path, to: target, replacing: false)
  errno = number
  return number == 0
}

/// Gives a file another name and returns 0, or an errno; without `replacing`, the name must be free.
func renameFile(_ path: String, to target: String, replacing: Bool) -> Int32 {
  PathName.withSystemPath(path) { path in
    PathName.withSystemPath(target) { target in
      replacing
        ? (rename(path, target) == 0 ? 0 : errno)
        : linux_rename_new(AT_FDCWD, path, AT_FDCWD, target)
    }
  }
}

/// Removes a file that this process has made; failures are ignored.
package func removeFile(_ path: String) {
  if let broker = OutputBroker.current { broker.remove(path) } else { unlinkFile(path) }
}

func unlinkFile(_ path: String) { _ = PathName.withSystemPath(path) { unlink($0) } }

/// Returns `true` if a file of that name exists, even a link that leads nowhere.
package func fileExists(_ path: String) -> Bool {
  var status = stat()
  return PathName.withSystemPath(path) { lstat($0, &status) } == 0
}

/// Writes the names in a folder to the disk, so that a power cut does not lose those of new files (fsync(2)).
///
/// Does nothing on file systems that cannot do this. Throws `io`.
package func syncFolder(_ path: String) throws(MediaError) {
  let number = OutputBroker.current?.sync(path) ?? syncNames(in: path)
  guard number == 0 else { throw .system("cannot be written", number, file: path) }
}

/// Writes the names in a folder to the disk; returns 0, or an errno.
func syncNames(in path: String) -> Int32 { (try? HeldFolder(path))?.sync() ?? 0 }
