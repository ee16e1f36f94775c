import Glibc
import RespoolMedia

extension MediaError {
  /// What the system said about `path`: `what`, then the meaning of errno `number`.
  static func system(_ what: String, _ number: Int32, file: String) -> MediaError {
    MediaError(.io, "\(what): \(systemMessage(number))", file: file)
  }
}

/// The meaning of an errno, in lower case, as it reads behind a colon.
func systemMessage(_ number: Int32) -> String {
  switch number {
  case ENOSPC: return "no space left on the device"
  case EDQUOT: return "the disk quota is used up"
  default:
    guard let text = strerror(number) else { return "error \(number)" }
    let message = String(cString: text)
    return message.prefix(1).lowercased() + message.dropFirst()
  }
}
