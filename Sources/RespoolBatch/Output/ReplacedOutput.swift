import Glibc
import Respool
import RespoolMedia

/// The file that an output replaces when it gets its name.
enum ReplacedOutput: Equatable {
  /// None: the name must be free.
  case none
  /// A file as it was when the batch decided to replace it; any other one stays.
  case known(KnownFile)
  /// Any file: the source that the output replaces, or a link, which the user wants to be replaced.
  case any
}

/// A file as it was at some time.
struct KnownFile: Hashable {
  var stamp: FileStamp
  /// `nil` if the file could not be read.
  var mark: ContentMark?

  /// Describes the regular file at `path`; `nil` if there is none.
  ///
  /// Its samples are read unless `output` has them.
  init?(_ path: String, like output: LedgerEntry.Output?) {
    guard let status = Self.status(path) else { return nil }
    stamp = FileStamp(status)
    mark =
      if let output, output.stamp == stamp, output.mark?.changed == status.changed {
        output.mark
      } else {
        ContentMark(path: path, changed: status.changed)
      }
  }

  /// Returns `true` if the file is at a path and probably has its content.
  func isAt(_ path: String) -> Bool {
    guard let status = Self.status(path) else { return false }
    return stamp.matches(FileStamp(status))
      && mark?.matches(path, changed: status.changed) ?? true
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    guard PathName.withSystemPath(path, { lstat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return status
  }
}

// A replaced output as fields of a message.
extension ReplacedOutput {
  private enum Kind: String { case none, known, any }

  init?(_ fields: inout MessageFields) {
    switch fields.text().flatMap(Kind.init) {
    case nil: return nil
    case .none?: self = .none
    case .any?: self = .any
    case .known?:
      guard let file = KnownFile(&fields) else { return nil }
      self = .known(file)
    }
  }

  func put(into fields: inout MessageFields) {
    switch self {
    case .none: fields.put(Kind.none.rawValue)
    case .any: fields.put(Kind.any.rawValue)
    case .known(let file):
      fields.put(Kind.known.rawValue)
      file.put(into: &fields)
    }
  }
}

extension KnownFile {
  fileprivate init?(_ fields: inout MessageFields) {
    guard let size: Int64 = fields.value(), let modified: Int64 = fields.value(),
      let changed: Int64 = fields.value(), let samples = fields.text()
    else { return nil }
    stamp = FileStamp(size: size, modified: modified)
    let bytes = samples.split(separator: " ").compactMap { UInt8($0) }
    mark = bytes.isEmpty ? nil : ContentMark(changed: changed, samples: bytes)
  }

  fileprivate func put(into fields: inout MessageFields) {
    for value in [stamp.size, stamp.modified, mark?.changed ?? 0] { fields.put(value) }
    fields.put((mark?.samples ?? []).map(\.description).joined(separator: " "))
  }
}
