import Respool
import RespoolMedia

/// A message of a process that checks a file, one line of its standard output.
enum CheckMessage {
  /// The part of the file that was read, 0 to 1.
  case progress(Double)
  /// Reason why plugins run without a complete sandbox.
  case openSandbox(String)
  case finding(FileCheck.Finding)
  /// The end: status, reason why the file was not read, and duration.
  case end(CheckedFile.Status, reason: String?, duration: Double?)

  /// The line with its line feed.
  var line: [UInt8] {
    var fields = MessageFields()
    switch self {
    case .progress(let fraction):
      fields.put("progress")
      fields.put(fraction)
    case .openSandbox(let reason):
      fields.put("sandbox")
      fields.put(reason)
    case .finding(let finding):
      fields.put("finding")
      fields.put(finding.kind.rawValue)
      fields.put(optional: (finding.track?.index).map(String.init))
      fields.put(optional: (finding.times?.lowerBound).map { "\($0)" })
      fields.put(optional: (finding.times?.upperBound).map { "\($0)" })
      fields.put(finding.message)
    case .end(let status, let reason, let duration):
      fields.put("end")
      fields.put(status.rawValue)
      fields.put(optional: reason)
      fields.put(optional: duration.map { "\($0)" })
    }
    return fields.line
  }

  /// Reads a line without its line feed; `nil` if it is no message.
  init?(line: [UInt8]) {
    var fields = MessageFields(line: line)
    switch fields.text() {
    case "progress":
      guard let fraction: Double = fields.value(), fraction.isFinite else { return nil }
      self = .progress(min(max(0, fraction), 1))
    case "sandbox":
      guard let reason = fields.text() else { return nil }
      self = .openSandbox(reason)
    case "finding":
      guard let kind = fields.text().flatMap(FileCheck.Finding.Kind.init) else { return nil }
      let index = fields.optionalText().flatMap { Int($0) }
      let start = fields.optionalText().flatMap { Double($0) }
      let end = fields.optionalText().flatMap { Double($0) }
      guard let message = fields.text() else { return nil }
      var times: ClosedRange<Double>?
      if let start, let end, start.isFinite, end.isFinite, start <= end { times = start...end }
      self = .finding(
        FileCheck.Finding(
          kind, track: index.map { TrackNumber(index: $0) }, times: times, message))
    case "end":
      guard let status = fields.text().flatMap(CheckedFile.Status.init) else { return nil }
      let reason = fields.optionalText()
      let duration = fields.optionalText().flatMap { Double($0) }
      self = .end(status, reason: reason, duration: duration.flatMap { $0.isFinite ? $0 : nil })
    default: return nil
    }
  }
}
