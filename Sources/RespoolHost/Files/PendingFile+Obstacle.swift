import Glibc
import RespoolMedia

extension PendingFile {
  /// Why no file may take the place of what is at `target`; nil where nothing stands against it.
  ///
  /// What is read stays, under every name that it has; so does what is no regular file. A link to another
  /// file, or to nothing, may be replaced: by the new file itself, and what it led to stays.
  package static func obstacle(at target: String, inputs: Set<FileIdentity>) -> String? {
    var status = stat()
    guard FileName.withSystemPath(target, { stat($0, &status) }) == 0 else { return nil }
    if inputs.contains(FileIdentity(status)) {
      return "is what is read; the output needs a file of its own"
    }
    let kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: ""
      case S_IFDIR: "a folder"
      case S_IFIFO: "a pipe"
      case S_IFSOCK: "a socket"
      default: "a device"
      }
    return kind.isEmpty ? nil : "is \(kind), which no file can replace"
  }
}
