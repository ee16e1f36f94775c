import Glibc
import RespoolMedia

extension PendingFile {
  /// Returns the reason why no file may replace the one at `target`; `nil` if it may be replaced.
  ///
  /// An input is never replaced, under any of its names. Only regular files are replaced. A link to another
  /// file, or to nothing, may be replaced: the new file takes the place of the link, and the file it led to
  /// stays.
  package static func obstacle(at target: String, inputs: Set<FileIdentity>) -> String? {
    var status = stat()
    guard PathName.withSystemPath(target, { stat($0, &status) }) == 0 else { return nil }
    if inputs.contains(FileIdentity(status)) {
      return "is also the input; choose another output"
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
