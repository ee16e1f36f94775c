import Glibc
import RespoolHost
import RespoolMedia

/// The totals of a page about an output folder.
struct PageSummary {
  /// Name of the folder.
  let title: String
  let work: FolderWork
  /// Number of files that are left.
  let left: Int
  /// Numbers of results.
  let counts: [LedgerEntry.Result: Int64]
  /// Bytes of the sources that have outputs, and of the outputs.
  let sourceSize: Int64
  let outputSize: Int64
  /// Seconds of work on the outputs.
  let seconds: Double
  /// Number of presets with which the files were converted.
  let presetCount: Int

  /// Returns the totals as the page reads them; `session` is the number by which a page notices that a server has begun
  /// again.
  func json(session: Int64? = nil) -> JSON {
    let now = Int64(time(nil))
    return .object([
      "format": .integer(1), "title": .string(title), "preset": work.preset.map { .string($0) },
      "started": work.started.map { .integer($0) },
      "ended": work.isLive ? .integer(now) : work.ended.map { .integer($0) },
      "cut": .bool(work.wasCut), "batches": .integer(Int64(work.batchCount)),
      "leftOut": .integer(Int64(work.leftOut)),
      "presets": .integer(Int64(presetCount)),
      "counts": .object([
        "converted": count(.converted), "copied": count(.copied), "skipped": count(.skipped),
        "failed": count(.failed), "remaining": .integer(Int64(left)),
      ]),
      "sourceBytes": .integer(sourceSize), "outputBytes": .integer(outputSize),
      "replaced": .integer(work.replaced), "keptOriginals": .integer(work.keptOriginals),
      "workSeconds": .number(seconds), "live": .bool(work.isLive),
      "session": session.map { .integer($0) }, "machines": .array(work.runs.map(Self.machine)),
    ])
  }

  /// The totals for readers without scripts.
  var sentence: String {
    func number(_ result: LedgerEntry.Result) -> Int64 { counts[result] ?? 0 }
    return "\(title): \(number(.converted)) converted, \(number(.copied)) copied, "
      + "\(number(.skipped)) skipped, \(number(.failed)) failed; sources \(ByteCount.text(sourceSize)), "
      + "outputs \(ByteCount.text(outputSize))."
      + (work.isLive ? " The work goes on." : "")
      + (work.wasCut ? " The last batch was stopped before its end." : "")
  }

  private func count(_ result: LedgerEntry.Result) -> JSON { .integer(counts[result] ?? 0) }

  private static func machine(_ run: FleetStatus.Run) -> JSON {
    let files = run.running.map { "\(PathName.last($0.path)) \(Int($0.fraction * 100)) %" }
    let words =
      !run.isRunning
      ? "gone: it was killed, or its machine was lost"
      : run.pause.isEmpty ? files.joined(separator: ", ") : "paused: \(run.pause)"
    return .object([
      "name": .string(run.machine), "done": .integer(Int64(run.made + run.failed)),
      "running": .string(words),
      "silent": .number(run.silence),
    ])
  }
}
