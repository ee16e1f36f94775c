import Glibc
import Respool
import RespoolMedia

/// Counts of the files that were checked.
public struct CheckSummary: Sendable {
  public internal(set) var counts: [CheckedFile.Status: Int] = [:]
  /// Number of files with tracks that no plugin decodes.
  public internal(set) var uncheckedCount = 0
  /// Time that the check took, in seconds.
  public internal(set) var seconds = 0.0
  /// Number of files that are left; `nil` unless the user has interrupted the check.
  public internal(set) var left: Int?

  public subscript(status: CheckedFile.Status) -> Int { counts[status, default: 0] }

  /// `true` if a file is damaged or could not be read.
  public var hasFailures: Bool { self[.damaged] + self[.unreadable] > 0 }

  var text: String {
    var parts = CheckedFile.Status.allCases.filter { $0 == .whole || self[$0] > 0 }
      .map { "\(self[$0]) \($0)" }
    if uncheckedCount > 0 { parts.append("\(uncheckedCount) with tracks that were not checked") }
    let end = left.map { "; interrupted, \($0.counting("file", "is", "are")) left" } ?? ""
    return "\(parts.joined(separator: ", ")) in \(ReportLine.duration(seconds))\(end)"
  }

  var document: JSON {
    .object([
      "event": .string("summary"), "whole": .integer(Int64(self[.whole])),
      "damaged": .integer(Int64(self[.damaged])), "unreadable": .integer(Int64(self[.unreadable])),
      "unsupported": .integer(Int64(self[.unsupported])),
      "skipped": .integer(Int64(self[.skipped])), "unchecked": .integer(Int64(uncheckedCount)),
      "left": left.map { .integer(Int64($0)) }, "seconds": .number(seconds),
    ])
  }
}

/// A printer of the results of a check: results on standard output, the summary and progress on standard error.
public final class CheckReporter {
  /// Form of the results.
  public enum Form: Sendable {
    case text
    /// One JSON document, for one file.
    case document
    /// One JSON object per line.
    case lines
  }

  private let form: Form
  private let detail: ReportDetail
  private let screen: TerminalReporter?

  public init(_ form: Form, detail: ReportDetail) {
    (self.form, self.detail) = (form, detail)
    screen =
      form == .text && detail != .quiet && TerminalReporter.isPossible ? TerminalReporter() : nil
  }

  /// Prints the result of a file; returns `false` if the reader of the results has ended.
  func report(_ file: CheckedFile) -> Bool {
    switch form {
    case .document: return print(file.document(isEvent: false).text)
    case .lines: return print(file.document(isEvent: true).compactText)
    case .text:
      let isBad = file.status == .damaged || file.status == .unreadable
      switch detail {
      case .quiet: guard isBad else { return true }
      case .usual, .counts:
        guard isBad || file.status == .unsupported || file.hasUncheckedTracks else { return true }
      case .verbose: break
      }
      return print(file.text(isVerbose: detail == .verbose))
    }
  }

  func warn(_ text: String) {
    screen?.erase()
    printError("warning: \(text.printable())")
  }

  func tick(_ progress: BatchProgress) { screen?.tick(progress) }

  func finish(_ summary: CheckSummary) {
    screen?.erase()
    switch form {
    case .document: break
    case .lines: _ = print(summary.document.compactText)
    case .text: if detail != .quiet || summary.left != nil { printError(summary.text) }
    }
  }

  private func print(_ text: String) -> Bool {
    screen?.erase()
    return StandardOutput.write((text + "\n").utf8) == 0
  }
}
