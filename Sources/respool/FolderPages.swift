import Glibc
import RespoolBatch
import RespoolMedia
import RespoolServer

/// The answers of `respool serve`: the page, its data, and the files that it links.
struct FolderPages: Sendable {
  private let live: LiveFolder
  /// Word that requests must have; `nil` if they need none.
  private let token: String?
  /// `true` if only the user of this process on this machine gets answers.
  private let isLocal: Bool

  init(_ live: LiveFolder, token: String?, isLocal: Bool) {
    (self.live, self.token, self.isLocal) = (live, token, isLocal)
  }

  func answer(_ request: WebRequest) -> WebAnswer {
    if let reason = reasonToRefuse(request) { return .failure(.forbidden, reason) }
    let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    switch parts.first {
    case "" where parts.count == 1:
      return .content(live.page(), type: "text/html; charset=utf-8")
    case "data.json" where parts.count == 1:
      guard let after = Int(request.query["after"] ?? "0") else {
        return .failure(.badRequest, "after is a number")
      }
      if let problem = live.problem { return .failure(.unavailable, problem) }
      return .content(live.data(after: after), type: "application/json")
    case let side? where parts.count == 3:
      guard let side = LiveFolder.Side(rawValue: String(side)), let row = Int(parts[2]) else {
        break
      }
      return file(side, row)
    default: break
    }
    return .failure(.notFound, "there is no such page")
  }

  private func reasonToRefuse(_ request: WebRequest) -> String? {
    if let token, !Self.areEqual(token, request.query["token"] ?? "") {
      return "the address lacks the token that respool serve has printed"
    }
    guard isLocal else { return nil }
    // Pages of the web can have names of their own for this machine.
    guard ["127.0.0.1", "localhost"].contains(request.hostName) else {
      return "this page is at 127.0.0.1 and localhost only"
    }
    guard request.user == getuid() || request.user == 0 else {
      return "this page is for the user who runs respool serve; others need --address"
    }
    return nil
  }

  /// Compares in a time that does not depend on where texts differ.
  private static func areEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  // MARK: Files

  private func file(_ side: LiveFolder.Side, _ row: Int) -> WebAnswer {
    do throws(MediaError) {
      guard let file = try live.open(side, row: row) else {
        return .failure(.notFound, "there is no such page")
      }
      let type = Self.types[PathName.splitExtension(file.name).extension]
      return .file(
        file.descriptor, size: Int(file.size), type: type ?? "application/octet-stream",
        isShown: type != nil)
    } catch {
      return .failure(.notFound, error.message)
    }
  }

  /// Types of files that browsers show (IANA's registry of media types, and RFC 9639 and WebM's own for theirs).
  private static let types = [
    "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
    "mkv": "video/matroska", "mp3": "audio/mpeg", "m4a": "audio/mp4", "m4b": "audio/mp4",
    "aac": "audio/aac", "flac": "audio/flac", "ogg": "audio/ogg", "oga": "audio/ogg",
    "opus": "audio/ogg", "wav": "audio/wav", "mka": "audio/matroska", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "avif": "image/avif",
    "gif": "image/gif", "heic": "image/heic", "jxl": "image/jxl",
  ]
}
