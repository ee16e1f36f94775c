import Respool
import RespoolMedia

/// The report of a batch: counts results and running jobs, and makes the events.
final class BatchReport {
  /// The work on a file.
  private struct Job {
    let file: BatchFile
    let isConversion: Bool
    /// Time of the batch's clock.
    let started: Double
    var fraction = 0.0
  }

  /// Counts of files.
  private struct Tally {
    /// Files and folders that were found or left out.
    var found = 0
    /// Plans by their action.
    var plans: [FilePlan.Action: Int] = [:]
    var doneAlready = 0
    var excluded = 0
    /// Expected work of the files to convert, in units of `FilePlan.cost`.
    var plannedWork = 0.0
    /// Duration of the media to convert in seconds.
    var plannedMedia = 0.0
    /// Predicted size of their outputs in bytes.
    var plannedSize: Int64 = 0
    /// Seconds that they will probably take, one after the other.
    var plannedSeconds = 0.0
    var results: [BatchEvent.Status: Int] = [:]
    var incomplete = 0
    /// Number of outputs with losses.
    var withLosses = 0
    /// Expected work that is finished.
    var work = 0.0
    /// Duration of the finished media in seconds.
    var media = 0.0

    subscript(status: BatchEvent.Status) -> Int { results[status, default: 0] }
    subscript(action: FilePlan.Action) -> Int { plans[action, default: 0] }
    var planned: Int { plans.values.reduce(0, +) }
    var finished: Int { results.values.reduce(0, +) }
  }

  /// `true` until all files have been found.
  var isWalking = true
  /// Number of finished files that were only counted.
  var finishedBefore = 0
  private let reporter: any BatchReporter
  private let start = monotonicSeconds()
  /// Seconds of the pauses that have ended.
  private var pauses = 0.0
  /// Time at which the pause began; `nil` if there is none.
  private var pauseBegan: Double?
  private var pauseReason = ""
  private var lastTick = monotonicSeconds()
  private var tally = Tally()
  /// Files that workers are working on, by number.
  private var jobs: [Int: Job] = [:]
  /// `true` after the first conversion has begun.
  private var isConverting = false

  /// Called at each step of the progress.
  var step: () -> Void = {}

  /// Takes the number of each file that has a result.
  var takeResult: (Int) -> Void = { _ in }

  init(_ reporter: any BatchReporter) { self.reporter = reporter }

  /// `true` if files that were finished before the batch get events.
  var namesFinishedFiles: Bool { reporter.namesFinishedFiles }

  /// Seconds since the batch began.
  var elapsed: Double { monotonicSeconds() - start }

  /// Reports a warning that concerns more than one file.
  func warn(_ message: String) {
    var event = BatchEvent(event: .warning)
    event.message = message
    reporter.report(event)
  }

  /// Reports that the batch waits.
  func paused(_ message: String) {
    pauseBegan = pauseBegan ?? monotonicSeconds()
    pauseReason = message
    var event = BatchEvent(event: .paused)
    event.message = message
    reporter.report(event)
  }

  /// Reports that the batch has ended to wait.
  func resumed() {
    pauses += pauseBegan.map { monotonicSeconds() - $0 } ?? 0
    (pauseBegan, pauseReason) = (nil, "")
    reporter.report(BatchEvent(event: .resumed))
  }

  /// Time of a clock that stands still during pauses, in seconds.
  private var now: Double { (pauseBegan ?? monotonicSeconds()) - pauses }

  /// Counts a file that was found, or a file or folder that is left out.
  func countFound() { tally.found += 1 }

  /// Reports the plan of a file, which will probably take some seconds.
  func planned(_ file: BatchFile, seconds: Double?) {
    tally.plans[file.plan.action, default: 0] += 1
    if file.isDoneAlready { tally.doneAlready += 1 }
    if file.isExcluded { tally.excluded += 1 }
    if file.isToConvert {
      tally.plannedWork += file.plan.cost
      tally.plannedMedia += file.plan.duration
      tally.plannedSize &+= file.plan.size
      tally.plannedSeconds += seconds ?? 0
    }
    var event = BatchEvent(event: .planned, input: file.path)
    event.action = file.plan.action.rawValue
    event.reason = file.plan.reason
    event.isDoneAlready = file.isDoneAlready
    event.movedFrom = file.formerOutputName
    event.isExcluded = file.isExcluded
    event.isRemembered = file.isRemembered
    if file.isToConvert {
      event.output = file.output
      event.predictedSize = file.plan.size > 0 ? file.plan.size : nil
      event.predictedSeconds = seconds
    }
    reporter.report(event)
  }

  /// Reports the result of a file.
  func finished(
    _ file: BatchFile, _ status: BatchEvent.Status, _ reason: String? = nil, losses: [String] = [],
    notes: [String] = [], incomplete: String? = nil, seconds: Double = 0
  ) {
    takeResult(file.number)
    tally.results[status, default: 0] += 1
    if file.isDoneOfIncomplete { tally.incomplete += 1 }
    if file.isToConvert {
      tally.work += file.plan.cost
      tally.media += file.plan.duration
    }
    var event = BatchEvent(event: .finished, input: file.path)
    event.status = status
    if status == .converted || status == .copied {
      event.output = file.output
      if incomplete != nil { tally.incomplete += 1 }
      if !losses.isEmpty { tally.withLosses += 1 }
    }
    event.seconds = seconds
    event.error = reason
    event.losses = losses.isEmpty ? nil : losses
    event.notes = notes.isEmpty ? nil : notes
    event.incomplete = incomplete
    event.isDoneAlready = file.isDoneAlready
    event.movedFrom = file.formerOutputName
    event.isExcluded = file.isExcluded
    event.isRemembered = file.isRemembered
    reporter.report(event)
  }

