public import Respool
public import RespoolMedia

/// A check of files and of all files in folders, each in a process of its own.
///
/// A file with which a plugin crashes or hangs does not affect the others.
public final class CheckRun {
  private let inputs: [String]
  private let executable: String
  private let reporter: CheckReporter
  private let jobs: Int
  private let cores: Int
  private let pool: ProcessPool
  private let followsLinks: Bool
  private let plugins: [String: String]

  /// Messages of a running process.
  private struct Answers {
    var findings: [FileCheck.Finding] = []
    var end: (status: CheckedFile.Status, reason: String?, duration: Double?)?
    var fraction = 0.0
  }
  private var answers: [ObjectIdentifier: Answers] = [:]
  private var summary = CheckSummary()
  private var total = 0
  /// `true` if the reader of the results has closed its end.
  private var hasLostReader = false
  private var hasWarnedOfSandbox = false
  private let start = monotonicSeconds()

  /// Maximum number of findings that are taken from a process.
  private static let mostFindings = 256

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - inputs: files and folders.
  ///   - executable: the program to run with `__check THREADS PATH` for every file.
  ///   - registry: registry with the names of plugins, for reports of crashes.
  ///   - jobs: number of files at a time, 1 or more.
  ///   - cores: number of cores that may be used; the jobs share them.
  ///   - followsLinks: `true` enters folders through symbolic links.
  ///   - patience: seconds without progress after which a process is killed, if it hardly uses the processor.
  ///   - reporter: receives the results.
  public init(
    inputs: [String], executable: String, registry: PluginRegistry, jobs: Int, cores: Int,
    followsLinks: Bool, patience: Double, reporter: CheckReporter
  ) {
    self.inputs = inputs
    self.executable = executable
    self.jobs = max(1, jobs)
    self.cores = cores
    self.followsLinks = followsLinks
    self.reporter = reporter
    pool = ProcessPool(jobs: jobs, patience: patience)
    plugins = Dictionary(
      registry.plugins.map { ($0.path, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// Runs until all files are checked or the user interrupts.
  ///
  /// - Returns: the exit status: 0 if no file is damaged or unreadable, 1 if some are, 130 if interrupted.
  public func run() throws(MediaError) -> Int32 {
    let interruption = try Interruption()
    var walker = Walker(inputs, excluding: nil, followsLinks: followsLinks)
    walker.step = { _ in
      interruption.update()
      return !interruption.isRequested
    }
    let (files, problems) = walker.takeAll()
    total = files.count + problems.count
    for problem in problems {
      finish(
        CheckedFile(
          problem.path, problem.isHarmless ? .skipped : .unreadable, reason: problem.reason))
    }
    let threads = max(1, cores / max(1, min(jobs, files.count)))
    for file in files {
      while !pool.hasRoom, !isStopped(interruption) { wait(interruption) }
      if isStopped(interruption) { break }
      begin(file.path, threads)
    }
    while !pool.running.isEmpty, !isStopped(interruption) { wait(interruption) }
    if isStopped(interruption) { pool.stop() }
    summary.seconds = monotonicSeconds() - start
    if interruption.isRequested { summary.left = total - done }
    if !hasLostReader { reporter.finish(summary) }
    return interruption.isRequested ? 130 : summary.hasFailures || hasLostReader ? 1 : 0
  }

  private func isStopped(_ interruption: Interruption) -> Bool {
    interruption.isRequested || hasLostReader
  }

  private var done: Int { summary.counts.values.reduce(0, +) }

  private func begin(_ path: String, _ threads: Int) {
    do throws(MediaError) {
      let process = try FileProcess(
        executable, [CheckProcess.argument, "\(threads)", path], input: path, readsAnswers: true)
      answers[ObjectIdentifier(process)] = Answers()
      pool.add(process)
    } catch {
      finish(CheckedFile(path, .unreadable, reason: error.description))
    }
  }

  /// Waits for at most a tenth of a second, and takes the results of the processes that have ended.
  private func wait(_ interruption: Interruption) {
    let ended = pool.wait(interruption) { process, lines in
      for line in lines { take(line, of: process) }
    }
    for process in ended { settle(process) }
    var progress = BatchProgress()
    progress.filesTotal = total
    progress.filesDone = done
    progress.failed = summary[.damaged] + summary[.unreadable]
    let now = monotonicSeconds()
    progress.jobs = pool.running.map { process in
      BatchProgress.Job(
        input: process.input, fraction: answers[ObjectIdentifier(process)]?.fraction ?? 0,
        seconds: now - process.start)
    }
    let parts = progress.jobs.reduce(0) { $0 + $1.fraction }
    progress.fraction = (Double(done) + parts) / Double(max(1, total))
    progress.elapsed = now - start
    reporter.tick(progress)
  }

  private func take(_ line: [UInt8], of process: FileProcess) {
    let key = ObjectIdentifier(process)
    switch CheckMessage(line: line) {
    case .progress(let fraction): answers[key]?.fraction = fraction
    case .openSandbox(let reason):
      guard !hasWarnedOfSandbox else { return }
      hasWarnedOfSandbox = true
      reporter.warn("plugins run without a complete sandbox: \(reason)")
    case .finding(let finding):
      guard answers[key]?.findings.count ?? 0 < Self.mostFindings else { return }
      answers[key]?.findings.append(finding)
    case .end(let status, let reason, let duration): answers[key]?.end = (status, reason, duration)
    // A process that a file has taken over may write anything.
    case nil: return
    }
  }

  private func settle(_ process: FileProcess) {
    let answers = self.answers.removeValue(forKey: ObjectIdentifier(process)) ?? Answers()
    var file = CheckedFile(process.input, .unreadable)
    file.seconds = monotonicSeconds() - process.start
    if process.killReason == nil, case .exited(0)? = process.ending, let end = answers.end {
      (file.status, file.reason, file.duration) = (end.status, end.reason, end.duration)
      file.findings = answers.findings
    } else {
      let report = CrashReport(process.words, plugins: plugins)
      let words =
        process.killReason.map { $0 + (report.place.map { " in \($0)" } ?? "") }
        ?? process.ending?.words(report) ?? "ended"
      file.reason = "the process that checked the file \(words)"
    }
    finish(file)
  }

  private func finish(_ file: CheckedFile) {
    var file = file
    // A file that the user has named is expected to be media.
    if file.status == .skipped, inputs.contains(file.path) { file.status = .unreadable }
    summary.counts[file.status, default: 0] += 1
    if file.hasUncheckedTracks { summary.uncheckedCount += 1 }
    if !hasLostReader, !reporter.report(file) { hasLostReader = true }
  }
}
