import Glibc
import RespoolMedia

/// Preset files as text; none is longer than a megabyte.
enum PresetFile {
  static let sizeLimit = 1 << 20

  static func read(_ path: String) throws(MediaError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw MediaError(.io, "the preset cannot be opened", file: path, cause: reason())
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count <= sizeLimit {
      let have = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: have == 0 ? 8192 : 65536))
      let room = bytes.count - have
      let got = bytes.withUnsafeMutableBytes { buffer in
        // Within the buffer: it has `have + room` bytes.
        Glibc.read(descriptor, buffer.baseAddress.map { $0 + have }, room)
      }
      guard got >= 0 else {
        throw MediaError(.io, "the preset cannot be read", file: path, cause: reason())
      }
      bytes.removeLast(room - got)
      if got == 0 {
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw MediaError(.malformed, "the preset is not UTF-8 text", file: path)
        }
        return text
      }
    }
    throw MediaError(
      .limitExceeded, "the preset is larger than \(sizeLimit) bytes, so it is none", file: path)
  }

  /// Names of the preset files in a folder, sorted; empty where there is no such folder.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        // d_name ends with a zero byte within its 256.
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix("."), name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
        names.append(name)
      }
    }
    return names.sorted()
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The path with links and dots resolved; as it is where there is no such file.
  static func canonical(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The name of a file without folder and suffix.
  static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for suffix in [".yaml", ".yml"] where name.hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return name
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
