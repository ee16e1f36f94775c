package import Glibc
import RespoolMedia

/// Creates a folder and those above it, with the permissions `mode` without those of the umask.
///
/// Returns `false` with `errno` if that fails.
package func makeFolder(_ path: String, mode: mode_t = 0o777) -> Bool {
  if let broker = OutputBroker.current { return broker.makeFolder(path) }
  if PathName.withSystemPath(path, { mkdir($0, mode) }) == 0 || errno == EEXIST { return true }
  guard errno == ENOENT else { return false }
  let parent = PathName.folder(path)
  guard parent != path, makeFolder(parent, mode: mode) else { return false }
  return PathName.withSystemPath(path) { mkdir($0, mode) } == 0 || errno == EEXIST
}

/// Returns the folders that get a new name if a folder is made with those above it; none if it exists.
///
/// After a power cut, a new folder is only there with all that is in it if they have been synced.
package func foldersThatChange(toMake path: String) -> [String] {
  var (path, folders) = (path, [String]())
  while !fileExists(path) {
    let parent = PathName.folder(path)
    guard parent != path else { break }
    folders.append(parent)
    path = parent
  }
  return folders
}

/// Returns the names in a folder in the order of their bytes; empty if it cannot be read.
package func names(inFolder path: String) -> [String] {
  guard let directory = PathName.withSystemPath(path.isEmpty ? "." : path, { opendir($0) }) else {
    return []
  }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      tuple.withMemoryRebound(to: UInt8.self, capacity: 256) { name in
        let bytes = UnsafeBufferPointer(start: name, count: 256).prefix { $0 != 0 }
        names.append(PathName.text(bytes))
      }
    }
  }
  return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}
