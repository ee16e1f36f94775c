import CLinux
import Glibc
import RespoolHost
import RespoolMedia

/// The rule by which a file system tells names apart.
enum NameRule {
  /// Byte by byte, as Linux does.
  case bytes
  /// Without regard to upper and lower case, as FAT, exFAT and NTFS do.
  ///
  /// Names also count as equal if only their Unicode normalization differs, as HFS+ and ext4 with `casefold` have it.
  case folded

  /// Finds the rule of the file system of a folder, or of the nearest one above it that exists.
  ///
  /// It is folded if a name in the folder is also found with its letters in the other case, and not listed so. For an
  /// empty folder, the folders above it on the same file system are looked at, and then the kind of the file system.
  init(of folder: String) {
    var path = PathName.absolute(folder)
    while !fileExists(path), path != "/" { path = PathName.folder(path) }
    let (last, device) = (path, FileIdentity(path)?.device)
    while true {
      if let folds = Self.folds(path) {
        self = folds ? .folded : .bytes
        return
      }
      guard path != "/", FileIdentity(PathName.folder(path))?.device == device else { break }
      path = PathName.folder(path)
    }
    self = PathName.withSystemPath(last, { linux_folds_names($0) }) ? .folded : .bytes
  }

  /// Returns `true` if names in a folder are folded; `nil` if none can tell.
  private static func folds(_ folder: String) -> Bool? {
    guard let listing = FolderListing(folder) else { return nil }
    for index in 0..<min(listing.count, 256) {
      let name = listing.text(index)
      let swapped = PathName.text(PathName.bytes(name).map(swappingCase))
      guard PathKey(swapped) != PathKey(name) else { continue }
      let isListed = (0..<listing.count).contains {
        PathKey(listing.text($0)) == PathKey(swapped)
      }
      // Not compared by inode numbers: a file system in user space may have one for each name.
      return !isListed && fileExists(PathName.join(folder, swapped))
    }
    return nil
  }

  private static func swappingCase(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): byte ^ 0x20
    default: byte
    }
  }

  /// Returns a key that is equal for the names or paths that the file system does not tell apart.
  func key(_ name: String) -> NameKey {
    switch self {
    case .bytes: NameKey(exact: PathKey(name))
    case .folded: NameKey(folded: name.lowercased())
    }
  }
}

/// A name or path as a key of sets and dictionaries, by a ``NameRule``.
struct NameKey: Hashable {
  private let exact: PathKey?
  /// Text whose canonical equivalence counts, as that of all strings in Swift.
  private let folded: String?

  fileprivate init(exact: PathKey) { (self.exact, folded) = (exact, nil) }
  fileprivate init(folded: String) { (self.folded, exact) = (folded, nil) }
}
