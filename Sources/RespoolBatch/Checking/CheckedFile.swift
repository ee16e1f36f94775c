public import Respool
import RespoolMedia

/// Result of the check of one file.
public struct CheckedFile: Sendable {
  public enum Status: String, Sendable, CaseIterable {
    /// Everything could be read, and all audio and video that a plugin decodes is whole.
    case whole
    /// Media is damaged or missing.
    case damaged
    /// The file could not be read, or the process that checked it ended.
    case unreadable
    /// No plugin supports the file, or a feature that it uses.
    case unsupported
    /// Not a file of audio or video.
    case skipped
  }

  public var path: String
  public var status: Status
  /// Findings about a file that was read.
  public var findings: [FileCheck.Finding] = []
  /// Reason why a file was not read, as a sentence; `nil` if it was.
  public var reason: String?
  /// Latest end of the media, in seconds; `nil` if the file was not read.
  public var duration: Double?
  /// Time that the check took, in seconds.
  public var seconds = 0.0

  init(_ path: String, _ status: Status, reason: String? = nil) {
    (self.path, self.status, self.reason) = (path, status, reason)
  }

  /// `true` if a track was not checked, because no plugin decodes it.
  public var hasUncheckedTracks: Bool { findings.contains { $0.kind == .unchecked } }

  /// The file as a line of text, and a line for each note.
  ///
  /// The notes are left out unless `isVerbose` is `true`.
  func text(isVerbose: Bool) -> String {
    var text = "\(status)  \(path.printable())"
    let damage = findings.filter { $0.kind == .damage }.map(\.description)
    let sentences = (reason.map { [$0] } ?? []) + damage
    if !sentences.isEmpty { text += ": \(sentences.joined(separator: "; ").printable())" }
    for finding in findings where finding.kind == .unchecked || isVerbose && finding.kind != .damage
    {
      text += "\n    note: \(finding.description.printable())"
    }
    return text
  }

  /// The file as a JSON object; `isEvent` adds the name of an event.
  func document(isEvent: Bool) -> JSON {
    .object([
      "event": isEvent ? .string("finished") : nil, "input": .string(path),
      "status": .string(status.rawValue), "reason": reason.map { .string($0) },
      "duration": duration.map { .number($0) },
      "findings": findings.isEmpty ? nil : .array(findings.map(\.document)),
      "seconds": .number(seconds),
    ])
  }
}

extension FileCheck.Finding {
  fileprivate var document: JSON {
    .object([
      "kind": .string(kind.rawValue), "track": track.map { .integer(Int64($0.value)) },
      "from": times.map { .number($0.lowerBound) }, "to": times.map { .number($0.upperBound) },
      "message": .string(message),
    ])
  }
}
