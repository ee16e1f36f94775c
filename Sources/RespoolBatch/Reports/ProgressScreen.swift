/// The lines of a progress display at the lower end of a terminal, as text to be written to the terminal.
struct ProgressScreen {
  /// Widths of the lines that were drawn, in cells.
  private var widths: [Int] = []
  /// Lines to keep that have not been written yet.
  private var held = ""
  private var columns: Int?
  /// Time of the last change of the number of columns, in seconds.
  private var lastChange = -Double.infinity

  /// Time for which a terminal must keep its size before lines are drawn again.
  ///
  /// Seconds.
  ///
  /// tmux wraps its lines at once, but reports a size up to a quarter of a second later if several changes
  /// follow each other. Lines drawn meanwhile would be wrapped again, and their number of rows would be
  /// unknown.
  static let settlingTime = 0.5

  /// Returns the text that erases the lines, prints `kept` and draws `lines`.
  ///
  /// Empty while the terminal is being resized.
  ///
  /// - Parameters:
  ///   - kept: lines that scroll away above the display, each with its line feed.
  ///   - lines: lines that are at most as wide as the terminal.
  ///   - columns: width of the terminal in cells.
  ///   - now: seconds of a clock.
  ///   - isLast: `true` writes everything at once.
  mutating func update(
    keeping kept: String = "", drawing lines: [String], columns: Int, at now: Double,
    isLast: Bool = false
  ) -> String {
    if let known = self.columns, known != columns { lastChange = now }
    self.columns = columns
    held += kept
    guard isLast || now - lastChange >= Self.settlingTime else { return "" }
    defer { held = "" }
    let erasing = erasing(columns)
    widths = lines.map { TerminalText.width($0) }
    return erasing + held + lines.map { $0 + "\n" }.joined()
  }

  /// Returns the text that erases the drawn lines.
  ///
  /// A terminal that has become narrower has wrapped them, so each takes as many rows as its width now
  /// needs.
  private func erasing(_ columns: Int) -> String {
    guard !widths.isEmpty else { return "" }
    let rows = widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
    // Line by line: tmux moves a screen that is erased from its first line on into its history.
    let up = "\u{1B}[\(rows)A\r"
    return up + String(repeating: "\u{1B}[2K\n", count: rows) + up
  }
}
