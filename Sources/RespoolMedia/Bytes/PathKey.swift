/// A path as a key of sets and dictionaries, which tells names apart as Linux does: byte by byte.
///
/// Strings that look alike are equal in Swift, whatever their bytes are: an é may be one character or two
/// (Unicode 3.12, canonical equivalence). For the file system these are two names.
package struct PathKey: Hashable, Sendable {
  package let path: String

  package init(_ path: String) { self.path = path }

  package static func == (a: Self, b: Self) -> Bool { a.path.utf8.elementsEqual(b.path.utf8) }

  package func hash(into hasher: inout Hasher) {
    var path = path
    path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
