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
    guard jobs.count > room else { return jobs.map(line) }
    guard room > 0 else { return [] }
    let shown = jobs.sorted { $0.seconds > $1.seconds }.prefix(room - 1)
    return shown.map(line) + ["and \(jobs.count - shown.count) more"]
  }

  /// Returns the line of a job: bar, speed, time left and name, of which a narrow terminal has bar and name.
  private func line(_ job: BatchProgress.Job) -> String {
    var parts: [String] = []
    if let speed = speed(job.media * job.fraction, in: job.seconds) { parts.append(speed) }
    if let left = left(job.fraction, after: job.seconds) { parts.append(left) }
    guard columns >= 60, !parts.isEmpty else { return bar(job.fraction) + " " + name(job) }
    return bar(job.fraction) + " " + parts.joined(separator: ", ") + "  " + name(job)
  }

  private func name(_ job: BatchProgress.Job) -> String { PathName.last(job.input).printable() }

  /// Returns speed, elapsed time and time left, each with a space before.
  private func pace(_ state: BatchProgress) -> String {
    var parts: [String] = []
    if let speed = speed(state.mediaDone, in: state.elapsed) { parts.append(speed) }
    parts.append(ReportLine.duration(state.elapsed))
    if !state.isOpen, let left = left(state.fraction, after: state.elapsed) { parts.append(left) }
    return " " + parts.joined(separator: ", ")
  }

  /// Returns the media time for each second of work; `nil` if it is not known yet.
  private func speed(_ media: Double, in seconds: Double) -> String? {
    guard seconds > 0.5, media > 0 else { return nil }
    let speed = media / seconds
    return "\(speed < 10 ? "\((speed * 10).rounded() / 10)" : "\(Int(min(speed, 1e6)))")x"
  }

  /// Returns the time that is left after a part of the work; `nil` if it is not known yet.
  private func left(_ fraction: Double, after seconds: Double) -> String? {
    guard fraction > 0.01, seconds > 2 else { return nil }
    return "\(ReportLine.duration(seconds * (1 - fraction) / fraction)) left"
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
