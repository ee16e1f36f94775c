import RespoolMedia

/// Lines that show the progress of a batch, or of one conversion, in a terminal of any size.
struct ProgressDrawing {
  /// Width of the terminal in cells.
  ///
  /// The last cell stays empty, because terminals wrap there in different ways.
  let columns: Int
  /// Height of the terminal in lines.
  ///
  /// One line is kept for the cursor.
  let rows: Int

  func lines(_ state: BatchProgress) -> [String] {
    lines(of: state).map { TerminalText.fitting($0, max(1, columns - 1)) }
  }

  private func lines(of state: BatchProgress) -> [String] {
    let total = "\(state.filesTotal)" + (state.isOpen ? "+" : "")
    if state.isPlanning { return ["looking at files: \(state.filesDone) of \(total)"] }
    if state.isSingle, let job = state.jobs.first {
      return [bar(state.fraction) + pace(state) + "  " + name(job)]
    }
    guard state.filesTotal > 0 else { return [] }
    var text = "\(state.filesDone)/\(total) files"
    if state.failed > 0 { text += ", \(state.failed) failed" }
    return jobs(state.jobs) + [bar(state.fraction) + " " + text + "," + pace(state)]
  }

  /// Returns lines for as many jobs as fit, the longest running first, and the number of the others.
  private func jobs(_ jobs: [BatchProgress.Job]) -> [String] {
    let room = max(0, rows - 2)
    guard jobs.count > room else { return jobs.map { bar($0.fraction) + " " + name($0) } }
    guard room > 0 else { return [] }
    let shown = jobs.sorted { $0.seconds > $1.seconds }.prefix(room - 1)
    return shown.map { bar($0.fraction) + " " + name($0) } + [
      "and \(jobs.count - shown.count) more"
    ]
  }

  private func name(_ job: BatchProgress.Job) -> String { PathName.last(job.input).printable() }

  /// Returns speed, elapsed time and time left, each with a space before.
  private func pace(_ state: BatchProgress) -> String {
    var parts: [String] = []
    if state.elapsed > 0.5, state.mediaDone > 0 {
      let speed = state.mediaDone / state.elapsed
      parts.append("\(speed < 10 ? "\((speed * 10).rounded() / 10)" : "\(Int(min(speed, 1e6)))")x")
    }
    parts.append(ReportLine.duration(state.elapsed))
    if state.fraction > 0.01, state.elapsed > 2, !state.isOpen {
      let left = state.elapsed * (1 - state.fraction) / state.fraction
      parts.append("\(ReportLine.duration(left)) left")
    }
    return " " + parts.joined(separator: ", ")
  }

  /// Returns a bar of 20 cells, of fewer in a narrow terminal, or only a number in a very narrow one.
  private func bar(_ fraction: Double) -> String {
    let part = fraction.isFinite ? max(0, min(1, fraction)) : 0
    let percent = "\(Int(part * 100))%"
    let number = String(repeating: " ", count: 4 - percent.count) + percent
    let width = columns >= 60 ? 20 : columns >= 30 ? 10 : 0
    guard width > 0 else { return number }
    let filled = Int(part * Double(width))
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: ".", count: width - filled) + "] " + number
  }
}
