import Respool
import RespoolBatch
import RespoolHost
import RespoolMedia

/// The state of a plan, for people and as JSON.
struct PlanReport {
  let status: FleetStatus
  /// Files that are named; `nil` if they are only counted.
  let findings: FleetFindings?
  /// `true` names all machines that have ended, and all failed and incomplete files.
  let showsAll: Bool
  /// `true` names all files whose outputs lack something.
  let showsLosses: Bool

  var text: String {
    let (percent, left) = (Int(status.fraction * 100), status.left)
    var lines = [
      "\(status.made) of \(status.total) converted or copied, \(status.failed) failed, "
        + (status.skippedLater > 0 ? "\(status.skippedLater) skipped, " : "")
        + (status.doneByOthers > 0 ? "\(status.doneByOthers) done by a batch, " : "")
        + "\(left) left "
        + "(\(percent) % of the work)"
    ]
    if status.skipped + status.failedInPlan > 0 {
      lines.append(
        "the plan skips \(status.skipped), and \(status.failedInPlan) failed when it was made")
    }
    if status.failed + status.failedInPlan > 0, !showsAll { lines.append("-v names failed files") }
    if let seconds = status.secondsLeft, left > 0 {
      lines.append("about \(ReportLine.duration(seconds)) left")
    }
    for run in status.runs
    where run.isRunning || showsAll || !run.hasEnded || run.givenBack > 0 && left > 0 {
      lines.append(
        "\(run.machine.printable())  share \(run.shard.printable()), \(state(run)): \(run.made) made, "
          + "\(run.failed) failed"
          + (run.givenBack > 0
            ? "; found no space left on the device, and gave back \(run.givenBack.counting("part"))"
            : ""))
      for file in run.isRunning ? run.running : [] {
        lines.append("  \(Int(file.fraction * 100)) %  \(file.path.printable())")
      }
    }
    if let findings {
      if showsAll {
        lines += StatusCommand.lines(of: findings.failures, "failed")
        lines += StatusCommand.lines(of: findings.incomplete, "incomplete")
      }
      if showsLosses { lines += StatusCommand.lines(of: findings.losses) }
      lines += findings.problems.map { $0.printable() }
    }
    if status.runs.isEmpty { lines.append("no machine has worked on it; respool work does") }
    return lines.joined(separator: "\n")
  }

  private func state(_ run: FleetStatus.Run) -> String {
    if run.isRunning, !run.pause.isEmpty { return "paused \(run.pause.printable())" }
    if run.isRunning { return "working" }
    if run.hasEnded { return "ended" }
    return "gone since \(ReportLine.duration(run.silence))"
  }

  var document: JSON {
    .object([
      "output": .string(status.output), "files": .integer(Int64(status.total)),
      "made": .integer(Int64(status.made)), "failed": .integer(Int64(status.failed)),
      "skipped": .integer(Int64(status.skippedLater)),
      "doneByOthers": .integer(Int64(status.doneByOthers)),
      "left": .integer(Int64(status.left)),
      "skippedInPlan": .integer(Int64(status.skipped)),
      "failedInPlan": .integer(Int64(status.failedInPlan)), "fraction": .number(status.fraction),
      "secondsLeft": status.secondsLeft.map { .number($0.rounded()) },
      "machines": .array(
        status.runs.map { run in
          .object([
            "machine": .string(run.machine), "share": .string(run.shard),
            "started": .integer(run.started), "working": .bool(run.isRunning),
            "ended": .bool(run.hasEnded), "made": .integer(Int64(run.made)),
            "failed": .integer(Int64(run.failed)),
            "waits": run.pause.isEmpty ? nil : .string(run.pause),
            "partsGivenBack": .integer(Int64(run.givenBack)),
            "secondsSinceSign": .number(run.silence.rounded()),
            "running": .array(
              run.running.map {
                .object(["input": .string($0.path), "fraction": .number($0.fraction)])
              }),
          ])
        }),
      "failures": findings.map { StatusCommand.document(of: $0.failures) },
      "incomplete": findings.map { StatusCommand.document(of: $0.incomplete) },
      "losses": showsLosses ? findings.map { StatusCommand.document(of: $0.losses) } : nil,
      "problems": findings.map { .strings($0.problems) },
    ])
  }
}
