import Glibc
import Respool
public import RespoolMedia

/// Runs a batch: walks, lets workers plan every file, then lets them convert what is to be converted.
///
/// One thread, one `poll` over the pipes of all workers. Nothing a file or a codec does can reach this
/// process: what happens to a worker ends one file.
public final class Batch {
  public let options: BatchOptions
  private let executable: String
  private let reporter: any BatchReporter

  private var files: [BatchFile] = []
  private var workers: [WorkerProcess] = []
  private var threadsEach = 1
  private var tally: [BatchEvent.Status: Int] = [:]
  private let start = monotonicSeconds()
  private var workDone = 0.0
  private var mediaDone = 0.0
  private var isPlanning = true
  private var interrupted = false

  /// Seconds without a sign of life after which a worker is given up.
  private let patience: Double

  /// `executable` is run with `__worker PRESET` for every worker.
  public init(
    options: BatchOptions, executable: String, reporter: any BatchReporter, patience: Double = 120
  ) {
    self.options = options
    self.executable = executable
    self.reporter = reporter
    self.patience = patience
  }

  /// Runs the batch; `planOnly` stops after the plan and touches nothing.
  ///
  /// The exit status: 0 all done, 1 some failed, 130 interrupted.
  public func run(planOnly: Bool = false) throws(MediaError) -> Int32 {
    let interruption = try Interruption()
    walk()
    let jobs = jobCount(files.count)
    try startWorkers(jobs)
    defer { stopWorkers() }
    try work(through: files.indices.filter { files[$0].isOpen }, interruption) { index in
      WorkerRequest(task: .plan, file: index, input: files[index].path)
    }
    isPlanning = false
    if interrupted { return finish(130) }
    name()
    for file in files { report(planned: file) }
    if planOnly { return finish(tally[.failed, default: 0] > 0 || hasFailures ? 1 : 0) }
    for index in files.indices { settleWithoutWork(index) }
    // The longest first, so that no core waits for the last one; of equals, the one with the most in it.
    let waiting = files.indices.filter { files[$0].isOpen }.sorted {
      (files[$0].plan.cost, files[$0].size, $1) > (files[$1].plan.cost, files[$1].size, $0)
    }
    for folder in Set(waiting.map { FileName.folder(files[$0].output) }) {
      PendingFile.removeAbandoned(in: folder)
    }
    threadsEach = max(1, coreCount() / max(1, min(jobs, waiting.count)))
    try work(through: waiting, interruption) { index in
      let file = files[index]
      guard makeFolder(FileName.folder(file.output)) else { return nil }
      return WorkerRequest(
        task: .convert, file: index, input: file.path, output: file.pending?.path ?? "",
        threads: threadsEach)
    }
    return finish(interrupted ? 130 : tally[.failed, default: 0] > 0 ? 1 : 0)
  }

  private var hasFailures: Bool { files.contains { $0.plan.action == .fail } }

  // MARK: Planning

  private func walk() {
    var walker = Walker(excluding: options.output)
    for input in options.inputs { walker.walk(input) }
    files = walker.files.map { BatchFile(path: $0.path, relative: $0.relative, size: $0.size) }
    for problem in walker.problems {
      var file = BatchFile(path: problem.path, relative: FileName.last(problem.path), size: 0)
      let isHidden = problem.reason.hasPrefix("hidden")
      file.plan = FilePlan(action: isHidden ? .skip : .fail, reason: problem.reason)
      file.isOpen = false
      files.append(file)
    }
  }

  /// Gives outputs their names, after the plan of every file is known.
  private func name() {
    let named = files.indices.filter {
      files[$0].plan.action == .convert || files[$0].plan.action == .copy
    }
    let entries = named.map {
      OutputNames.Entry(
        relative: files[$0].relative, outputExtension: files[$0].plan.outputExtension)
    }
    let results = OutputNames.assign(entries, onCollision: options.onCollision)
    let inputs = Set(files.compactMap { FileIdentity($0.path) })
    for (index, result) in zip(named, results) {
      switch result {
      case .success(let name):
        files[index].output = FileName.join(options.output, name)
        files[index].pending = PendingFile(for: files[index].output, number: index)
        if fileExists(files[index].output) {
          switch options.onExists {
          case .skip:
            files[index].plan = FilePlan(action: .skip, reason: "the output is there already")
          case .fail:
            files[index].plan = FilePlan(action: .fail, reason: "the output is there already")
          case .replace:
            if let obstacle = PendingFile.obstacle(at: files[index].output, inputs: inputs) {
              files[index].plan = FilePlan(action: .fail, reason: "the output \(obstacle)")
            }
          }
        }
      case .failure(let error):
        files[index].plan.action = .fail
        files[index].plan.reason = error.message
      }
    }
  }

