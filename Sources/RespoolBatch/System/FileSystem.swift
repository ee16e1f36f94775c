import CLinux
import Glibc
import RespoolMedia

/// Makes a folder and those above it; false with `errno` where that fails.
public func makeFolder(_ path: String) -> Bool {
  if FileName.withSystemPath(path, { mkdir($0, 0o777) }) == 0 || errno == EEXIST { return true }
  guard errno == ENOENT else { return false }
  let parent = FileName.folder(path)
  guard parent != path, makeFolder(parent) else { return false }
  return FileName.withSystemPath(path) { mkdir($0, 0o777) } == 0 || errno == EEXIST
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
