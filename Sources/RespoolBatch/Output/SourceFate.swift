import Glibc
import RespoolHost

/// State of a source after its conversion, compared with the one before.
enum SourceFate {
  /// It is as it was.
  case same
  /// It has another name or is in another folder, with the content that was converted.
  case moved
  /// It was removed; the output has the content that it had.
  case removed
  /// Its content is another one, or another file has its path.
  case changed

  /// Compares the file that was converted, and what is at its path now, with the state in which it was found.
  init(of file: BatchFile, _ source: FileSource) {
    guard file.hasChanged else {
      self = .same
      return
    }
    var status = stat()
    guard !fileExists(file.path), fstat(source.descriptor, &status) == 0,
      FileStamp(status) == FileStamp(size: file.size, modified: file.modified)
    else {
      self = .changed
      return
    }
    self = status.st_nlink == 0 ? .removed : .moved
  }

  /// Sentences about the source for the user, whose output is complete.
  var notes: [String] {
    switch self {
    case .same, .changed: []
    case .moved:
      ["the source was moved while it was converted; its output moves when it is found again"]
    case .removed: ["the source was removed while it was converted"]
    }
  }
}