  /// Reports a file that was to be converted, and which another batch has converted that shares the work.
  func finishedByOther(_ planned: BatchFile) {
    tally.doneAlready += 1
    tally.work += planned.plan.cost
    tally.media += planned.plan.duration
    var file = planned
    file.settleAsDone()
    finished(file, .skipped, "another batch has converted it")
  }

  /// Reports the summary, with the work that is left.
  ///
  /// Returns the exit status.
  ///
  /// `workers` is the number of conversions at a time, `leftOfPlan` the number of files without a result of a plan on which
  /// several processes work, and `output` the folder for the outputs of a plan that is only shown.
  func finish(
    isInterrupted: Bool, planOnly: Bool, workers: Int = 1, leftOfPlan: Int? = nil,
    output: String? = nil
  ) -> Int32 {
    var event = BatchEvent(event: .summary)
    event.converted = tally[.converted]
    event.copied = tally[.copied]
    event.failed = tally[.failed]
    event.skipped = tally[.skipped] + finishedBefore
    event.doneAlready = tally.doneAlready + finishedBefore
    event.excluded = tally.excluded > 0 ? tally.excluded : nil
    if tally.incomplete > 0 { event.incompleteCount = tally.incomplete }
    if tally.withLosses > 0 { event.lossyCount = tally.withLosses }
    event.seconds = elapsed
    var failed = tally[.failed]
    let left = leftOfPlan ?? (tally.found - tally.finished)
    if planOnly, !isInterrupted {
      failed = tally[.fail]
      event.plan = BatchEvent.Plan(
        convert: tally[.convert], copy: tally[.copy], skip: tally[.skip] + finishedBefore,
        fail: failed, media: tally.plannedMedia, size: tally.plannedSize,
        seconds: tally.plannedSeconds > 0 ? tally.plannedSeconds / Double(workers) : nil,
        free: output.flatMap { FreeSpace.bytes(in: $0) })
    } else if left > 0 || isInterrupted {
      event.left = left
      event.isInterrupted = isInterrupted
      event.stillWalking = isWalking
    }
    reporter.report(event)
    return isInterrupted ? 130 : failed > 0 ? 1 : 0
  }

  /// Changes the state of this process that others see: those that work on the same plan, and pages that show its work.
  func update(_ state: inout FleetRunState) {
    (state.made, state.failed) = (tally[.converted] + tally[.copied], tally[.failed])
    state.seconds = elapsed
    state.left = max(0, tally.found - tally.finished)
    state.pause = pauseReason
    state.running = jobs.values.filter(\.isConversion).sorted { $0.file.number < $1.file.number }
      .map {
        .init(
          path: $0.file.path, fraction: $0.fraction, seconds: now - $0.started,
          work: PlanPart.work(of: $0.file))
      }
  }

  /// Numbers of files for the ledger.
  var counts: LedgerStatus.Counts {
    LedgerStatus.Counts(
      converted: Int64(tally[.converted]), copied: Int64(tally[.copied]),
      skipped: Int64(tally[.skipped] + finishedBefore), failed: Int64(tally[.failed]),
      unfinished: Int64(tally.found - tally.finished))
  }

  // MARK: Progress

  /// Notes that a worker has begun with a file.
  func began(_ file: BatchFile, isConversion: Bool) {
    if isConversion { isConverting = true }
    jobs[file.number] = Job(file: file, isConversion: isConversion, started: now)
  }

  /// Notes that no worker works on a file any more; returns the seconds that it took.
  @discardableResult func ended(_ number: Int) -> Double {
    jobs.removeValue(forKey: number).map { now - $0.started } ?? 0
  }

  func isRunning(_ number: Int) -> Bool { jobs[number] != nil }

  func advanced(_ number: Int, to fraction: Double) {
    guard let job = jobs[number] else { return }
    let fraction = max(job.fraction, fraction)
    jobs[number]?.fraction = fraction
    var event = BatchEvent(event: .progress, input: job.file.path)
    event.fraction = fraction
    reporter.report(event)
  }

  /// Updates the progress about ten times a second.
  ///
  /// `found` is the number of files that the walk has found, if it is still in its first folders.
  func tick(found: Int = 0) {
    let now = monotonicSeconds()
    guard now - lastTick > 0.1 else { return }
    reporter.tick(progress(found: found))
    step()
    lastTick = monotonicSeconds()
  }

  private func progress(found: Int) -> BatchProgress {
    var state = BatchProgress()
    state.isPlanning = !isConverting
    state.filesTotal = max(found, tally.found + finishedBefore)
    state.isOpen = isWalking
    state.elapsed = now - start
    state.failed = tally[.failed]
    guard isConverting else {
      state.filesDone = tally.planned + finishedBefore
      return state
    }
    state.filesDone = tally.finished + finishedBefore
    var done = tally.work
    state.mediaDone = tally.media
    for (_, job) in jobs.sorted(by: { $0.key < $1.key }) where job.isConversion {
      done += job.fraction * job.file.plan.cost
      state.mediaDone += job.fraction * job.file.plan.duration
      state.jobs.append(
        .init(
          input: job.file.path, fraction: job.fraction, seconds: now - job.started,
          media: job.file.plan.duration))
    }
    // Files that have no plan yet count as the planned ones do.
    let share = Double(tally.planned) / Double(max(1, tally.found))
    let total = tally.plannedWork / max(share, 0.001)
    state.mediaTotal = tally.plannedMedia
    state.fraction = total > 0 ? done / total : 0
    return state
  }
}