  private func report(planned file: BatchFile) {
    var event = BatchEvent(event: .planned, input: file.path)
    event.action = file.plan.action.rawValue
    event.reason = file.plan.reason
    if file.plan.action == .convert || file.plan.action == .copy { event.output = file.output }
    reporter.report(event)
  }

  /// What is decided by the plan alone.
  private func settleWithoutWork(_ index: Int) {
    switch files[index].plan.action {
    case .skip: close(index, .skipped, files[index].plan.reason)
    case .fail: close(index, .failed, files[index].plan.reason)
    case .convert, .copy: files[index].isOpen = true
    }
  }

  // MARK: Workers

  private func jobCount(_ files: Int) -> Int { max(1, min(options.jobs ?? coreCount(), files)) }

  private func startWorkers(_ count: Int) throws(MediaError) {
    for _ in 0..<count { workers.append(try startWorker()) }
  }

  private func startWorker() throws(MediaError) -> WorkerProcess {
    try WorkerProcess(executable: executable, arguments: [Worker.argument, options.preset])
  }

  private func stopWorkers() {
    for worker in workers { worker.terminate() }
    for worker in workers where !worker.reap(within: 2) {
      worker.destroy()
      _ = worker.reap()
    }
    workers = []
    for file in files where file.isRunning { file.pending?.discard() }
  }

  /// Gives the files to the workers, one each at a time, until all have been answered for.
  private func work(
    through indices: [Int], _ interruption: Interruption,
    request: (Int) -> WorkerRequest?
  ) throws(MediaError) {
    var waiting = indices[...]
    var pace = monotonicSeconds()
    while true {
      for worker in workers where worker.current == nil && !waiting.isEmpty {
        guard let index = waiting.popFirst() else { break }
        guard let request = request(index) else {
          close(index, .failed, "the output folder cannot be made: \(errorText(errno))")
          continue
        }
        files[index].isRunning = true
        files[index].started = monotonicSeconds()
        files[index].fraction = 0
        // A worker that is gone is noticed below, by its closed pipe.
        _ = worker.send(request)
      }
      if waiting.isEmpty, workers.allSatisfy({ $0.current == nil }) { return }
      try wait(interruption)
      if interruption.isRequested {
        interrupted = true
        return
      }
      if monotonicSeconds() - pace > 0.1 {
        pace = monotonicSeconds()
        reporter.tick(progress())
      }
    }
  }

