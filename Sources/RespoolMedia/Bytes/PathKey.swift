/// A path as a key of sets and dictionaries, which tells names apart as Linux does: byte by byte.
///
/// Strings that look alike are equal in Swift, whatever their bytes are: an é may be one character or two
/// (Unicode 3.12, canonical equivalence). For the file system these are two names.
public struct PathKey: Hashable, Sendable {
  public let path: String

  public init(_ path: String) { self.path = path }

  public static func == (a: Self, b: Self) -> Bool { a.path.utf8.elementsEqual(b.path.utf8) }

  public func hash(into hasher: inout Hasher) {
    var path = path
    path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
