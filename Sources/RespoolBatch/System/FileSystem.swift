import CLinux
import Glibc
import RespoolMedia

func fileExists(_ path: String) -> Bool {
  var status = stat()
  return FileName.withSystemPath(path) { lstat($0, &status) } == 0
}

func removeFile(_ path: String) {
  guard !path.isEmpty else { return }
  _ = FileName.withSystemPath(path) { unlink($0) }
}

/// Makes a folder and those above it; false with `errno` where that fails.
func makeFolder(_ path: String) -> Bool {
  if FileName.withSystemPath(path, { mkdir($0, 0o777) }) == 0 || errno == EEXIST { return true }
  guard errno == ENOENT else { return false }
  let parent = FileName.folder(path)
  guard parent != path, makeFolder(parent) else { return false }
  return FileName.withSystemPath(path) { mkdir($0, 0o777) } == 0 || errno == EEXIST
}

/// The name of an output that is not complete.
func temporaryName(_ number: Int) -> String { ".respool-\(getpid())-\(number).part" }

/// Removes what a batch left behind in a folder that was killed or whose machine lost its power.
///
/// Its process is gone and nobody holds the file: a worker locks what it writes, also on other machines.
func removeAbandonedParts(in folder: String) {
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
    if flock(file, LOCK_EX | LOCK_NB) == 0 { removeFile(path) }
    close(file)
  }
}

/// Gives a file another name in one step; the error number where that fails.
///
/// Without `replace` a file that has come to be there meanwhile is left alone (EEXIST).
func renameFile(_ from: String, _ to: String, replace: Bool) -> Int32? {
  let number = FileName.withSystemPath(from) { from in
    FileName.withSystemPath(to) { to in
      replace ? (rename(from, to) == 0 ? 0 : errno) : linux_rename_new(from, to)
    }
  }
  return number == 0 ? nil : number
}

/// How many cores this process may use: affinity and, in a container, the cgroup's share.
public func coreCount() -> Int {
  var count = Int(linux_core_count())
  if let quota = cgroupQuota() { count = min(count, quota) }
  return max(1, count)
}

/// Whole cores that cgroup v2 grants ("max 100000" or "QUOTA PERIOD"), rounded up; nil for no limit.
private func cgroupQuota() -> Int? {
  let file = open("/sys/fs/cgroup/cpu.max", O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var buffer = [UInt8](repeating: 0, count: 64)
  let count = read(file, &buffer, buffer.count)
  guard count > 0 else { return nil }
  let parts = String(decoding: buffer[..<count], as: UTF8.self).split { $0 == " " || $0 == "\n" }
  guard parts.count == 2, let quota = Double(parts[0]), let period = Double(parts[1]), period > 0
  else { return nil }
  return max(1, Int((quota / period).rounded(.up)))
}
