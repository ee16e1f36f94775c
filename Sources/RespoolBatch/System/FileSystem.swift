import CLinux
import Glibc
import Respool
import RespoolMedia

/// Returns the reason why files cannot be written into a folder, or the folder cannot be created.
///
/// `nil` if no problem was found.
func problem(writingInto folder: String) -> String? {
  var path = PathName.absolute(folder)
  while PathName.withSystemPath(path, { access($0, F_OK) }) != 0, errno == ENOENT, path != "/" {
    path = PathName.folder(path)
  }
  return PathName.withSystemPath(path) { access($0, W_OK | X_OK) } == 0 ? nil : errorText(errno)
}

/// Creates an output folder with the permissions of its source folder.
///
/// Folders above it are created in the same way, as long as both have the same names. Outputs are therefore
/// not readable by users who cannot read the source folder. Returns `false` with `errno` if that fails.
func makeFolder(_ path: String, asFolderOf source: String) -> Bool {
  if PathName.withSystemPath(path, { access($0, F_OK) }) == 0 { return true }
  let (parent, sourceParent) = (PathName.folder(path), PathName.folder(source))
  guard PathName.last(path) == PathName.last(source), parent != path, sourceParent != source else {
    return makeFolder(path)
  }
  var status = stat()
  guard PathName.withSystemPath(source, { stat($0, &status) }) == 0 else {
    return makeFolder(path)
  }
  guard makeFolder(parent, asFolderOf: sourceParent) else { return false }
  // The owner must be able to write into it.
  let mode = status.st_mode & 0o777 | 0o700
  guard PathName.withSystemPath(path, { mkdir($0, mode) }) == 0 else { return errno == EEXIST }
  return true
}

/// Returns the number of cores that this process may use, limited by affinity and by the cgroup's quota.
public func coreCount() -> Int {
  var count = Int(linux_core_count())
  if let quota = cgroupQuota() { count = min(count, quota) }
  return max(1, count)
}

/// Returns the whole cores that cgroup v2 grants ("max 100000" or "QUOTA PERIOD"), rounded up.
///
/// `nil` if there is no limit.
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
