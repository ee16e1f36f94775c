import CLinux
import Glibc
import Respool
import RespoolMedia

/// A search for the files of a batch: every regular file below the inputs, in the order of their names.
///
/// Folders that links lead to come after all others of their input, so that a folder is found at its own path
/// first.
///
/// The search stays in the file system of each input, skips file systems that the kernel generates, and
/// enters folders through links only if requested.
struct Walker {
  /// A file that was found.
  struct Found: Sendable {
    /// Path as the user would write it: the input joined with the path below it.
    var path: String
    /// Path below the input, for the output's folder tree.
    ///
    /// For an input that is a file, its name.
    var relative: String
    var size: Int64
    /// Modification time in nanoseconds since 1970.
    var modified: Int64
    /// Time of the last change of content or attributes, in nanoseconds since 1970.
    var changed: Int64
    var inode: Int64
    var identity: FileIdentity
    /// Path below the output folder of the output that an earlier batch has finished; `nil` if there may be work.
    var finished: String?

    /// Reason to skip the file because of its size; `nil` if it is not empty.
    var skipReason: String? { size == 0 ? "the file is empty" : nil }
  }

  /// A file or folder that is left out.
  struct Problem {
    var path: String
    var reason: String
    /// `true` if that is intended; `false` if the user may miss the file.
    var isHarmless = false
    /// `true` if the user has excluded it.
    var isExcluded = false
  }

  private(set) var problems: [Problem] = []
  private(set) var files: [Found] = []
  /// Function that is called every few files with their number.
  ///
  /// `false` ends the walk.
  var step: (Int) -> Bool = { _ in true }
  /// Search for finished files, which are only counted unless their names are wanted; `nil` if none is known.
  var finishedFiles: FinishedFiles?
  /// Number of finished files that are not among ``files``.
  private(set) var finishedCount = 0
  private var isStopped = false
  private var stepCount = 0
  /// Number of folders above the current place in the tree.
  private var depth = 0
  /// Folders that have been entered, so that links do not cause an endless loop.
  private var entered: Set<FileIdentity> = []
  /// Links to folders, which are entered after the folders of the input.
  private var links: [(path: String, relative: String, status: stat)] = []
  private let excluded: FileIdentity?
  private let filter: FileFilter
  private let followsLinks: Bool
  /// Advice about a link to a folder that is not entered.
  private let linkAdvice: String

  /// Creates a walker.
  ///
  /// `excluding` is the output folder, which is skipped if it lies inside an input.
  ///
  /// `followsLinks` is `nil` for a command that has no option for it.
  init(excluding folder: String?, followsLinks: Bool?, filter: FileFilter = FileFilter()) {
    self.filter = filter
    excluded = folder.flatMap { FileIdentity($0) }
    self.followsLinks = followsLinks ?? false
    linkAdvice =
      followsLinks == nil ? "name it as an input to enter it" : "--follow-links enters it"
  }

  /// Adds the files at `path`, a file or a folder.
  ///
  /// Links are followed, because the user has named them.
  mutating func walk(_ path: String) {
    guard let status = Self.status(path, followsLink: true) else {
      problems.append(Problem(path: path, reason: errorText(errno)))
      return
    }
    if status.isFolder {
      let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
      guard !Self.isMadeUp(trimmed) else {
        problems.append(Problem(path: path, reason: Self.madeUp))
        return
      }
      // Each input has a tree of its own, even if another input contains the same folders.
      entered = []
      descend(trimmed, relative: "", status)
      while !links.isEmpty, !isStopped {
        let link = links.removeFirst()
        descend(link.path, relative: link.relative, link.status)
      }
    } else {
      add(path, name: nil, relative: PathName.last(path), status)
    }
  }

  private mutating func descend(_ folder: String, relative: String, _ status: stat) {
    let identity = FileIdentity(status)
    guard identity != excluded else { return skip(folder, "the output folder") }
    guard entered.insert(identity).inserted else {
      skip(folder, "the folder was already read under another path")
      return
    }
    guard depth < 256 else {
      problems.append(Problem(path: folder, reason: "folders are nested more than 256 deep"))
      return
    }
    guard let (listing, finished) = list(folder, relative) else {
      problems.append(Problem(path: folder, reason: errorText(errno)))
      return
    }
    depth += 1
    defer { depth -= 1 }
    for index in 0..<listing.count {
      stepCount += 1
      if stepCount % 64 == 0, !step(files.count + finishedCount) { isStopped = true }
      guard !isStopped else { return }
      let isFinished = finished.contains(index)
      if isFinished, finished.outputs.isEmpty {
        finishedCount += 1
        continue
      }
      let name = listing.text(index)
      let path = PathName.join(folder, name)
      let below = relative.isEmpty ? name : relative + "/" + name
      visit(path, name: name, relative: below, device: status.st_dev)
      if isFinished, files.last?.path == path {
        files[files.count - 1].finished = finished.outputs[index]
      }
    }
  }

