import CLinux
import Glibc
package import RespoolMedia

/// A file that is being made: it has a temporary name beside its target until it is complete.
///
/// The name is random, so two processes never meet, even in two containers where each is process 1.
/// Whoever writes the file holds a lock on it until it has its final name (`FileSink`): an unlocked file
/// was left behind by a process that was killed.
package struct PendingFile: Sendable {
  /// Where to write.
  package let path: String
  package let target: String

  /// A temporary name beside `target`; another one at every call.
  package init(for target: String) { self.init(for: target, token: Self.token()) }

  fileprivate init(for target: String, token: String) {
    self.target = target
    path = FileName.join(FileName.folder(target), Self.prefix + token + Self.suffix)
  }

  /// 16 hexadecimal digits.
  fileprivate static func token() -> String {
    let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static let prefix = ".respool-"
  private static let suffix = ".part"

  /// Gives the file its target's name in one step.
  ///
  /// Without `replacing` a file that has come to be there meanwhile is left alone. Throws `io`; the
  /// temporary file is gone then.
  package func complete(replacing: Bool) throws(MediaError) {
    let number = FileName.withSystemPath(path) { path in
      FileName.withSystemPath(target) { target in
        replacing ? (rename(path, target) == 0 ? 0 : errno) : linux_rename_new(path, target)
      }
    }
    guard number != 0 else { return }
    discard()
    throw MediaError(
      .io, "the output cannot get its name", file: target, cause: systemMessage(number),
      detail: MediaError.Detail(systemError: number))
  }

  /// Runs `body`; what it throws about the temporary file names the target, the only one users know of.
  package func naming<Value>(_ body: () throws(MediaError) -> Value) throws(MediaError) -> Value {
    do throws(MediaError) { return try body() } catch {
      var error = error
      if error.file == path { error.file = target }
      throw error
    }
  }

  package func discard() { _ = FileName.withSystemPath(path) { unlink($0) } }

  /// Removes what killed processes left behind in a folder: files that nobody has locked.
  ///
  /// A file system without locks tells nothing of who is alive; its files stay.
  package static func removeAbandoned(in folder: String) {
    var sets: [String: [String]] = [:]
    guard let directory = FileName.withSystemPath(folder, { opendir($0) }) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { continue }
      let set = name.dropFirst(prefix.count).prefix { $0 != "-" && $0 != "." }
      sets[String(set), default: []].append(FileName.join(folder, name))
    }
    for paths in sets.values {
      // The file that stands for a whole set has the shortest name. While it is locked, the others stay.
      for path in paths.sorted(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) {
        guard let descriptor = lock(path) else { break }
        _ = FileName.withSystemPath(path) { unlink($0) }
        close(descriptor)
      }
    }
  }

  /// An open descriptor that holds the file's lock; `nil` if somebody else may hold it.
  private static func lock(_ path: String) -> Int32? {
    let file = FileName.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    guard file >= 0 else { return nil }
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
    close(file)
    return nil
  }
}

/// Temporary names for files that get their names together, more than a process can keep open.
///
/// One locked file for each folder stands for all of them.
package final class PendingSet: Sendable {
  /// In the order of the targets.
  package let files: [PendingFile]
  private let keepers: [FileSink]

  /// Throws `io` if a folder cannot be written to.
  package init(for targets: [String]) throws(MediaError) {
    let token = PendingFile.token()
    files = targets.enumerated().map { PendingFile(for: $1, token: "\(token)-\($0)") }
    var keepers: [FileSink] = []
    let firsts = Dictionary(targets.map { (PathKey(FileName.folder($0)), $0) }) { first, _ in first
    }
    for (_, target) in firsts.sorted(by: { $0.key.path < $1.key.path }) {
      let keeper = PendingFile(for: target, token: token)
      keepers.append(
        try keeper.naming { () throws(MediaError) in try FileSink(path: keeper.path) })
    }
    self.keepers = keepers
  }

  /// Ends the set, whose files have their names or are gone.
  package func end() { for keeper in keepers { keeper.abandon() } }

  /// Removes what has not got its name.
  package func discard() {
    for file in files { file.discard() }
    end()
  }
}

/// `true` if there is something of that name, even a link that leads nowhere.
package func fileExists(_ path: String) -> Bool {
  var status = stat()
  return FileName.withSystemPath(path) { lstat($0, &status) } == 0
}
