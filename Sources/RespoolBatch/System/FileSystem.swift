import CLinux
import Glibc
import Respool
import RespoolHost
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

extension HeldFolder {
  /// Opens a folder below this one by its path, and creates it and those above it if they do not exist.
  ///
  /// With `source`, a new folder gets the permissions of that folder, so that outputs are not readable by users who
  /// cannot read the sources. Folders above it are created in the same way, as long as both have the same names. Throws
  /// `io`, and `invalidArgument` if a part of the path is a link, unless with `followingLinks`, or leads upwards.
  func folder(_ path: String, asFolderOf source: String?, followingLinks: Bool) throws(MediaError)
    -> HeldFolder
  {
    var folder = self
    let names = path.split(separator: "/").map(String.init).filter { $0 != "." }
    guard !names.contains("..") else {
      throw MediaError(.invalidArgument, "leads out of the folder", file: path)
    }
    let modes = source.map { Self.modes(of: names, asFolderOf: $0) } ?? []
    for (index, name) in names.enumerated() {
      let position = index - names.count + modes.count
      folder = try folder.folder(
        name, creating: position < 0 ? 0o777 : modes[position], followingLinks: followingLinks)
    }
    return folder
  }

  /// Returns the permissions of the folders at the end of `source` that have the same names as the last of `names`.
  private static func modes(of names: [String], asFolderOf source: String) -> [mode_t] {
    var (modes, source) = ([mode_t](), source)
    for name in names.reversed() {
      var status = stat()
      guard name == PathName.last(source), PathName.folder(source) != source,
        PathName.withSystemPath(source, { stat($0, &status) }) == 0
      else { break }
      // The owner must be able to write into it.
      modes.insert(status.st_mode & 0o777 | 0o700, at: 0)
      source = PathName.folder(source)
    }
    return modes
  }
}

/// Creates a folder and those above it, and writes their names to the disk before anything is moved into it.
///
/// `name` is that of the folder in an error. Throws `io`.
func makeDurableFolder(_ path: String, named name: String) throws(MediaError) {
  let folders = foldersThatChange(toMake: path)
  guard makeFolder(path) else { throw .system("\(name) cannot be created", errno, file: path) }
  for folder in folders { try syncFolder(folder) }
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
