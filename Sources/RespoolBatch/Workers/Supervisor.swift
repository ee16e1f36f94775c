import Glibc
import Respool
import RespoolMedia

/// A stage of a batch: work on files that a supervisor gives to workers.
protocol WorkStage {
  /// Returns the request for a file; `nil` if the file has failed before its work began.
  ///
  /// `isRetry` is `true` if the file is tried again alone.
  func request(for file: Int, isRetry: Bool) -> WorkerRequest?
  /// Returns about how many bytes of memory the work on a file takes; 0 if this is little or unknown.
  func memory(of file: Int) -> Int64
  /// Returns the answer to the question if there is room for the output of a file, while others are made.
  func space(for file: Int, beside running: Set<Int>) -> FreeSpace.Answer
  /// Takes the answer that ends the work on a file; returns `false` if the file is to be tried again.
  func take(_ answer: WorkerAnswer) -> Bool
  /// Removes the unfinished output of a file whose worker has died.
  func discard(_ file: Int)
  /// Lets a file fail after its last attempt.
  func fail(_ file: Int, _ reason: String)
}

/// The supervisor of the workers: gives them the files of a stage, one at a time each.
final class Supervisor {
  private let crew: Crew
  private let limit: Int?
  private let pause: BatchPause?
  private let report: BatchReport
  /// `true` after a warning that the workers have no complete sandbox.
  private var hasWarnedOfSandbox = false

  /// Creates a supervisor.
  ///
  /// `limit` is the maximum number of workers. `nil` for the number that the cores allow.
  init(_ crew: Crew, limit: Int?, _ pause: BatchPause?, _ report: BatchReport) {
    (self.crew, self.limit, self.pause, self.report) = (crew, limit, pause, report)
  }

  /// Returns the number of workers at a time.
  func workerCount(for files: Int) -> Int { max(1, min(limit ?? coreCount(), files)) }

  /// Gives the files to workers until there is an answer for every file, or the user interrupts.
  ///
  /// A file whose worker died is tried again at the end, alone in a new worker. The cause of the death may
  /// have been an earlier file, a thread that a plugin left running, or other processes that used the
  /// memory.
  func work(on files: [Int], _ stage: some WorkStage, _ interruption: Interruption)
    throws(MediaError)
  {
    let again = try dispatch(files, stage, interruption, isRetry: false)
    for file in again where !interruption.isRequested {
      crew.retire()
      _ = try dispatch([file], stage, interruption, isRetry: true)
      crew.retire()
    }
  }

  /// Ends all workers.
  func retire() { crew.retire() }

  /// Part of the available memory that files may take together.
  private static let memoryShare = 0.8

  /// Gives the files to workers, and returns those whose worker has died.
  private func dispatch(
    _ files: [Int], _ stage: some WorkStage, _ interruption: Interruption, isRetry: Bool
  ) throws(MediaError) -> [Int] {
    let workers = workerCount(for: files.count)
    var waiting = Array(files.reversed())
    var again: [Int] = []
    let memory = AvailableMemory.bytes().map { Int64(Double($0) * Self.memoryShare) } ?? .max
    // A file that needs more than there is runs alone.
    func hasRoom(for file: Int) -> Bool {
      let taken = report.running.reduce(Int64(0)) { $0 + stage.memory(of: $1) }
      return taken == 0 || stage.memory(of: file) <= memory - taken
    }
    while true {
      let isPaused = followPause()
      while !isPaused, let file = waiting.last, hasRoom(for: file) {
        let space = stage.space(for: file, beside: report.running)
        if case .none(let reason) = space {
          waiting.removeLast()
          stage.fail(file, reason)
          continue
        }
        guard space == .enough,
          let worker = try crew.idleWorker(atMost: workers)
        else { break }
        waiting.removeLast()
        guard let request = stage.request(for: file, isRetry: isRetry) else { continue }
        report.began(file)
        // If the worker has ended, its closed pipe shows it below.
        _ = worker.send(request)
      }
      if waiting.isEmpty, crew.isIdle { return again }
      for event in try crew.wait(interruption) {
        switch event {
        case .answer(let answer):
          if !take(answer, stage) { waiting.append(answer.file) }
        case .death(let death):
          guard let file = death.request?.file else {
            report.warn("a worker process \(death.reason)" + suspects(death))
            continue
          }
          report.ended(file)
          stage.discard(file)
          if !death.wasReady {
            // The worker died before it began with the file.
            waiting.append(file)
          } else if isRetry {
            stage.fail(
              file, words(death) + "; the first attempt failed too, and the second ran alone")
          } else {
            again.append(file)
            report.warn(
              "\(report.paths([file])): \(words(death)); the file will be tried again alone"
                + suspects(death))
          }
        }
      }
      if interruption.isRequested { return again }
      report.tick()
    }
  }

  /// Stops the workers if the batch is to pause, and lets them continue afterwards; returns `true` during a pause.
  private func followPause() -> Bool {
    let reason = pause?.reason()
    guard (reason != nil) != crew.isPaused else { return crew.isPaused }
    crew.pause(reason != nil)
    if let reason { report.paused(reason) } else { report.resumed() }
    return crew.isPaused
  }

  /// Takes an answer; returns `false` if the file is to be tried again.
  private func take(_ answer: WorkerAnswer, _ stage: some WorkStage) -> Bool {
    if let sandbox = answer.sandbox { check(sandbox) }
    guard report.isRunning(answer.file) else { return true }
    switch answer.kind {
    case .ready: return true
    case .progress:
      report.advanced(answer.file, to: answer.fraction ?? 0)
      return true
    case .planned, .examined, .converted, .failed:
      report.ended(answer.file)
      return stage.take(answer)
    }
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
    let before = death.before.filter { $0 != death.request?.file }
    if !before.isEmpty {
      text += "; the same process had worked on \(report.paths(before)) before"
    }
    if death.isKilled, !death.beside.isEmpty {
      text += "; other processes were working on \(report.paths(death.beside)) at the same time"
    }
    return text
  }
}
