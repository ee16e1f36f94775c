import CLinux
import Glibc
package import RespoolMedia

/// A file that is being made: it lies under a temporary name beside its target until it is complete.
///
/// The name tells the process that makes it, and whoever writes it holds a lock (`FileSink`), so that what
/// a killed process left behind can be told from what is still in work.
package struct PendingFile: Sendable {
  /// Where to write.
  package let path: String
  package let target: String

  /// `number` tells apart what one process makes at the same time.
  package init(for target: String, number: Int = 0) {
    self.target = target
    path = FileName.join(FileName.folder(target), ".respool-\(getpid())-\(number).part")
  }

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

  /// Removes what processes left behind in a folder that were killed or whose machine lost its power.
  ///
  /// Their process is gone, and nobody holds the file, on other machines neither.
  package static func removeAbandoned(in folder: String) {
    guard let directory = FileName.withSystemPath(folder, { opendir($0) }) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == ".respool", let owner = pid_t(parts[1]), owner > 0,
        parts[2].hasSuffix(".part"), kill(owner, 0) != 0, errno == ESRCH
      else { continue }
      let path = FileName.join(folder, name)
      let file = FileName.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        _ = FileName.withSystemPath(path) { unlink($0) }
      }
      close(file)
    }
  }
}

/// Whether there is something of that name, be it a link that leads nowhere.
package func fileExists(_ path: String) -> Bool {
  var status = stat()
  return FileName.withSystemPath(path) { lstat($0, &status) } == 0
}
