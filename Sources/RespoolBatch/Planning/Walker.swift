import CLinux
import Glibc
import RespoolHost
import RespoolMedia

/// A search for the files of a batch: every regular file below the inputs, folder by folder.
///
/// Folders with the same path below several inputs are searched together, because their outputs get into one folder.
/// The files of a folder come before those in the folders below it. Folders that links lead to come after all others,
/// so that a folder is found at its own path first.
///
/// The search stays in the file system of each input, skips file systems that the kernel generates, and
/// enters folders through links only if requested.
struct Walker {
  /// A file that was found.
  struct Found {
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
    /// Path below the output folder of the output that an earlier batch has finished; `nil` if there may be work.
    var finished: String?

    /// Reason to skip the file because of its size; `nil` if it is not empty.
    var skipReason: String? { size == 0 ? "the file is empty" : nil }
  }

  /// Files of one folder of the output tree whose names differ only in their extensions.
  struct Group {
    let files: [Found]
    let folder: SourceFolder
  }

  /// A file or folder that is left out.
  struct Problem {
    var path: String
    var reason: String
    /// `true` if that is intended; `false` if the user may miss the file.
    var isHarmless = false
    /// `true` if the user has excluded it.
    var isExcluded = false
    /// `true` for a symbolic link whose file does not exist.
    var isBrokenLink = false
  }

  /// A folder of one input.
  private struct Place {
    let input: Int
    let path: String
    let status: stat
  }

  /// Folders with the same path below their inputs.
  private struct Places {
    let relative: String
    let depth: Int
    var folders: [Place]

    /// Returns the folders of one input.
    func of(input: Int) -> Places {
      var places = self
      places.folders.removeAll { $0.input != input }
      return places
    }
  }

  /// Problems that have not been taken.
  private var problems: [Problem] = []
  /// Function that is called now and then with the number of files found so far.
  ///
  /// `false` ends the search.
  var step: (Int) -> Bool = { _ in true }
  /// Number of files that have been found so far, without those of `finishedCount`.
  private(set) var foundCount = 0
  /// Number of finished files that were only counted.
  private(set) var finishedCount = 0
  /// `true` if `step` has ended the search.
  private(set) var isStopped = false
  private let inputs: [String]
  /// Inputs that are files, until they have been taken.
  private var inputFiles: [String] = []
  /// Folders to be searched, the next one last.
  private var pending: [Places] = []
  /// Links to folders, which are entered after all folders.
  private var links: [(relative: String, depth: Int, place: Place)] = []
  /// Folder whose files are being taken.
  private var current: SourceFolder?
  /// Folders of each input that have been entered, so that links do not cause an endless loop.
  private var entered: [Set<FileIdentity>]
  /// Absolute paths of files that an earlier input has too, by the number of the input.
  private var doubles: [Int: Set<PathKey>] = [:]
  private let excluded: FileIdentity?
  private let filter: FileFilter
  private let followsLinks: Bool
  /// `true` if files are replaced by their outputs: folders with outputs of other batches are left out.
  private let isReplacing: Bool
  /// Advice about a link to a folder that is not entered.
  private let linkAdvice: String
  /// Rule of the file system of the outputs.
  private let rule: NameRule
  /// Search for finished files, which are only counted unless their names are wanted; `nil` if none is known.
  private let finishedFiles: FinishedFiles?

  /// Prepares a search.
  ///
  /// Links that the user names as inputs are followed. A file that lies in two inputs belongs to the first one.
  ///
  /// - Parameters:
  ///   - excluding: the output folder, or the one for replaced originals, which is skipped if it lies inside an input.
  ///   - followsLinks: `nil` for a command that has no option for it.
  ///   - rule: rule by which the file system of the outputs tells names apart.
  init(
    _ inputs: [String], excluding folder: String?, followsLinks: Bool?,
    filter: FileFilter = FileFilter(), finishedFiles: FinishedFiles? = nil,
    rule: NameRule = .bytes, isReplacing: Bool = false
  ) {
    self.rule = rule
    self.isReplacing = isReplacing
    // An input that is named twice is one.
    var names: Set<PathKey> = []
    self.inputs = inputs.filter { names.insert(PathKey(PathName.absolute($0))).inserted }
    self.filter = filter
    excluded = folder.flatMap { FileIdentity($0) }
    self.followsLinks = followsLinks ?? false
    linkAdvice =
      followsLinks == nil ? "name it as an input to enter it" : "--follow-links enters it"
    entered = Array(repeating: [], count: self.inputs.count)
    // Files that lie in two inputs have to be told apart by their paths.
    self.finishedFiles = Self.areDistinct(self.inputs) ? finishedFiles : nil
    begin()
  }

