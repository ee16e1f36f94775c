import Glibc
import RespoolHost
import RespoolMedia

/// The folder in which originals are kept, on any file system.
struct OriginalsFolder {
  /// Absolute path.
  let path: String

  /// Name of a file in the folder, which keeps batches from converting the originals.
  static let markName = ".respool-originals"

  private static let markText = """
    Originals of files that respool batch --replace has replaced.
    respool restore FOLDER puts them back, with the folder that was converted.

    """

  /// Line of the mark in a folder that the user has made, which stays when it is empty.
  private static let ownedMark = "The folder was there before, and stays when it is empty.\n"

  init(_ path: String) { self.path = PathName.absolute(path) }

  /// Creates the folder and its mark; returns `false` if it has the mark already.
  ///
  /// Throws `io` if it cannot be created or written to.
  func prepare() throws(MediaError) -> Bool {
    let isOwned = fileExists(path)
    try makeDurableFolder(path, named: "the folder for the originals")
    let mark = PathName.join(path, Self.markName)
    var status = stat()
    // A power cut may leave an empty file.
    if PathName.withSystemPath(mark, { lstat($0, &status) }) == 0, status.st_size > 0 {
      return false
    }
    let file = PathName.withSystemPath(mark) {
      open($0, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
    }
    guard file >= 0 else {
      throw .system("the folder for the originals cannot be written to", errno, file: path)
    }
    defer { close(file) }
    var text = Self.markText + (isOwned ? Self.ownedMark : "")
    var number = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: file) }
    if number == 0 { number = syncContent(of: file) }
    guard number == 0 else {
      removeFile(mark)
      throw .system("the folder for the originals cannot be written to", number, file: path)
    }
    try syncFolder(path)
    return true
  }

  /// Removes the folder if it is empty, or has no originals with `isUnused`; only its mark if it was there before.
  func removeIfEmpty(isUnused: Bool = false) {
    guard let listing = FolderListing(path),
      isUnused || listing.count == 1 && listing.text(0) == Self.markName
    else { return }
    let mark = PathName.join(path, Self.markName)
    let text = try? TextFile.read(mark, called: "mark of the folder")
    removeFile(mark)
    // Without the text, it may be the user's.
    guard let text, !text.hasSuffix(Self.ownedMark) else { return }
    _ = PathName.withSystemPath(path) { rmdir($0) }
  }

  /// Returns a free absolute path for the original of a source at `relative` below the input.
  func freePath(for relative: String) -> String {
    let name = PathName.last(relative)
    let stem = PathName.splitExtension(name).stem
    // With upper and lower case as in the name.
    let ending = String(name.utf8.dropFirst(stem.utf8.count)) ?? ""
    var candidate = PathName.join(path, relative)
    var number = 2
    while fileExists(candidate) {
      candidate = PathName.join(
        PathName.join(path, PathName.folder(relative)), "\(stem) \(number)\(ending)")
      number += 1
    }
    return candidate
  }
}
