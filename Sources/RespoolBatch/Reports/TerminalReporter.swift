import Glibc

/// Draws a bar for every running job and one for the whole batch at the lower end of a terminal; what
/// is worth keeping scrolls away above them.
public final class TerminalReporter: BatchReporter {
  private var drawnLines = 0
  private var lastDraw = 0.0
  private var state = BatchProgress()
  private let wantsPlan: Bool
  private let keepsSuccesses: Bool

  /// Whether standard error is a terminal that understands cursor movements.
  public static var isPossible: Bool {
    guard isatty(2) == 1, let term = getenv("TERM") else { return false }
    return strcmp(term, "dumb") != 0
  }

  /// `verbose`: also files that went well get a line.
  public init(wantsPlan: Bool = false, verbose: Bool = false) {
    self.wantsPlan = wantsPlan
    keepsSuccesses = verbose
  }

  public func report(_ event: BatchEvent) {
    switch event.event {
    case .progress: return
    case .finished:
      let isPlain = event.status == .converted || event.status == .copied
      if isPlain, event.losses == nil, !keepsSuccesses { return }
    case .planned, .summary: break
    }
    guard let line = ReportLine.text(event, plan: wantsPlan) else { return }
    erase()
    printError(line)
    if event.event != .summary { draw() }
  }

  public func tick(_ state: BatchProgress) {
    self.state = state
    erase()
    draw()
  }

  /// Takes the bars away.
  public func erase() {
    guard drawnLines > 0 else { return }
    put("\u{1B}[\(drawnLines)A\r\u{1B}[J")
    drawnLines = 0
  }

  private func draw() {
    let width = columns()
    var lines: [String] = []
    if state.isPlanning {
      lines.append("looking at files: \(state.filesDone) of \(state.filesTotal)")
    } else if state.filesTotal > 0 {
      for job in state.jobs {
        let name = ReportLine.printable(job.input.split(separator: "/").last.map(String.init) ?? "")
        lines.append(bar(job.fraction, width: 20) + " " + name)
      }
      lines.append(total())
    }
    for line in lines { put(String(line.prefix(width - 1)) + "\n") }
    drawnLines = lines.count
  }

  private func total() -> String {
    var text = bar(state.fraction, width: 20) + " \(state.filesDone)/\(state.filesTotal) files"
    if state.failed > 0 { text += ", \(state.failed) failed" }
    if state.elapsed > 0.5, state.mediaDone > 0 {
      let speed = state.mediaDone / state.elapsed
      text += ", \(speed < 10 ? "\((speed * 10).rounded() / 10)" : "\(Int(speed))")x"
    }
    text += ", \(ReportLine.duration(state.elapsed))"
    if state.fraction > 0.01, state.elapsed > 2 {
      let left = state.elapsed * (1 - state.fraction) / state.fraction
      text += ", \(ReportLine.duration(left)) left"
    }
    return text
  }

  private func bar(_ fraction: Double, width: Int) -> String {
    let part = max(0, min(1, fraction))
    let filled = Int(part * Double(width))
    let percent = Int(part * 100)
    let number =
      String(repeating: " ", count: percent < 10 ? 2 : percent < 100 ? 1 : 0) + "\(percent)%"
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: ".", count: width - filled) + "] " + number
  }

  private func columns() -> Int {
    var size = winsize()
    guard ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 80 }
    return Int(size.ws_col)
  }

  private func put(_ text: String) {
    var bytes = Array(text.utf8)
    _ = write(2, &bytes, bytes.count)
  }
}
