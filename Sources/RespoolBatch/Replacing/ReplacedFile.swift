import Glibc
import RespoolHost
import RespoolMedia

/// The source of an output that replaces it, as the ledger keeps it.
struct ReplacedFile: Hashable {
  /// State of the replacement; the numbers are stored.
  enum State: Int64 {
    /// The output is complete, and its source is being replaced.
    case replacing = 1
    case replaced
    /// The source is being put back.
    case restoring
    /// The source was put back; the entry has no output.
    case restored
    /// The output was changed and then replaced itself; the original is kept.
    case superseded
  }

  var state: State
  /// Absolute path of the original; `nil` if it is not kept.
  var kept: String?
  /// Name that the original has meanwhile, in the folder of the source; `nil` if the replacement is finished.
  var temporary: String?

  /// Returns a new temporary name.
  ///
  /// It is hidden from batches, and none of those names that a later batch removes.
  static func temporaryName() -> String {
    ".respool-" + String(UInt64.random(in: 0...UInt64.max), radix: 16) + ".original"
  }

  /// Suffix of a second name while two files are exchanged on a file system that cannot do it in one step.
  static let exchangeSuffix = ".old"
}

/// Paths of a replacement.
struct ReplacedPaths {
  /// Absolute path of the source, beside the output even if their folder was moved.
  let source: String
  /// Path of the output.
  let output: String
  /// Path of the original while it is replaced or restored.
  let temporary: String
  /// `true` if source and output have the same path.
  let isSame: Bool

  /// Returns the paths of an entry of the ledger of `folder`; `nil` unless the entry has a temporary name.
  init?(_ entry: LedgerEntry, in folder: String) {
    guard let made = entry.output, let name = entry.replaced?.temporary else { return nil }
    output = PathName.absolute(PathName.join(folder, made.name))
    let parent = PathName.folder(output)
    source = PathName.join(parent, PathName.last(entry.source))
    temporary = PathName.join(parent, name)
    isSame = PathKey(source) == PathKey(output)
  }
}

/// Comparison of files with the original and the output of an entry, by size and samples.
struct ReplacedContent {
  enum Kind { case original, output, other, none }

  let entry: LedgerEntry

  /// Returns the content that a path has.
  ///
  /// A file that could be both counts as the original.
  func kind(_ path: String) -> Kind {
    var status = stat()
    guard PathName.withSystemPath(path, { lstat($0, &status) }) == 0 else { return .none }
    guard status.st_mode & S_IFMT == S_IFREG else { return .other }
    let size = Int64(status.st_size)
    guard let samples = ContentMark(path: path, changed: status.changed)?.samples else {
      return .other
    }
    if size == entry.sourceStamp.size, samples == entry.sourceMark?.samples { return .original }
    if let made = entry.output, size == made.stamp.size, samples == made.mark?.samples {
      return .output
    }
    return .other
  }

  /// Returns `true` if two files have the same bytes.
  static func isEqual(_ path: String, _ other: String) -> Bool {
    do throws(MediaError) {
      let (a, b) = (try FileSource(path: path), try FileSource(path: other))
      guard a.size == b.size else { return false }
      var offset: Int64 = 0
      while offset < a.size {
        let count = min(1 << 20, a.size - offset)
        guard try a.bytes(at: offset, count: count) == b.bytes(at: offset, count: count) else {
          return false
        }
        offset += count
      }
      return true
    } catch { return false }
  }
}
