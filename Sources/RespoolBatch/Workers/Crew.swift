import CLinux
import Glibc
import Respool
import RespoolHost
import RespoolMedia

/// The workers of a batch: starts them when they are needed, and receives their answers and their endings.
final class Crew {
  /// An event of a worker.
  enum Event {
    case answer(WorkerAnswer)
    case death(WorkerDeath)
  }

  private let executable: String
  /// Name or path of the preset.
  private let preset: String
  /// Identity of the preset's content, which every worker must find.
  private let presetIdentity: String
  /// Text of the condition that files fulfil; empty for none.
  private let condition: String
  private let verification: OutputVerification
  /// `true` if workers get a folder for files of their encoders.
  private let needsScratch: Bool
  /// Names of plugins by path.
  private let plugins: [String: String]
  private let patience: Double
  private let limits: WorkLimits
  /// `true` while the workers are stopped.
  private(set) var isPaused = false
  /// List to which crashes of plugins are added.
  private let crashes: PluginCrashes?
  private var workers: [WorkerProcess] = []
  /// Number of consecutive workers that ended before they were ready, or could not be started.
  private var failedStarts = 0
  private var lastFailure = ""

  /// Number of consecutive failed starts after which no other worker is started.
  private static let mostFailedStarts = 5

  init(
    executable: String, preset: String, presetIdentity: String, condition: String,
    verification: OutputVerification, needsScratch: Bool,
    plugins: [String: String], patience: Double, limits: WorkLimits, crashes: PluginCrashes?
  ) {
    self.executable = executable
    self.preset = preset
    self.presetIdentity = presetIdentity
    self.condition = condition
    self.verification = verification
    self.needsScratch = needsScratch
    self.plugins = plugins
    self.patience = patience
    self.limits = limits.resolved()
    self.crashes = crashes
  }

  /// `true` if no worker has a request.
  var isIdle: Bool { workers.allSatisfy { $0.current == nil } }

  /// `true` if a worker has no request, or another one may be started.
  func hasRoom(atMost limit: Int) -> Bool {
    workers.count < limit || workers.contains { $0.current == nil }
  }

  /// Returns a worker without a request; `nil` if all of `limit` have one, or if no other can be started
  /// now.
  ///
  /// Throws `pluginFailure` if several in a row ended before they were ready. Throws `limitExceeded` if
  /// this process may not open enough files for the first one.
  func idleWorker(atMost limit: Int) throws(MediaError) -> WorkerProcess? {
    if let idle = workers.first(where: { $0.current == nil }) { return idle }
    guard workers.count < limit else { return nil }
    do throws(MediaError) {
      let scratch = needsScratch ? try ScratchFolder() : nil
      let worker = try WorkerProcess(
        executable: executable,
        arguments: [
          Worker.argument, preset, presetIdentity, condition, verification.rawValue,
          scratch?.path ?? "",
        ], scratch: scratch)
      workers.append(worker)
      return worker
    } catch {
      // Memory or processes are exhausted; the other workers continue.
      if workers.isEmpty {
        if error.code == .limitExceeded { throw error }
        try noteFailedStart(error.description)
      }
      return nil
    }
  }

  private func noteFailedStart(_ reason: String) throws(MediaError) {
    failedStarts += 1
    lastFailure = reason
    guard failedStarts >= Self.mostFailedStarts else { return }
    throw MediaError(
      .pluginFailure,
      "\(failedStarts) worker processes in a row ended before they could begin; the last one: \(reason)"
    )
  }

  /// Stops all workers where they are, or lets them continue.
  func pause(_ isPaused: Bool) {
    self.isPaused = isPaused
    for worker in workers { if isPaused { worker.pause() } else { worker.resume() } }
  }

  /// Waits for at most a fifth of a second and returns the events; none if the user interrupts.
  ///
  /// Throws as `bury` does.
  func wait(_ interruption: Interruption) throws(MediaError) -> [Event] {
    var polled = [pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0)]
    for worker in workers {
      polled.append(pollfd(fd: worker.answers, events: Int16(POLLIN), revents: 0))
      polled.append(pollfd(fd: worker.complaints, events: Int16(POLLIN), revents: 0))
    }
    let before = monotonicSeconds()
    let count = poll(&polled, nfds_t(polled.count), 200)
    let pause = monotonicSeconds() - before
    // This process was stopped (Ctrl-Z) together with the workers, so that they could not send messages.
    if pause > 1 { for worker in workers { worker.extendPatience(by: pause) } }
    interruption.update()
    guard !interruption.isRequested else { return [] }
    var events: [Event] = []
    for (position, worker) in workers.enumerated() {
      let hasAnswers = count > 0 && polled[1 + 2 * position].revents != 0
      if count > 0, polled[2 + 2 * position].revents != 0 { worker.listen() }
      if hasAnswers { events += try answers(of: worker) }
      guard !isPaused, workers.contains(where: { $0 === worker }) else { continue }
      if let reason = worker.excess(over: limits) {
        worker.destroy()
        events.append(.death(try bury(worker, because: reason)))
      } else if !hasAnswers, let reason = worker.hang(patience: patience) {
        worker.destroyHanging()
        events.append(.death(try bury(worker, because: reason)))
      }
    }
    return events
  }

  /// Returns the answers that a worker has sent; ends it if one of them was not asked for.
  private func answers(of worker: WorkerProcess) throws(MediaError) -> [Event] {
    var events: [Event] = []
    guard let received = worker.receive() else {
      return [.death(try bury(worker, because: nil))]
    }
    var fault: String?
    for answer in received.answers where fault == nil {
      if worker.accept(answer) {
        if answer.kind == .ready { failedStarts = 0 }
        events.append(.answer(answer))
      } else if answer.kind != .progress {
        fault = "sent the answer \"\(answer.kind)\", which was not asked for"
      }
    }
    if let fault = fault ?? received.fault {
      worker.destroy()
      events.append(.death(try bury(worker, because: fault + ", and was killed")))
    }
    return events
  }

  /// Removes a worker that has ended, or must end, from the crew.
  ///
  /// Throws `io` if the worker has found another preset. Throws `pluginFailure` if several in a row ended
  /// before they were ready.
  private func bury(_ worker: WorkerProcess, because reason: String?) throws(MediaError)
    -> WorkerDeath
  {
    workers.removeAll { $0 === worker }
    let ending = worker.reap()
    // Read after its end, so that the report of a crash is complete.
    worker.listen()
    let report = CrashReport(worker.lastText, plugins: plugins)
    if !worker.isReady, case .exited(Worker.presetHasChanged) = ending {
      throw MediaError(
        .io, report.message ?? "the preset \(preset) has changed since the batch began")
    }
    let words = reason.map { $0 + (report.place.map { " in \($0)" } ?? "") } ?? ending.words(report)
    if !worker.isReady { try noteFailedStart(words) }
    if let plugin = report.plugin {
      crashes?.add(
        PluginCrashes.Crash(
          plugin: plugin, time: Int64(time(nil)), file: worker.current?.input ?? "", reason: words))
    }
    return WorkerDeath(
      request: worker.current, reason: words, wasReady: worker.isReady, isKilled: ending.isKilled,
      before: worker.finished, beside: workers.compactMap { $0.current?.input })
  }

  /// Ends all workers.
  func retire() {
    isPaused = false
    for worker in workers { worker.terminate() }
    for worker in workers { _ = worker.reap(within: 2) }
    workers = []
  }
}
