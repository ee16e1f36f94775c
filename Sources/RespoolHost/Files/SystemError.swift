import Glibc
package import RespoolMedia

extension MediaError {
  /// Returns an error about `file`: `what`, then the meaning of errno `number`.
  package static func system(_ what: String, _ number: Int32, file: String) -> MediaError {
    MediaError(
      .io, "\(what): \(systemMessage(number))", file: file, detail: Detail(systemError: number))
  }
}

extension MediaError.Detail {
  /// Creates the detail for errno `number`; `nil` if there is none for it.
  init?(systemError number: Int32) {
    switch number {
    case EEXIST: self = .fileAlreadyExists
    case ENOENT, ENOTDIR: self = .fileNotFound
    case EACCES, EPERM, EROFS: self = .noPermission
    case ENOSPC, EDQUOT: self = .diskFull
    default: return nil
    }
  }
}

/// The limit of open files as part of a sentence; empty if unknown.
private var openFileLimit: String {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return "" }
  return ": the limit is \(limit.rlim_cur)"
}

/// Returns the meaning of an errno, in lower case, for use after a colon.
package func systemMessage(_ number: Int32) -> String {
  switch number {
  case ENOSPC: return "no space left on the device"
  case EDQUOT: return "the disk quota is used up"
  case EMFILE: return "too many open files\(openFileLimit); raise it with ulimit -n"
  default:
    guard let text = strerror(number) else { return "error \(number)" }
    let message = String(cString: text)
    return message.prefix(1).lowercased() + message.dropFirst()
  }
}
