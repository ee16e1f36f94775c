import CLinux
import Glibc

/// A shared library as it was when a plugin was described with it.
package struct LibraryIdentity: Hashable, Sendable {
  package var path: String
  package var size: Int64
  /// Modification time in nanoseconds since 1970.
  package var modified: Int64

  init(path: String, size: Int64, modified: Int64) {
    (self.path, self.size, self.modified) = (path, size, modified)
  }

  /// Creates the identity of the library that is at `path` now; `nil` if the file does not exist.
  init?(ofFileAt path: String) {
    guard let file = DescriptionCache.Identity(ofFileAt: path) else { return nil }
    self.init(path: path, size: file.size, modified: file.modified)
  }

  /// Returns the paths of the shared objects that are loaded into this process.
  static func loadedPaths() -> [String] {
    var paths: [String] = []
    withUnsafeMutablePointer(to: &paths) { list in
      // The context is `list`, which lives during the call.
      linux_each_loaded_object(
        { path, context in
          guard let path, let list = context?.assumingMemoryBound(to: [String].self) else { return }
          list.pointee.append(String(cString: path))
        }, list)
    }
    return paths
  }
}

/// A comparison of libraries with the files on the disk, which examines each file once.
struct LibraryCheck {
  private var present: [String: LibraryIdentity?] = [:]

  /// Returns `true` if every library is unchanged.
  mutating func isUnchanged(_ libraries: [LibraryIdentity]) -> Bool {
    libraries.allSatisfy { library in
      if let known = present[library.path] { return known == library }
      let found = LibraryIdentity(ofFileAt: library.path)
      present[library.path] = .some(found)
      return found == library
    }
  }
}
