import Respool
import RespoolMedia

/// The report of a batch: counts results and running jobs, and makes the events.
final class BatchReport {
  enum Phase { case walking, planning, converting }

  /// The latest work on a file.
  private struct Job {
    /// Time of the batch's clock.
    let started: Double
    var fraction = 0.0
  }

  /// Counts of finished files.
  private struct Tally {
    var results: [BatchEvent.Status: Int] = [:]
    var doneAlready = 0
    var incomplete = 0
    /// Number of outputs with losses.
    var withLosses = 0
    /// Expected work that is finished, in units of `FilePlan.cost`.
    var work = 0.0
    /// Duration of the finished media in seconds.
    var media = 0.0

    subscript(status: BatchEvent.Status) -> Int { results[status, default: 0] }
  }

  var phase = Phase.walking
  private let reporter: any BatchReporter
  private let planner: BatchPlanner
  private let start = monotonicSeconds()
  /// Seconds of the pauses that have ended.
  private var pauses = 0.0
  /// Time at which the pause began; `nil` if there is none.
  private var pauseBegan: Double?
  private var lastTick = monotonicSeconds()
  /// Seconds between two updates of the progress.
  private var tickInterval = 0.1
  private var tally = Tally()
  /// Jobs by the number of their file.
  private var jobs: [Int: Job] = [:]
  /// Files that workers are working on, in no particular order.
  private(set) var running: Set<Int> = []
  private var finished: Set<Int> = []

  init(_ reporter: any BatchReporter, _ planner: BatchPlanner) {
    (self.reporter, self.planner) = (reporter, planner)
  }

  /// Reports a warning that concerns more than one file.
  func warn(_ message: String) {
    var event = BatchEvent(event: .warning)
    event.message = message
    reporter.report(event)
  }

  /// Reports that the batch waits.
  func paused(_ message: String) {
    pauseBegan = pauseBegan ?? monotonicSeconds()
    var event = BatchEvent(event: .paused)
    event.message = message
    reporter.report(event)
  }

  /// Reports that the batch has ended to wait.
  func resumed() {
    pauses += pauseBegan.map { monotonicSeconds() - $0 } ?? 0
    pauseBegan = nil
    reporter.report(BatchEvent(event: .resumed))
  }

  /// Time of a clock that stands still during pauses, in seconds.
  private var now: Double { (pauseBegan ?? monotonicSeconds()) - pauses }

  /// Reports the plan of every file.
  func planned() {
    for file in planner.files {
      var event = BatchEvent(event: .planned, input: file.path)
      event.action = file.plan.action.rawValue
      event.reason = file.plan.reason
      event.isDoneAlready = file.isDoneAlready
      event.isExcluded = file.isExcluded
      event.isRemembered = file.isRemembered
      if file.isToConvert { event.output = file.output }
      reporter.report(event)
    }
  }

  /// Reports the results of the files that need no work after planning.
  func finishUnconverted() {
    tally.results[.skipped, default: 0] += planner.finishedCount
    tally.doneAlready += planner.finishedCount
    for (index, file) in planner.files.enumerated() where !file.isToConvert {
      finished(index, file.plan.action == .skip ? .skipped : .failed, file.plan.reason)
    }
  }

  /// Reports the result of a file.
  func finished(
    _ index: Int, _ status: BatchEvent.Status, _ reason: String? = nil, losses: [String] = [],
    notes: [String] = [], incomplete: String? = nil
  ) {
    let file = planner.files[index]
    ended(index)
    finished.insert(index)
    tally.results[status, default: 0] += 1
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
    event.seconds = seconds(of: index)
    event.error = reason
    event.losses = losses.isEmpty ? nil : losses
    event.notes = notes.isEmpty ? nil : notes
    event.incomplete = incomplete
    event.isDoneAlready = file.isDoneAlready
    event.isExcluded = file.isExcluded
    event.isRemembered = file.isRemembered
    reporter.report(event)
  }

