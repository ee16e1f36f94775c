import Glibc
import RespoolMedia

/// The input folders that a folder of the output tree mirrors, and the files in them that are left to be planned.
///
/// Usually one input has such a folder. The files of all are in the order of their names without extensions, so that
/// those whose outputs may get the same name follow each other.
final class SourceFolder {
  /// The folder of one input.
  struct Part {
    /// Number of the input.
    let input: Int
    let path: String
    let device: dev_t
    let listing: FolderListing
    /// Files that earlier batches have finished.
    let finished: FinishedFiles.Found
  }

  /// A file in one of the parts, or an input.
  ///
  /// Eight bytes, because a folder may have a million.
  struct Entry {
    private let storedPart: Int32
    private let storedIndex: Int32

    init(part: Int?, index: Int) {
      (storedPart, storedIndex) = (Int32(part ?? -1), Int32(index))
    }

    /// Number of the part; `nil` for an input that is a file.
    var part: Int? { storedPart < 0 ? nil : Int(storedPart) }
    /// Index in the listing of the part, or in the list of the inputs that are files.
    var index: Int { Int(storedIndex) }
  }

  /// Path below the inputs; empty for the inputs themselves.
  let relative: String
  let parts: [Part]
  /// Paths of the inputs that are files, as the user gave them.
  let inputs: [String]
  /// Names of the inputs that are files.
  private let inputNames: [[UInt8]]
  private var entries: [Entry] = []
  /// Index of the next entry that has not been taken.
  private var next = 0
  /// Sources of the outputs in this folder whose names have a suffix, by their path below the output folder.
  var renamed: [NameKey: String] = [:]
  /// Names of the folders in this one that are searched.
  var folders: Set<NameKey> = []
  /// Rule of the file system of the outputs.
  private let rule: NameRule
  /// Hashes of all names without extensions.
  private lazy var stems = Set(allEntries.map { stemHash($0) })

  init(_ relative: String, _ parts: [Part], inputs: [String], _ rule: NameRule) {
    (self.relative, self.parts, self.inputs, self.rule) = (relative, parts, inputs, rule)
    inputNames = inputs.map { PathName.bytes(PathName.last($0)) }
  }

  /// Sets the entries to take, in any order.
  func setEntries(_ entries: [Entry]) { self.entries = entries.sorted { order($0, $1) < 0 } }

  /// Removes and returns the next entries whose names differ only in their extensions; none at the end.
  func takeGroup() -> ArraySlice<Entry> {
    let start = next
    while next < entries.count, next == start || isSameStem(entries[start], entries[next]) {
      next += 1
    }
    return entries[start..<next]
  }

  /// Closes the folders, after their last file has been taken.
  func close() { for part in parts { part.listing.close() } }

  /// Path of an entry as the user would write it.
  func path(of entry: Entry) -> String {
    guard let part = entry.part else { return inputs[entry.index] }
    return PathName.join(parts[part].path, parts[part].listing.text(entry.index))
  }

  /// Returns `true` if a file in the folders has a name that is `stem` before its extension.
  func hasStem(_ stem: String) -> Bool {
    switch rule {
    case .bytes: PathName.bytes(stem).withUnsafeBytes { stems.contains(Self.hash($0[...])) }
    case .folded: stems.contains(rule.key(stem).hashValue)
    }
  }

  /// Returns `true` if a folder of that name is searched in the folders.
  func hasFolder(_ name: String) -> Bool { folders.contains(rule.key(name)) }

  // MARK: Names

  private var allEntries: [Entry] {
    inputs.indices.map { Entry(part: nil, index: $0) }
      + parts.enumerated().flatMap { number, part in
        (0..<part.listing.count).map { Entry(part: number, index: $0) }
      }
  }

  private func withName<Result>(
    _ entry: Entry, _ body: (UnsafeRawBufferPointer, _ stem: Int) -> Result
  ) -> Result {
    guard let part = entry.part else {
      return inputNames[entry.index].withUnsafeBytes { body($0, PathName.stemLength(of: $0)) }
    }
    return parts[part].listing.withName(entry.index, body)
  }

  /// Returns the name before the extension, with small letters.
  private func foldedStem(_ entry: Entry) -> String {
    withName(entry) { PathName.text(Array($0.prefix($1))) }.lowercased()
  }

  private func stemHash(_ entry: Entry) -> Int {
    switch rule {
    case .bytes: withName(entry) { Self.hash($0.prefix($1)) }
    case .folded: rule.key(foldedStem(entry)).hashValue
    }
  }

  private func isSameStem(_ a: Entry, _ b: Entry) -> Bool {
    if rule == .folded { return foldedStem(a) == foldedStem(b) }
    return withName(a) { a, stem in
      withName(b) { b, other in
        stem == other && a.prefix(stem).elementsEqual(b.prefix(other))
      }
    }
  }

  /// Compares the names before the extensions, then the whole names, then the inputs.
  private func order(_ a: Entry, _ b: Entry) -> Int {
    if rule == .folded {
      let (stem, other) = (foldedStem(a), foldedStem(b))
      if stem != other { return stem < other ? -1 : 1 }
    }
    let order = withName(a) { name, stem in
      withName(b) { other, otherStem in
        let order = FolderListing.order(
          UnsafeRawBufferPointer(rebasing: name.prefix(stem)),
          UnsafeRawBufferPointer(rebasing: other.prefix(otherStem)))
        return order != 0 ? order : FolderListing.order(name, other)
      }
    }
    return order != 0 ? order : (a.part ?? -1, a.index) < (b.part ?? -1, b.index) ? -1 : 1
  }

  private static func hash(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes))
    return hasher.finalize()
  }
}
