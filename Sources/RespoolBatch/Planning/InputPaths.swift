import Glibc
import RespoolHost
import RespoolMedia

/// The inputs of a batch, to recognise a file among them by its path.
struct InputPaths {
  /// Real paths, without links, of the inputs that lie in the output folder.
  private var inside: [[UInt8]] = []
  /// Real paths of the other inputs.
  private var outside: [[UInt8]] = []
  /// Real path of the output folder; `nil` if it does not exist yet.
  private let output: [UInt8]?

  init(_ inputs: [String], output: String) {
    self.output = Self.realPath(output)
    for path in inputs.compactMap(Self.realPath) {
      if let folder = self.output, Self.is(path, in: folder) {
        inside.append(path)
      } else {
        outside.append(path)
      }
    }
  }

  /// Returns `true` if an existing file is an input or lies below one.
  ///
  /// The output folder is not part of an input that it lies in.
  func contain(_ path: String) -> Bool {
    guard let path = Self.realPath(path) else { return false }
    if inside.contains(where: { Self.is(path, in: $0) }) { return true }
    if let output, Self.is(path, in: output) { return false }
    return outside.contains { Self.is(path, in: $0) }
  }

  /// Returns `true` if a path is that of a folder or file, or lies below it.
  private static func `is`(_ path: [UInt8], in folder: [UInt8]) -> Bool {
    path.starts(with: folder)
      && (path.count == folder.count || folder.last == slash || path[folder.count] == slash)
  }

  private static let slash = UInt8(ascii: "/")

  /// Returns the absolute path of an existing file without links; `nil` if there is none.
  static func realPath(_ path: String) -> [UInt8]? {
    guard let real = PathName.withSystemPath(path, { realpath($0, nil) }) else { return nil }
    defer { free(real) }
    return Array(UnsafeBufferPointer(start: real, count: strlen(real))).map(UInt8.init(bitPattern:))
  }
}
