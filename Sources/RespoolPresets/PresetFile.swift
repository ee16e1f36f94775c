import Glibc
import RespoolMedia

/// Functions that read preset files as text.
package enum PresetFile {
  /// Reads the whole file, without the byte order mark that Windows editors put before UTF-8.
  static func read(_ path: String) throws(MediaError) -> String {
    let text = try TextFile.read(path, called: "preset")
    return text.unicodeScalars.first == "\u{FEFF}"
      ? String(text.unicodeScalars.dropFirst()) : text
  }

  /// Returns the names of the preset files in a folder, sorted; empty if there is no such folder.
  static func names(in folder: String) -> [String] { listing(folder).files }

  /// Returns the names of the preset files and of the folders in a folder, sorted; none if there is no such folder.
  ///
  /// Folders with a point in their names are left out.
  static func listing(_ folder: String) -> (files: [String], folders: [String]) {
    guard let directory = opendir(folder) else { return ([], []) }
    defer { closedir(directory) }
    var (files, folders): ([String], [String]) = ([], [])
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        // d_name ends with a zero byte within its 256 bytes.
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix("."), name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
        files.append(name)
      } else if !name.contains("."), isFolder("\(folder)/\(name)") {
        folders.append(name)
      }
    }
    return (files.sorted(), folders.sorted())
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns the path with links and dots resolved; unchanged if there is no such file.
  package static func canonical(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns the name of a file without folder and extension.
  static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for suffix in [".yaml", ".yml"] where name.hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return name
  }
}
