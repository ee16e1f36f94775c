import Glibc
import RespoolMedia

/// A reporter that prints a line on standard error for every finished file, for logs.
///
/// Plans that are only shown are printed on standard output.
public final class LineReporter: BatchReporter {
  private let wantsPlan: Bool
  private let detail: ReportDetail

  /// Creates a reporter.
  ///
  /// If `wantsPlan` is `true`, every planned file gets a line, too.
  public init(wantsPlan: Bool = false, detail: ReportDetail = .usual) {
    self.wantsPlan = wantsPlan
    self.detail = detail
  }

  public func report(_ event: BatchEvent) {
    guard detail.includes(event) else { return }
    guard let line = ReportLine.text(event, plan: wantsPlan) else { return }
    printLine(line, on: event.event == .planned ? STDOUT_FILENO : STDERR_FILENO)
  }

  public func tick(_ state: BatchProgress) {}

  public var namesFinishedFiles: Bool { detail == .verbose }
}

/// Amount of output about a batch.
public enum ReportDetail: Sendable {
  /// Failures and warnings only.
  case quiet
  /// Files that would fail, and the numbers of all, for a plan that is written into a file.
  case counts
  /// All files except those that are excluded, or whose finished outputs need no word, which are only counted.
  case usual
  /// Every file.
  case verbose

  func includes(_ event: BatchEvent) -> Bool {
    switch self {
    case .verbose: true
    case .usual:
      (!event.isDoneAlready || event.movedFrom != nil || event.isDoneOfIncomplete)
        && !event.isExcluded
    case .counts: event.event != .planned || event.action == "fail"
    case .quiet:
      switch event.event {
      case .warning, .paused, .resumed: true
      case .planned: event.action == "fail"
      case .progress: false
      case .finished:
        event.status == .failed || event.incomplete != nil || event.isDoneOfIncomplete
      case .summary: event.failed != 0 || event.left != nil
      }
    }
  }
}

/// Texts for events.
package enum ReportLine {
  /// Returns the line for an event; `nil` if it gets no line.
  static func text(_ event: BatchEvent, plan: Bool = false) -> String? {
    let input = (event.input ?? "").printable()
    let folder = event.folder.map { $0.printable() + ": " } ?? ""
    switch event.event {
    case .progress: return nil
    case .warning: return "\(folder)warning: \((event.message ?? "").printable())"
    case .paused: return "\(folder)paused: \((event.message ?? "").printable())"
    case .resumed: return "\(folder)resumed"
    case .planned:
      guard plan else { return nil }
      let action = event.action ?? ""
      if let output = event.output {
        let parts = [
          event.predictedSize.map { "about \(ByteCount.text($0))" },
          event.predictedSeconds.map { duration($0) }, event.reason?.printable(),
        ].compactMap(\.self)
        let reason = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        return "\(action)  \(input) -> \(output.printable())\(reason)"
      }
      return "\(action)  \(input): \((event.reason ?? "").printable())"
    case .finished:
      var status = event.status?.rawValue ?? ""
      if event.status != .failed, let incomplete = event.incomplete {
        status += ", but \(incomplete.printable()):"
      }
      var line = "\(status)  \(input)"
      if let output = event.output { line += " -> \(output.printable())" }
      if let outputs = event.outputs { line += " and \(outputs.count - 1) more" }
      if let error = event.error { line += ": \(error.printable())" }
      if event.isDoneOfIncomplete || event.isRemembered && event.status == .failed {
        line += " (as before; --retry-failed tries again)"
      }
      for words in (event.losses ?? []) + (event.notes ?? []) {
        line += "\n    note: \(words.printable())"
      }
      return line
    case .summary: return folder + summary(event)
    }
  }

  private static func summary(_ event: BatchEvent) -> String {
    let already = event.doneAlready ?? 0
    let parts = [
      already > 0 ? "\(already) already done" : nil, event.excluded.map { "\($0) excluded" },
    ].compactMap(\.self)
    let skipped = { (count: Int) in
      "\(count) skipped" + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
    }
    if let plan = event.plan {
      return
        "plan: \(plan.convert) to convert, \(plan.copy) to copy, \(duration(plan.media)) in all"
        + (plan.size > 0 ? ", about \(ByteCount.text(plan.size))" : "")
        + (plan.seconds.map { ", in about \(duration($0))" } ?? "") + "; "
        + "\(skipped(plan.skip)), \(plan.fail) would fail"
        + (plan.free.map { free in
          "; \(ByteCount.text(free)) are free"
            + (free < plan.size ? ", which is less than the outputs need" : "")
        } ?? "")
    }
    var text =
      "\(event.converted ?? 0) converted, \(event.copied ?? 0) copied, "
      + "\(skipped(event.skipped ?? 0)), \(event.failed ?? 0) failed in "
      + duration(event.seconds ?? 0)
    if let count = event.incompleteCount {
      text += "; \(count) from incomplete sources"
    }
    if let count = event.lossyCount { text += "; \(count) with losses or damage" }
    if let left = event.left {
      text += event.isInterrupted ? "; interrupted" : "; ended early"
      text += event.stillWalking ? " while looking for files, \(left) found" : ", \(left) left"
      text += ": run the same command again to continue"
    }
    return text
  }

  /// Returns a duration as `1:02:03`, `2:03` or `3.4 s`.
  package static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e9 else { return "-" }
    if seconds < 10 { return "\((seconds * 10).rounded() / 10) s" }
    let whole = Int(seconds.rounded())
    let (h, m, s) = (whole / 3600, whole / 60 % 60, whole % 60)
    let ending = "\(s < 10 ? "0" : "")\(s)"
    return h > 0 ? "\(h):\(m < 10 ? "0" : "")\(m):\(ending)" : "\(m):\(ending)"
  }
}

/// Writes a line on standard error.
func printError(_ line: String) { printLine(line, on: STDERR_FILENO) }

private func printLine(_ line: String, on descriptor: Int32) {
  var bytes = Array((line + "\n").utf8)
  _ = write(descriptor, &bytes, bytes.count)
}