  /// Lists a folder and finds the finished files in it; `nil` with `errno` if it cannot be read.
  private func list(_ folder: String, _ relative: String)
    -> (FolderListing, FinishedFiles.Found)?
  {
    guard let listing = FolderListing(folder) else { return nil }
    // A tree that is deeper than the limit of open files is read nevertheless.
    defer { listing.close() }
    guard let finishedFiles else { return (listing, FinishedFiles.Found()) }
    let found = finishedFiles.find(in: folder, listing) { index, status in
      guard !filter.isEmpty else { return true }
      let name = listing.text(index)
      let below = relative.isEmpty ? name : relative + "/" + name
      return filter.reason(
        againstFile: name, below, size: Int64(status.st_size), modified: status.modified) == nil
    }
    return (listing, found)
  }

  private mutating func visit(_ path: String, name: String, relative: String, device: dev_t) {
    // Settings, thumbnails, macOS's "._" companion files, and Respool's own unfinished outputs.
    if name.hasPrefix(".") { return skip(path, "hidden: its name starts with a dot") }
    guard var status = Self.status(path, followsLink: false) else {
      problems.append(Problem(path: path, reason: errorText(errno)))
      return
    }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    if isLink {
      guard let target = Self.status(path, followsLink: true) else {
        problems.append(
          Problem(path: path, reason: "a broken link: \(errorText(errno))"))
        return
      }
      status = target
    }
    guard status.isFolder else { return add(path, name: name, relative: relative, status) }
    if let reason = filter.reason(againstFolder: name, relative) { return exclude(path, reason) }
    if isLink, !followsLinks {
      return skip(path, "a link to a folder; \(linkAdvice)")
    }
    // A followed link may lead to another file system, which is its purpose.
    if !isLink, status.st_dev != device {
      let reason =
        Self.isMadeUp(path)
        ? Self.madeUp : "on another file system; name it as an input to convert it too"
      return skip(path, reason)
    }
    guard isLink else { return descend(path, relative: relative, status) }
    if Self.isMadeUp(path) { return skip(path, Self.madeUp) }
    links.append((path, relative, status))
  }

  /// Adds a file; `name` is `nil` for an input.
  private mutating func add(
    _ path: String, name: String?, relative: String, _ status: stat
  ) {
    guard status.st_mode & S_IFMT == S_IFREG else { return skip(path, "not a regular file") }
    if let name,
      let reason = filter.reason(
        againstFile: name, relative, size: Int64(status.st_size), modified: status.modified)
    {
      return exclude(path, reason)
    }
    files.append(
      Found(
        path: path, relative: relative, size: Int64(status.st_size), modified: status.modified,
        changed: status.changed, inode: Int64(bitPattern: UInt64(status.st_ino)),
        identity: FileIdentity(status)))
  }

  private mutating func skip(_ path: String, _ reason: String) {
    problems.append(Problem(path: path, reason: reason, isHarmless: true))
  }

  private mutating func exclude(_ path: String, _ reason: String) {
    problems.append(Problem(path: path, reason: reason, isHarmless: true, isExcluded: true))
  }

  private static let madeUp = "generated by the kernel, not stored"

  private static func isMadeUp(_ folder: String) -> Bool {
    PathName.withSystemPath(folder) { linux_is_kernel_file_system($0) }
  }

  private static func status(_ path: String, followsLink: Bool) -> stat? {
    var status = stat()
    let result = PathName.withSystemPath(path) {
      followsLink ? stat($0, &status) : lstat($0, &status)
    }
    return result == 0 ? status : nil
  }
}

extension stat {
  fileprivate var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}

/// Returns the system's message for an error number.
func errorText(_ number: Int32) -> String {
  number == EMFILE ? systemMessage(number) : String(cString: strerror(number))
}