  private func wait(_ interruption: Interruption) throws(MediaError) {
    var polled = [pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0)]
    for worker in workers {
      polled.append(pollfd(fd: worker.answers, events: Int16(POLLIN), revents: 0))
      polled.append(pollfd(fd: worker.complaints, events: Int16(POLLIN), revents: 0))
    }
    let count = poll(&polled, nfds_t(polled.count), 200)
    interruption.update()
    guard count > 0 else {
      for position in workers.indices { try giveUpIfSilent(position) }
      return
    }
    for position in workers.indices {
      if polled[2 + 2 * position].revents != 0 { workers[position].listen() }
      if polled[1 + 2 * position].revents != 0 {
        if let answers = workers[position].receive() {
          for answer in answers { take(answer, from: workers[position]) }
        } else {
          try replace(position, because: nil)
        }
      } else {
        try giveUpIfSilent(position)
      }
    }
  }

  private func giveUpIfSilent(_ position: Int) throws(MediaError) {
    let worker = workers[position]
    guard worker.current != nil, monotonicSeconds() - worker.lastSign > patience else { return }
    worker.destroy()
    try replace(position, because: "gave no sign of life for \(Int(patience)) seconds")
  }

  /// A worker has died, or must: its file fails with the reason, and another takes its place.
  private func replace(_ position: Int, because reason: String?) throws(MediaError) {
    let worker = workers[position]
    worker.listen()
    let end = worker.reap()
    if let request = worker.current {
      let words = worker.lastWords.split(separator: "\n").last.map { ": \($0)" } ?? ""
      let what = "the process that \(request.task == .plan ? "looked at" : "converted") it "
      files[request.file].pending?.discard()
      fail(request, "\(what)\(reason ?? end)\(words)")
      workers[position] = try startWorker()
    } else {
      // It died before it got anything to do: the preset or the plugins are at fault, not a file.
      throw MediaError(
        .pluginFailure, "a worker \(end)", cause: worker.lastWords.isEmpty ? nil : worker.lastWords)
    }
  }

  private func fail(_ request: WorkerRequest, _ reason: String) {
    files[request.file].isRunning = false
    switch request.task {
    case .plan: files[request.file].plan = FilePlan(action: .fail, reason: reason)
    case .convert: close(request.file, .failed, reason)
    }
  }

  private func take(_ answer: WorkerAnswer, from worker: WorkerProcess) {
    let index = answer.file
    guard files.indices.contains(index) else { return }
    switch answer.kind {
    case .progress:
      files[index].fraction = max(files[index].fraction, answer.fraction ?? 0)
      var event = BatchEvent(event: .progress, input: files[index].path)
      event.fraction = files[index].fraction
      reporter.report(event)
      return
    case .planned:
      files[index].plan = answer.plan ?? FilePlan(action: .fail, reason: "no plan came back")
    case .converted: settle(index, answer.losses ?? [])
    case .failed: close(index, .failed, answer.message)
    }
    files[index].isRunning = false
    worker.current = nil
  }

  /// The temporary file is complete: it gets its name.
  private func settle(_ index: Int, _ losses: [String]) {
    let file = files[index]
    if options.strict, !losses.isEmpty {
      file.pending?.discard()
      close(index, .failed, "something would be lost: " + losses.joined(separator: "; "))
      return
    }
    do throws(MediaError) {
      try file.pending?.complete(replacing: options.onExists == .replace)
    } catch {
      var reason = error
      reason.file = nil
      close(index, .failed, reason.description)
      return
    }
    close(index, file.plan.action == .copy ? .copied : .converted, nil, losses)
  }

  // MARK: Reporting

  private func close(
    _ index: Int, _ status: BatchEvent.Status, _ reason: String?, _ losses: [String] = []
  ) {
    files[index].isOpen = false
    files[index].isRunning = false
    tally[status, default: 0] += 1
    workDone += files[index].plan.cost
    mediaDone += files[index].plan.duration
    var event = BatchEvent(event: .finished, input: files[index].path)
    event.status = status
    if status == .converted || status == .copied { event.output = files[index].output }
    event.seconds = files[index].started.map { monotonicSeconds() - $0 } ?? 0
    event.error = reason
    event.losses = losses.isEmpty ? nil : losses
    reporter.report(event)
  }

  private func progress() -> BatchProgress {
    var state = BatchProgress()
    state.isPlanning = isPlanning
    state.filesTotal = files.count
    state.elapsed = monotonicSeconds() - start
    state.failed = tally[.failed, default: 0]
    if isPlanning {
      state.filesDone = files.count { $0.plan.action != .fail || $0.plan.reason != nil }
      return state
    }
    state.filesDone = tally.values.reduce(0, +)
    var done = workDone
    state.mediaDone = mediaDone
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

  private func finish(_ status: Int32) -> Int32 {
    var event = BatchEvent(event: .summary)
    event.converted = tally[.converted, default: 0]
    event.copied = tally[.copied, default: 0]
    event.skipped = tally[.skipped, default: 0]
    event.failed = tally[.failed, default: 0]
    event.seconds = monotonicSeconds() - start
    reporter.report(event)
    return status
  }
}

/// One file of the batch and where it stands.
private struct BatchFile {
  var path: String
  var relative: String
  var size: Int64
  var plan = FilePlan(action: .fail)
  var output = ""
  /// Once it has its output's name.
  var pending: PendingFile?
  var isOpen = true
  var isRunning = false
  var started: Double?
  var fraction = 0.0

  init(path: String, relative: String, size: Int64) {
    self.path = path
    self.relative = relative
    self.size = size
  }
}
