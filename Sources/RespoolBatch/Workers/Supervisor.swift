import DequeModule
import Glibc
import Respool
import RespoolMedia

/// Work on files that a supervisor gives to workers.
protocol WorkSource: AnyObject {
  /// Throws if no work can go on, such as without the output folder; called several times a second.
  func checkCanGoOn() throws(MediaError)
  /// Returns the next work; called again only after `begin` if there is any.
  func next() throws(MediaError) -> NextWork
  /// Returns the request for the file that `next` has returned; `nil` if the file has failed because it cannot begin.
  func begin(_ file: BatchFile) -> WorkerRequest?
  /// Returns the request for a file that is tried again alone; `nil` if the file has failed because it cannot begin.
  func beginAgain(_ number: Int) -> (file: BatchFile, request: WorkerRequest)?
  /// Lets a file wait again whose worker died before it began.
  func putBack(_ number: Int)
  /// Takes the answer that ends the work on a file, which took some seconds.
  func take(_ answer: WorkerAnswer, seconds: Double)
  /// Removes the unfinished output of a file whose worker has died.
  func discard(_ number: Int)
  /// Lets a file fail after its last attempt.
  func fail(_ number: Int, _ reason: String)
}

/// Work that can begin.
enum NextWork {
  case file(BatchFile)
  /// There may be work later, such as after a running file has ended.
  case later
  /// There is none unless running files bring some.
  case none
}

/// The supervisor of the workers: gives them files, one at a time each.
final class Supervisor {
  private let crew: Crew
  /// Greatest number of workers at a time that convert files.
  let workerCount: Int
  /// Greatest number of workers at a time.
  private let mostWorkers: Int
  private let pause: BatchPause?
  private let report: BatchReport
  /// `true` after a warning that the workers have no complete sandbox.
  private var hasWarnedOfSandbox = false
  /// Files whose worker has died, to be tried again.
  private var again: Deque<Int> = []
  /// File that is tried again alone, when no worker is busy.
  private var alone: Int?

  /// Number of files that are tried again at the end; with more, nothing else begins before them.
  private static let mostAgain = 256

  /// Creates a supervisor.
  ///
  /// `limit` is the maximum number of workers. `nil` for the number that the cores allow, and one more if
  /// `planOnly` is `true`: a plan takes less than a millisecond, and workers wait for the next file between two.
  init(_ crew: Crew, limit: Int?, planOnly: Bool, _ pause: BatchPause?, _ report: BatchReport) {
    (self.crew, self.pause, self.report) = (crew, pause, report)
    workerCount = max(1, limit ?? coreCount())
    mostWorkers = planOnly && limit == nil ? workerCount + 1 : workerCount
  }

  /// Gives files to workers until there is an answer for every file, or the user interrupts.
  ///
  /// A file whose worker died is tried again at the end, alone in a new worker. The cause of the death may
  /// have been an earlier file, a thread that a plugin left running, or other processes that used the
  /// memory.
  func work(on source: some WorkSource, _ interruption: Interruption) throws(MediaError) {
    while true {
      try source.checkCanGoOn()
      if followPause() {
        // Nothing begins.
      } else if let number = alone {
        if crew.isIdle { try beginAgain(number, source) }
      } else if interruption.isDraining {
        if crew.isIdle { return }
      } else {
        let next = try begin(source)
        // Files that are tried again do not wait for those that other batches are converting: these may wait for them.
        if crew.isIdle, let number = again.popFirst() {
          crew.retire()
          alone = number
          continue
        }
        if case .none = next, crew.isIdle { return }
      }
      for event in try crew.wait(interruption) {
        switch event {
        case .answer(let answer): take(answer, source)
        case .death(let death): take(death, source)
        }
      }
      if interruption.isRequested { return }
      report.tick()
    }
  }

