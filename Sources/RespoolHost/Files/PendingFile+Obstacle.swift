package import Glibc
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
    return status.specialKind.map { "is \($0), which no file can replace" }
  }
}

extension stat {
  /// The kind of anything but a regular file, with its article; `nil` for a regular file.
  package var specialKind: String? {
    switch st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFLNK: "a link"
    case S_IFDIR: "a folder"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }
}

extension MediaError {
  /// A finished file that cannot get its name, with the number of the system's error.
  static func notRenamed(to target: String, _ number: Int32) -> MediaError {
    var status = stat()
    if [EEXIST, EISDIR, ENOTEMPTY].contains(number),
      PathName.withSystemPath(target, { lstat($0, &status) }) == 0
    {
      return MediaError(
        .io, "\(status.specialKind ?? "another file") got the name while the file was made",
        file: target, detail: MediaError.Detail(systemError: number))
    }
    return MediaError(
      .io, "the finished file cannot be renamed", file: target, cause: systemMessage(number),
      detail: MediaError.Detail(systemError: number))
  }
}