  /// Returns `true` if no input is another one, or lies below it.
  private static func areDistinct(_ inputs: [String]) -> Bool {
    let paths = inputs.map { PathName.bytes(PathName.absolute($0)) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    return zip(paths, paths.dropFirst()).allSatisfy { !$1.starts(with: $0) }
  }

  /// Prepares the inputs to be searched.
  private mutating func begin() {
    var folders: [Place] = []
    for (number, path) in inputs.enumerated() {
      guard let status = Self.status(path, followsLink: true) else {
        problems.append(Problem(path: path, reason: errorText(errno)))
        continue
      }
      guard status.isFolder else {
        inputFiles.append(path)
        continue
      }
      let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
      if Self.isMadeUp(trimmed) {
        problems.append(Problem(path: path, reason: Self.madeUp))
      } else {
        folders.append(Place(input: number, path: trimmed, status: status))
      }
    }
    pending = [Places(relative: "", depth: 0, folders: folders)]
  }

  /// Finds the files that two inputs have, by searching each input alone; call it before `next`.
  mutating func findDoubles() {
    guard !Self.areDistinct(inputs) else { return }
    var seen: Set<PathKey> = []
    for (number, input) in inputs.enumerated() where !isStopped {
      var walker = self
      walker.inputFiles = inputFiles.filter { $0 == input }
      walker.pending = pending.map { $0.of(input: number) }
      walker.foundCount = seen.count
      while let group = walker.next() {
        for found in group.files {
          let path = PathKey(PathName.absolute(found.path))
          if !seen.insert(path).inserted { doubles[number, default: []].insert(path) }
        }
      }
      isStopped = walker.isStopped
      if let paths = doubles[number], inputFiles.contains(input),
        paths.contains(PathKey(PathName.absolute(input)))
      {
        inputFiles.removeAll { $0 == input }
      }
    }
  }

  /// Returns the problems that were found since the last call.
  mutating func takeProblems() -> [Problem] {
    defer { problems = [] }
    return problems
  }

  /// Returns the next files; `nil` at the end, or if the search was ended.
  mutating func next() -> Group? {
    while !isStopped {
      while let folder = current {
        let entries = folder.takeGroup()
        guard !entries.isEmpty else {
          folder.close()
          current = nil
          break
        }
        let files = entries.compactMap { found($0, in: folder) }
        foundCount += files.count
        if !files.isEmpty { return Group(files: files, folder: folder) }
      }
      guard let places = nextPlaces() else { return nil }
      current = search(places)
    }
    return nil
  }

  // MARK: Folders

  /// Returns the next folders to be searched: those of links at last, together if they have the same path below
  /// their inputs.
  private mutating func nextPlaces() -> Places? {
    if let places = pending.popLast() { return places }
    guard let link = links.first else { return nil }
    let isTogether = { (other: (relative: String, depth: Int, place: Place)) in
      PathKey(other.relative) == PathKey(link.relative)
    }
    defer { links.removeAll(where: isTogether) }
    return Places(
      relative: link.relative, depth: link.depth,
      folders: links.filter(isTogether).map(\.place))
  }

  /// Lists folders: returns their files, and notes the folders below them.
  private mutating func search(_ places: Places) -> SourceFolder {
    var parts: [SourceFolder.Part] = []
    for place in places.folders {
      guard let part = list(place, places) else { continue }
      // Many inputs must not take all descriptors.
      if parts.count >= 16 { part.listing.close() }
      parts.append(part)
    }
    let folder = SourceFolder(places.relative, parts, inputs: inputFiles, rule)
    inputFiles = []
    var entries = folder.inputs.indices.map { SourceFolder.Entry(part: nil, index: $0) }
    // Folders below, in the order in which they are found.
    var below: [Places] = []
    var numbers: [NameKey: Int] = [:]
    for (number, part) in parts.enumerated() {
      for index in 0..<part.listing.count {
        if index % 4096 == 0, !step(foundCount + finishedCount + entries.count) {
          isStopped = true
          return folder
        }
        if part.finished.contains(index), part.finished.outputs.isEmpty {
          finishedCount += 1
          continue
        }
        let entry = SourceFolder.Entry(part: number, index: index)
        switch kind(of: index, in: part, places) {
        case .file: entries.append(entry)
        case .leftOut: break
        case .folder(let found):
          let name = part.listing.text(index)
          if let number = numbers[rule.key(name)] {
            below[number].folders.append(found)
          } else {
            numbers[rule.key(name)] = below.count
            below.append(
              Places(
                relative: Self.join(places.relative, name), depth: places.depth + 1,
                folders: [found]))
          }
        }
      }
    }
    if !step(foundCount + finishedCount) { isStopped = true }
    folder.setEntries(entries)
    folder.folders = Set(numbers.keys)
    pending += below.reversed()
    return folder
  }

  /// Returns the listing of a folder; `nil` if it is not entered.
  private mutating func list(_ place: Place, _ places: Places) -> SourceFolder.Part? {
    let identity = FileIdentity(place.status)
    guard identity != excluded else {
      skip(place.path, isReplacing ? "the folder for the originals" : "the output folder")
      return nil
    }
    guard entered[place.input].insert(identity).inserted else {
      skip(place.path, "the folder was already read under another path")
      return nil
    }
    guard places.depth < 256 else {
      problems.append(
        Problem(path: place.path, reason: "folders are nested more than 256 deep"))
      return nil
    }
    guard let listing = FolderListing(place.path) else {
      problems.append(Problem(path: place.path, reason: errorText(errno)))
      return nil
    }
    if places.depth > 0, listing.contains(OriginalsFolder.markName) {
      skip(
        place.path,
        "it has originals that a batch has replaced; name it as an input to convert them")
      return nil
    }
    if places.depth > 0, isReplacing, fileExists(OutputFolder.ledgerPath(in: place.path)) {
      skip(place.path, "it has a ledger of its own; name it as the input to replace its files")
      return nil
    }
    let finished = finishedFiles?.find(in: place.path, listing) { index, status in
      guard !filter.isEmpty else { return true }
      let name = listing.text(index)
      return filter.reason(
        againstFile: name, Self.join(places.relative, name), size: Int64(status.st_size),
        modified: status.modified) == nil
    }
    return SourceFolder.Part(
      input: place.input, path: place.path, device: place.status.st_dev, listing: listing,
      finished: finished ?? FinishedFiles.Found())
  }

  /// Kind of a name in a folder.
  private enum Kind {
    case file
    /// A folder to be searched.
    case folder(Place)
    /// Neither, or a link to a folder, which is searched later.
    case leftOut
  }

  /// Returns the kind of the name with an index; names that are left out are noted.
  private mutating func kind(of index: Int, in part: SourceFolder.Part, _ places: Places) -> Kind {
    let isHidden = part.listing.isHidden(index)
    if !isHidden, part.listing.type(index) == DT_REG { return .file }
    let name = part.listing.text(index)
    let path = PathName.join(part.path, name)
    // Settings, thumbnails, macOS's "._" companion files, and Respool's own unfinished outputs.
    if isHidden {
      let isOwn =
        isReplacing && places.depth == 0 && name == OutputFolder.stateName
        || PendingFile.isTemporary(name)
      if !isOwn { skip(path, "hidden: its name starts with a dot") }
      return .leftOut
    }
    guard var status = part.listing.status(index) else {
      problems.append(Problem(path: path, reason: errorText(errno)))
      return .leftOut
    }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    if isLink {
      guard let target = Self.status(path, followsLink: true) else {
        problems.append(
          Problem(path: path, reason: "a broken link: \(errorText(errno))", isBrokenLink: true))
        return .leftOut
      }
      status = target
    }
    guard status.isFolder else { return .file }
    let relative = Self.join(places.relative, name)
    let place = Place(input: part.input, path: path, status: status)
    if let reason = filter.reason(againstFolder: name, relative) {
      exclude(path, reason)
    } else if isLink, !followsLinks {
      skip(path, "a link to a folder; \(linkAdvice)")
    } else if !isLink, status.st_dev != part.device {
      let reason =
        Self.isMadeUp(path)
        ? Self.madeUp : "on another file system; name it as an input to convert it too"
      skip(path, reason)
    } else if !isLink {
      return .folder(place)
    } else if Self.isMadeUp(path) {
      skip(path, Self.madeUp)
    } else {
      // A followed link may lead to another file system, which is its purpose.
      links.append((relative, places.depth + 1, place))
    }
    return .leftOut
  }

  // MARK: Files

  /// Returns a file with its status; `nil` if it is left out.
  private mutating func found(_ entry: SourceFolder.Entry, in folder: SourceFolder) -> Found? {
    let path = folder.path(of: entry)
    guard let status = Self.status(of: entry, at: path, in: folder) else {
      problems.append(Problem(path: path, reason: errorText(errno)))
      return nil
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      skip(path, "not a regular file")
      return nil
    }
    let name = PathName.last(path)
    let relative = Self.join(folder.relative, name)
    var finished: String?
    if let number = entry.part {
      let part = folder.parts[number]
      if let reason = filter.reason(
        againstFile: name, relative, size: Int64(status.st_size), modified: status.modified)
      {
        exclude(path, reason)
        return nil
      }
      if let known = doubles[part.input], known.contains(PathKey(PathName.absolute(path))) {
        return nil
      }
      finished = part.finished.contains(entry.index) ? part.finished.outputs[entry.index] : nil
    }
    return Found(
      path: path, relative: relative, size: Int64(status.st_size), modified: status.modified,
      changed: status.changed, inode: Int64(bitPattern: UInt64(status.st_ino)),
      finished: finished)
  }

  /// Returns the status of a file, or of the file that a link leads to.
  private static func status(
    of entry: SourceFolder.Entry, at path: String, in folder: SourceFolder
  ) -> stat? {
    guard let part = entry.part else { return status(path, followsLink: true) }
    guard let own = folder.parts[part].listing.status(entry.index) else { return nil }
    return own.st_mode & S_IFMT == S_IFLNK ? status(path, followsLink: true) : own
  }

  private mutating func skip(_ path: String, _ reason: String) {
    problems.append(Problem(path: path, reason: reason, isHarmless: true))
  }

  private mutating func exclude(_ path: String, _ reason: String) {
    problems.append(Problem(path: path, reason: reason, isHarmless: true, isExcluded: true))
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder.isEmpty ? name : folder + "/" + name
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