  /// Reports the summary, with the work that is left.
  ///
  /// Returns the exit status.
  func finish(isInterrupted: Bool, planOnly: Bool) -> Int32 {
    let files = planner.files
    var event = BatchEvent(event: .summary)
    event.converted = tally[.converted]
    event.copied = tally[.copied]
    event.skipped = tally[.skipped]
    event.failed = tally[.failed]
    event.doneAlready = tally.doneAlready
    let excluded = files.count(where: \.isExcluded)
    event.excluded = excluded > 0 ? excluded : nil
    if tally.incomplete > 0 { event.incompleteCount = tally.incomplete }
    if tally.withLosses > 0 { event.lossyCount = tally.withLosses }
    event.seconds = monotonicSeconds() - start
    // After an interrupted walk, all files found so far are left.
    let left =
      phase == .walking
      ? files.count
      : files.indices.count {
        !finished.contains($0) && (files[$0].isToConvert || files[$0].isUnplanned)
      }
    var failed = tally[.failed]
    if planOnly, !isInterrupted {
      failed = files.count { $0.plan.action == .fail }
      event.plan = BatchEvent.Plan(
        convert: files.count { $0.plan.action == .convert },
        copy: files.count { $0.plan.action == .copy },
        skip: files.count { $0.plan.action == .skip } + planner.finishedCount, fail: failed,
        media: files.reduce(0) { $0 + ($1.isToConvert ? $1.plan.duration : 0) })
      event.doneAlready = files.count(where: \.isDoneAlready) + planner.finishedCount
    } else if left > 0 || isInterrupted {
      event.left = left
      event.isInterrupted = isInterrupted
      event.stillWalking = phase == .walking
    }
    reporter.report(event)
    return isInterrupted ? 130 : failed > 0 ? 1 : 0
  }

  /// Numbers of files for the ledger.
  var counts: LedgerStatus.Counts {
    LedgerStatus.Counts(
      converted: Int64(tally[.converted]), copied: Int64(tally[.copied]),
      skipped: Int64(tally[.skipped]), failed: Int64(tally[.failed]),
      unfinished: Int64(planner.files.count - finished.count))
  }

  /// Returns the paths of files with commas between them.
  func paths(_ files: [Int]) -> String {
    files.map { planner.files[$0].path }.joined(separator: ", ")
  }

  /// Returns the seconds since the work on a file began.
  func seconds(of file: Int) -> Double { jobs[file].map { now - $0.started } ?? 0 }

  // MARK: Progress

  func began(_ file: Int) {
    jobs[file] = Job(started: now)
    running.insert(file)
  }

  func ended(_ file: Int) { running.remove(file) }

  func isRunning(_ file: Int) -> Bool { running.contains(file) }

  func advanced(_ file: Int, to fraction: Double) {
    let fraction = max(jobs[file]?.fraction ?? 0, fraction)
    jobs[file]?.fraction = fraction
    var event = BatchEvent(event: .progress, input: planner.files[file].path)
    event.fraction = fraction
    reporter.report(event)
  }

  /// Updates the progress about ten times a second.
  ///
  /// `found` is the number of files that the walk has found so far.
  func tick(found: Int = 0) {
    let now = monotonicSeconds()
    guard now - lastTick > tickInterval else { return }
    reporter.tick(progress(found: found))
    lastTick = monotonicSeconds()
    // With a million files, the sums take longer than a tenth of a second.
    tickInterval = max(0.1, 20 * (lastTick - now))
  }

  private func progress(found: Int) -> BatchProgress {
    var state = BatchProgress()
    state.isPlanning = phase != .converting
    guard phase != .walking else {
      state.filesTotal = found
      return state
    }
    let files = planner.files
    state.filesTotal = files.count + planner.finishedCount
    state.elapsed = now - start
    state.failed = tally[.failed]
    if state.isPlanning {
      state.filesDone = files.count { !$0.isUnplanned } + planner.finishedCount
      return state
    }
    state.filesDone = finished.count + planner.finishedCount
    var done = tally.work
    state.mediaDone = tally.media
    for index in running.sorted() {
      guard let job = jobs[index] else { continue }
      let file = files[index]
      done += job.fraction * file.plan.cost
      state.mediaDone += job.fraction * file.plan.duration
      state.jobs.append(
        .init(
          input: file.path, fraction: job.fraction, seconds: now - job.started))
    }
    let total = files.reduce(0.0) { $0 + $1.plan.cost }
    state.mediaTotal = files.reduce(0.0) { $0 + $1.plan.duration }
    state.fraction = total > 0 ? done / total : 0
    return state
  }
}
