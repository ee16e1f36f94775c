import ArgumentParser
import Glibc
import Respool
import RespoolBatch
import RespoolHost
import RespoolMedia

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the state of an output folder or a plan.",
    discussion: """
      Reads the ledger of the folder, .respool/ledger. Sizes and seconds are those of converted \
      and copied files, also of those whose sources have gone since: no source is looked at. Files \
      that are skipped or fail each time anew, such as links, are counted only in the line of the \
      last batch. A running batch is not disturbed.

      For a plan of `respool plan`, shows the machines that work on it, what they are doing and the \
      time that is left. -v also names failed and incomplete files, and machines that have ended. \
      It does not look at the outputs; `respool collect` names those that are gone or changed.

      Examples:
        respool status ~/Converted
        respool status films.respool

      Exit status: 1 if the folder has no ledger, or it cannot be read.
      """)

  @Argument(help: "The output folder of a batch, or a plan.", completion: .file())
  var folder: String

  @Flag(help: "Print one JSON document on standard output.")
  var json = false

  @Flag(
    name: .shortAndLong, help: "Name all failed and all incomplete files, not only the first 20.")
  var verbose = false

  @Flag(help: "Name each file whose output lacks something of it, with what it lacks.")
  var losses = false

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      if PlanFile.isFile(folder) {
        let report = PlanReport(
          status: try FleetStatus(ofPlan: folder),
          findings: json || verbose || losses ? try FleetFindings(ofPlan: folder) : nil,
          showsAll: verbose, showsLosses: losses)
        return CommandOutput.show(json ? report.document.text : report.text)
      }
      let status = try LedgerStatus(of: folder, limit: json || verbose ? Int.max : 20)
      let losses = losses ? try lossesOfFiles() : nil
      if json {
        CommandOutput.show(document(status, losses))
      } else {
        CommandOutput.show(text(status, losses ?? []))
      }
    }
  }

  private func lossesOfFiles() throws(MediaError) -> [LedgerStatus.Loss] {
    var losses: [LedgerStatus.Loss] = []
    try LedgerStatus.eachLoss(in: folder) { losses.append($0) }
    return losses
  }

  private func text(_ status: LedgerStatus, _ losses: [LedgerStatus.Loss]) -> String {
    func count(_ result: LedgerStatus.Result) -> Int64 { status.counts[result] ?? 0 }
    var lines = [
      "\(count(.converted)) converted, \(count(.copied)) copied, \(count(.skipped)) skipped, "
        + "\(count(.failed)) failed"
        + (status.presetCount > 1
          ? " by \(status.presetCount) presets: a file counts for each that took it" : "")
    ]
    if count(.converted) + count(.copied) > 0 {
      let share = status.sourceSize > 0 ? 100 * status.outputSize / status.sourceSize : 0
      lines.append(
        "sources \(ByteCount.text(status.sourceSize)), outputs \(ByteCount.text(status.outputSize)) (\(share) %)"
      )
    }
    if status.incompleteCount > 0 {
      lines.append("\(status.incompleteCount) of them from incomplete sources")
    }
    if status.lossyCount > 0 {
      lines.append(
        "\(status.lossyCount) of them lack something of their sources"
          + (self.losses ? "" : "; --losses names what"))
    }
    if status.foundCount > 0 {
      lines.append(
        "\(status.foundCount) of them were found, and no batch is known to have made them: their losses are unknown"
      )
    }
    if status.unpublishedCount > 0, !status.isRunning {
      lines.append(
        "\(status.unpublishedCount.counting("output", "was", "were")) getting a name when a batch was stopped; "
          + "the next batch counts what is there")
    }
    if status.replaced > 0 {
      lines.append(
        "\(status.replaced.counting("source", "was", "were")) replaced, "
          + "\(status.keptOriginals.counting("original", "was", "were")) kept"
          + (status.keptOriginals > 0
            ? "; respool restore puts those back that are still in their folder" : ""))
    }
    if let last = status.last {
      let end =
        last.ended.map { "ended \(Self.local($0))" }
        ?? Self.state(status)
      lines.append(
        "the last batch, with \(last.preset.printable()), began \(Self.local(last.started)) and \(end)"
          + (last.ended == nil ? "" : ": \(Self.text(last.counts))"))
    }
    lines += Self.lines(of: status.failures, "failed")
    let others = count(.failed) - Int64(status.failures.count)
    if others > 0 { lines.append("and \(others) more failed; -v names all") }
    lines += Self.lines(of: status.incomplete, "incomplete")
    let more = status.incompleteCount - Int64(status.incomplete.count)
    if more > 0 { lines.append("and \(more) more incomplete; -v names all") }
    return (lines + Self.lines(of: losses)).joined(separator: "\n")
  }

  /// Returns a line for each file with its reason.
  static func lines(of files: [LedgerStatus.File], _ word: String) -> [String] {
    files.map { "\(word)  \($0.path.printable()): \($0.reason.printable())" }
  }

  /// Returns lines for each source whose output lacks something.
  static func lines(of losses: [LedgerStatus.Loss]) -> [String] {
    losses.flatMap { file in
      ["lost  \(file.source.printable()) in \(file.output.printable()):"]
        + file.sentences.map { "  " + $0.printable() }
    }
  }

  /// Returns files with their reasons as JSON.
  static func document(of files: [LedgerStatus.File]) -> JSON {
    .array(files.map { .object(["input": .string($0.path), "error": .string($0.reason)]) })
  }

  /// Returns losses as JSON.
  static func document(of losses: [LedgerStatus.Loss]) -> JSON {
    .array(
      losses.map {
        .object([
          "input": .string($0.source), "output": .string($0.output),
          "losses": .strings($0.sentences),
        ])
      })
  }

  /// Returns the state of a batch that has not ended.
  private static func state(_ status: LedgerStatus) -> String {
    guard status.isRunning else { return "was stopped before its end" }
    if status.isPaused { return "is paused" }
    if let time = status.waitsUntil { return "waits until \(time)" }
    return status.pause.map { "waits: \($0.printable())" } ?? "is running"
  }

  private static func text(_ counts: LedgerStatus.Counts) -> String {
    "\(counts.converted) converted, \(counts.copied) copied, \(counts.skipped) skipped, "
      + "\(counts.failed) failed" + (counts.unfinished > 0 ? ", \(counts.unfinished) left" : "")
  }

  private func document(_ status: LedgerStatus, _ losses: [LedgerStatus.Loss]?) -> JSON {
    func count(_ result: LedgerStatus.Result) -> JSON { .integer(status.counts[result] ?? 0) }
    return .object([
      "folder": .string(folder), "converted": count(.converted), "copied": count(.copied),
      "skipped": count(.skipped), "failed": count(.failed),
      "presets": .integer(Int64(status.presetCount)), "sourceBytes": .integer(status.sourceSize),
      "outputBytes": .integer(status.outputSize),
      "seconds": .number(status.seconds), "replaced": .integer(status.replaced),
      "keptOriginals": .integer(status.keptOriginals), "running": .bool(status.isRunning),
      "paused": .bool(status.isPaused), "waitsUntil": status.waitsUntil.map { .string($0) },
      "waits": status.pause.map { .string($0) },
      "incompleteSources": .integer(status.incompleteCount),
      "outputsWithLosses": .integer(status.lossyCount),
      "foundOutputs": .integer(status.foundCount),
      "unpublishedOutputs": .integer(status.unpublishedCount),
      "lastBatch": status.last.map {
        .object([
          "preset": .string($0.preset), "started": .integer($0.started),
          "ended": $0.ended.map { .integer($0) }, "converted": .integer($0.counts.converted),
          "copied": .integer($0.counts.copied), "skipped": .integer($0.counts.skipped),
          "failed": .integer($0.counts.failed), "left": .integer($0.counts.unfinished),
        ])
      },
      "failures": Self.document(of: status.failures),
      "incomplete": Self.document(of: status.incomplete),
      "losses": losses.map { Self.document(of: $0) },
    ])
  }

  /// Returns a time in seconds since 1970 as local date and time.
  static func local(_ seconds: Int64) -> String {
    var (time, fields) = (time_t(seconds), tm())
    guard localtime_r(&time, &fields) != nil else { return "\(seconds)" }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(fields.tm_year + 1900)-\(two(fields.tm_mon + 1))-\(two(fields.tm_mday)) "
      + "\(two(fields.tm_hour)):\(two(fields.tm_min)):\(two(fields.tm_sec))"
  }
}
