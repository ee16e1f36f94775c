import Glibc

/// Draws a bar for every running job and one for the whole batch at the lower end of a terminal; lines that
/// are worth keeping scroll away above them.
public final class TerminalReporter: BatchReporter {
  /// Widths of the lines that stand on the terminal, in cells.
  private var drawn: [Int] = []
  private var state = BatchProgress()
  private let wantsPlan: Bool
  private let detail: ReportDetail

  /// `true` if standard error is a terminal that understands cursor movements.
  public static var isPossible: Bool {
    guard isatty(2) == 1, let term = getenv("TERM") else { return false }
    return strcmp(term, "dumb") != 0
  }

  /// - Parameters:
  ///   - wantsPlan: `true` prints a line for every planned file.
  ///   - detail: how much is printed of files that went well.
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
    case .planned, .warning, .summary: break
    }
    guard let line = ReportLine.text(event, plan: wantsPlan) else { return }
    let size = Self.size()
    var text = erasing(size.columns) + line + "\n"
    if event.event != .summary, detail != .quiet { text += drawing(size) }
    put(text)
  }

  public func tick(_ state: BatchProgress) {
    self.state = state
    guard detail != .quiet else { return }
    // The size is asked for each time, so that a resized window is drawn right a tenth of a second later.
    let size = Self.size()
    put(erasing(size.columns) + drawing(size))
  }

  /// Takes the bars away.
  public func erase() { put(erasing(Self.size().columns)) }

  /// What takes the lines away that stand on the terminal.
  ///
  /// A window that has become narrower has wrapped them: each takes as many rows as its width needs now.
  private func erasing(_ columns: Int) -> String {
    guard !drawn.isEmpty else { return "" }
    let rows = drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    drawn = []
    // Line by line: tmux moves a screen that is erased from its first line on into its history.
    let up = "\u{1B}[\(rows)A\r"
    return up + String(repeating: "\u{1B}[2K\n", count: rows) + up
  }

  private func drawing(_ size: (columns: Int, rows: Int)) -> String {
    let lines = ProgressDrawing(columns: size.columns, rows: size.rows).lines(state)
    drawn = lines.map { TerminalText.width($0) }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func size() -> (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// One write for a whole drawing, so that no half of it is seen.
  private func put(_ text: String) {
    guard !text.isEmpty else { return }
    var bytes = Array(text.utf8)
    _ = write(2, &bytes, bytes.count)
  }
}
