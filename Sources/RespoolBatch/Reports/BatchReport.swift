import Glibc
import Respool
import RespoolMedia

extension Batch {
  /// Reports a warning that concerns more than one file.
  func warn(_ message: String) {
    var event = BatchEvent(event: .warning)
    event.message = message
    reporter.report(event)
  }

  func report(planned file: BatchFile) {
    var event = BatchEvent(event: .planned, input: file.path)
    event.action = file.plan.action.rawValue
    event.reason = file.plan.reason
    event.isDoneAlready = file.isDoneAlready
    if file.isToConvert { event.output = file.output }
    reporter.report(event)
  }

  /// Reports the result of a file.
  func close(
    _ index: Int, _ status: BatchEvent.Status, _ reason: String?, _ losses: [String] = [],
    incomplete: String? = nil
  ) {
    let file = files[index]
    files[index].isOpen = false
    files[index].isRunning = false
    tally[status] += 1
    if file.isDoneAlready { tally.doneAlready += 1 }
    tally.work += file.plan.cost
    tally.media += file.plan.duration
    var event = BatchEvent(event: .finished, input: file.path)
    event.status = status
    if status == .converted || status == .copied {
      event.output = file.output
      if incomplete != nil { tally.incomplete += 1 }
      if !losses.isEmpty { tally.withLosses += 1 }
    }
    event.seconds = file.started.map { monotonicSeconds() - $0 } ?? 0
    event.error = reason
    event.losses = losses.isEmpty ? nil : losses
    event.incomplete = incomplete
    event.isDoneAlready = file.isDoneAlready
    reporter.report(event)
  }

  func progress() -> BatchProgress {
    var state = BatchProgress()
    state.isPlanning = phase != .converting
    state.filesTotal = files.count
    state.elapsed = monotonicSeconds() - start
    state.failed = tally[.failed]
    if state.isPlanning {
      state.filesDone = files.count { !$0.isUnplanned }
      return state
    }
    state.filesDone = tally.total
    var done = tally.work
    state.mediaDone = tally.media
    for file in files where file.isRunning {
      done += file.fraction * file.plan.cost
      state.mediaDone += file.fraction * file.plan.duration
      state.jobs.append(
        .init(
          input: file.path, fraction: file.fraction,
          seconds: monotonicSeconds() - (file.started ?? start)))
    }
    let total = files.reduce(0.0) { $0 + $1.plan.cost }
    state.mediaTotal = files.reduce(0.0) { $0 + $1.plan.duration }
    state.fraction = total > 0 ? done / total : 0
    return state
  }

  /// Reports the summary, with the work that is left, and returns `status`.
  func finish(_ status: Int32, planOnly: Bool) -> Int32 {
    var event = BatchEvent(event: .summary)
    event.converted = tally[.converted]
    event.copied = tally[.copied]
    event.skipped = tally[.skipped]
    event.failed = tally[.failed]
    event.doneAlready = tally.doneAlready
    if tally.incomplete > 0 { event.incompleteCount = tally.incomplete }
    if tally.withLosses > 0 { event.lossyCount = tally.withLosses }
    event.seconds = monotonicSeconds() - start
    // After an interrupted walk, all files found so far are left.
    let left =
      phase == .walking
      ? files.count : files.count { $0.isOpen && ($0.isToConvert || $0.isUnplanned) }
    if planOnly, status != 130 {
      event.plan = BatchEvent.Plan(
        convert: files.count { $0.plan.action == .convert },
        copy: files.count { $0.plan.action == .copy },
        skip: files.count { $0.plan.action == .skip },
        fail: files.count { $0.plan.action == .fail },
        media: files.reduce(0) { $0 + ($1.isToConvert ? $1.plan.duration : 0) })
      event.doneAlready = files.count(where: \.isDoneAlready)
    } else if left > 0 || status == 130 {
      event.left = left
      event.isInterrupted = interrupted
      event.stillWalking = phase == .walking
    }
    reporter.report(event)
    return status
  }
}