  /// Begins as much work as there are workers, and returns what there is beside.
  private func begin(_ source: some WorkSource) throws(MediaError) -> NextWork {
    while again.count < Self.mostAgain {
      // Looking for work reads folders and asks for free space.
      guard crew.hasRoom(atMost: mostWorkers) else { return .later }
      let next = try source.next()
      guard case .file(let file) = next, let worker = try crew.idleWorker(atMost: mostWorkers)
      else { return next }
      guard let request = source.begin(file) else { continue }
      send(request, for: file, to: worker)
    }
    return .none
  }

  /// Begins the file that is tried again alone.
  private func beginAgain(_ number: Int, _ source: some WorkSource) throws(MediaError) {
    guard let worker = try crew.idleWorker(atMost: 1) else { return }
    guard let (file, request) = source.beginAgain(number) else {
      alone = nil
      return
    }
    send(request, for: file, to: worker)
  }

  private func send(_ request: WorkerRequest, for file: BatchFile, to worker: WorkerProcess) {
    report.began(file, isConversion: request.task == .convert)
    // If the worker has ended, its closed pipe shows it.
    _ = worker.send(request)
  }

  /// Ends all workers.
  func retire() { crew.retire() }

  /// Stops the workers if the batch is to pause, and lets them continue afterwards; returns `true` during a pause.
  private func followPause() -> Bool {
    let reason = pause?.reason()
    guard (reason != nil) != crew.isPaused else { return crew.isPaused }
    crew.pause(reason != nil)
    if let reason { report.paused(reason) } else { report.resumed() }
    return crew.isPaused
  }

  // MARK: Results

  private func take(_ answer: WorkerAnswer, _ source: some WorkSource) {
    if let sandbox = answer.sandbox { check(sandbox) }
    guard report.isRunning(answer.file) else { return }
    switch answer.kind {
    case .ready: break
    case .progress: report.advanced(answer.file, to: answer.fraction ?? 0)
    case .planned, .examined, .converted, .failed:
      let seconds = report.ended(answer.file)
      if alone == answer.file { endAlone() }
      source.take(answer, seconds: seconds)
    }
  }

  private func take(_ death: WorkerDeath, _ source: some WorkSource) {
    guard let request = death.request else {
      return report.warn("a worker process \(death.reason)" + suspects(death))
    }
    let number = request.file
    report.ended(number)
    source.discard(number)
    let isAlone = alone == number
    if !death.wasReady {
      // The worker died before it began with the file.
      if !isAlone { source.putBack(number) }
    } else if isAlone {
      endAlone()
      source.fail(
        number, words(death) + "; the first attempt failed too, and the second ran alone")
    } else {
      again.append(number)
      report.warn(
        "\(request.input): \(words(death)); the file will be tried again alone" + suspects(death))
    }
  }

  /// Ends the worker of the file that was tried again alone.
  private func endAlone() {
    alone = nil
    crew.retire()
  }

  /// Warns once if plugins can do more than they should.
  private func check(_ sandbox: Sandbox) {
    guard let reason = sandbox.reason, Sandbox.isWanted, !hasWarnedOfSandbox else { return }
    hasWarnedOfSandbox = true
    let missing = sandbox.restrictsFiles ? "system calls" : "files"
    report.warn("plugins run without a complete sandbox, \(missing) are not restricted: \(reason)")
  }

  private func words(_ death: WorkerDeath) -> String {
    let verb =
      switch death.request?.task {
      case .plan: "planned the file"
      case .examine: "examined the output"
      case .convert, nil: "converted the file"
      }
    return "the process that \(verb) \(death.reason)"
  }

  /// Returns the files that may have caused a death, because an earlier file can make a process die later.
  private func suspects(_ death: WorkerDeath) -> String {
    var text = ""
    let before = death.before.filter { $0 != death.request?.input }.joined(separator: ", ")
    if !before.isEmpty { text += "; the same process had worked on \(before) before" }
    if death.isKilled, !death.beside.isEmpty {
      let others = death.beside.joined(separator: ", ")
      text += "; other processes were working on \(others) at the same time"
    }
    return text
  }
}
