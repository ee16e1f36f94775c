import Glibc
import Respool

/// A reporter that draws a bar for every running job, and one for the batch, at the lower end of a
/// terminal.
///
/// Lines to keep scroll away above the bars.
public final class TerminalReporter: BatchReporter {
  private var screen = ProgressScreen()
  private var state = BatchProgress()
  private let wantsPlan: Bool
  private let detail: ReportDetail

  /// `true` if standard error is a terminal that understands cursor movements.
  public static var isPossible: Bool {
    guard isatty(2) == 1, let term = getenv("TERM") else { return false }
    return strcmp(term, "dumb") != 0
  }

  /// Creates a reporter.
  ///
  /// - Parameters:
  ///   - wantsPlan: `true` prints a line for every planned file.
  ///   - detail: amount of output about files that succeeded.
  public init(wantsPlan: Bool = false, detail: ReportDetail = .usual) {
    self.wantsPlan = wantsPlan
    self.detail = detail
  }

  public func report(_ event: BatchEvent) {
    guard detail.includes(event) else { return }
    switch event.event {
    case .progress: return
    case .finished:
      let isPlain = event.status == .converted || event.status == .copied
      if isPlain, event.losses == nil, event.incomplete == nil, detail != .verbose { return }
    case .planned, .warning, .paused, .resumed, .summary: break
    }
    guard let line = ReportLine.text(event, plan: wantsPlan) else { return }
    let isLast = event.event == .summary
    update(keeping: line + "\n", draws: !isLast && detail != .quiet, isLast: isLast)
  }

  public var namesFinishedFiles: Bool { detail == .verbose }

  public func tick(_ state: BatchProgress) {
    self.state = state
    guard detail != .quiet else { return }
    update(draws: true)
  }

  /// Erases the bars.
  public func erase() { update(draws: false, isLast: true) }

  private func update(keeping kept: String = "", draws: Bool, isLast: Bool = false) {
    // The size is read each time, so that a resized window is noticed.
    let size = Self.size()
    let lines =
      draws ? ProgressDrawing(columns: size.columns, rows: size.rows).lines(state) : []
    put(
      screen.update(
        keeping: kept, drawing: lines, columns: size.columns, at: monotonicSeconds(),
        isLast: isLast || detail == .quiet))
  }

  private static func size() -> (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// Writes a whole drawing at once, so that no partial drawing is visible.
  private func put(_ text: String) {
    guard !text.isEmpty else { return }
    var bytes = Array(text.utf8)
    _ = write(2, &bytes, bytes.count)
  }
}
