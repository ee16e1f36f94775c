import Glibc

/// Prints a line on standard error for every finished file, for logs.
public final class LineReporter: BatchReporter {
  private let wantsPlan: Bool

  /// `wantsPlan`: every planned file gets a line too.
  public init(wantsPlan: Bool = false) { self.wantsPlan = wantsPlan }

  public func report(_ event: BatchEvent) {
    if let line = ReportLine.text(event, plan: wantsPlan) { printError(line) }
  }

  public func tick(_ state: BatchProgress) {}
}

/// The words for an event.
enum ReportLine {
  /// Nil for events that get no line.
  static func text(_ event: BatchEvent, plan: Bool = false) -> String? {
    let input = printable(event.input ?? "")
    switch event.event {
    case .progress: return nil
    case .planned:
      guard plan else { return nil }
      let action = event.action ?? ""
      if let output = event.output { return "\(action)  \(input) -> \(printable(output))" }
      return "\(action)  \(input): \(event.reason ?? "")"
    case .finished:
      let status = event.status?.rawValue ?? ""
      var line = "\(status)  \(input)"
      if let output = event.output { line += " -> \(printable(output))" }
      if let error = event.error { line += ": \(error)" }
      if let losses = event.losses { for loss in losses { line += "\n    note: \(loss)" } }
      return line
    case .summary:
      return "\(event.converted ?? 0) converted, \(event.copied ?? 0) copied, "
        + "\(event.skipped ?? 0) skipped, \(event.failed ?? 0) failed in "
        + ReportLine.duration(event.seconds ?? 0)
    }
  }

  /// `1:02:03`, `2:03` or `3.4 s`.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e9 else { return "-" }
    if seconds < 10 { return "\((seconds * 10).rounded() / 10) s" }
    let whole = Int(seconds.rounded())
    let (h, m, s) = (whole / 3600, whole / 60 % 60, whole % 60)
    let ending = "\(s < 10 ? "0" : "")\(s)"
    return h > 0 ? "\(h):\(m < 10 ? "0" : "")\(m):\(ending)" : "\(m):\(ending)"
  }

  /// A name without the control characters that would move a terminal's cursor or colour it.
  static func printable(_ text: String) -> String {
    guard
      text.unicodeScalars.contains(where: {
        $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value >= 0x10FF00
      })
    else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F...0x9F: result += "\\x" + hexadecimal(UInt8(scalar.value))
      case 0x10FF00...: result += "\\x" + hexadecimal(UInt8(truncatingIfNeeded: scalar.value))
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0" + text : text
  }
}

/// A line on standard error.
func printError(_ line: String) {
  var bytes = Array((line + "\n").utf8)
  _ = write(2, &bytes, bytes.count)
}
