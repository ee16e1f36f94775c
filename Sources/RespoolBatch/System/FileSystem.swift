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

/// Returns why nothing can be written into a folder, or made where it will be; `nil` if nothing speaks against it.
func problem(writingInto folder: String) -> String? {
  var path = FileName.absolute(folder)
  while FileName.withSystemPath(path, { access($0, F_OK) }) != 0, errno == ENOENT, path != "/" {
    path = FileName.folder(path)
  }
  return FileName.withSystemPath(path) { access($0, W_OK | X_OK) } == 0 ? nil : errorText(errno)
}

/// Makes a folder for files of another, with those above it as far as both are called the same; those that are made
/// have the modes of the others.
///
/// False with `errno` where that fails. Nobody who may not look into a folder may look into what is made of it.
func makeFolder(_ path: String, asFolderOf source: String) -> Bool {
  if FileName.withSystemPath(path, { access($0, F_OK) }) == 0 { return true }
  let (parent, sourceParent) = (FileName.folder(path), FileName.folder(source))
  guard FileName.last(path) == FileName.last(source), parent != path, sourceParent != source else {
    return makeFolder(path)
  }
  var status = stat()
  guard FileName.withSystemPath(source, { stat($0, &status) }) == 0 else {
    return makeFolder(path)
  }
  guard makeFolder(parent, asFolderOf: sourceParent) else { return false }
  // The owner has to write into it.
  let mode = status.st_mode & 0o777 | 0o700
  guard FileName.withSystemPath(path, { mkdir($0, mode) }) == 0 else { return errno == EEXIST }
  return true
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
