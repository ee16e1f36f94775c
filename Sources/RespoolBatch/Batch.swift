import Glibc
public import Respool
public import RespoolMedia

/// A batch: it walks the inputs, then workers plan every file and convert the ones that need it.
///
/// It runs on one thread, with one `poll` over the pipes of all workers. Files and codecs cannot affect
/// this process: a crash of a worker affects one file at most.
public final class Batch {
  public let options: BatchOptions
  let reporter: any BatchReporter
  let crew: Crew

  var files: [BatchFile] = []
  var tally = BatchTally()
  let start = monotonicSeconds()
  var phase = Phase.walking
  var interrupted = false
  /// Output folder.
  ///
  /// `nil` before it has been opened.
  var folder: OutputFolder?
  /// Identity of the preset's content.
  var preset = ""
  private let registry: PluginRegistry?

  enum Phase { case walking, planning, converting }

  /// Prepares a batch; `run` does the work.
  ///
  /// - Parameters:
  ///   - executable: the program to run with `__worker PRESET IDENTITY` for every worker.
  ///   - registry: registry whose plugins that do not work are reported at the start.
  ///   - patience: seconds without a message after which a worker is ended.
  public init(
    options: BatchOptions, executable: String, registry: PluginRegistry? = nil,
    reporter: any BatchReporter, patience: Double = 120
  ) {
    self.options = options
    self.registry = registry
    self.reporter = reporter
    crew = Crew(
      executable: executable, preset: options.preset,
      plugins: Dictionary(
        (registry?.plugins ?? []).map { ($0.path, $0.name) },
        uniquingKeysWith: { first, _ in first }),
      patience: patience)
  }

  /// Runs the batch.
  ///
  /// `planOnly` stops after the plan and changes nothing.
  ///
  /// Returns the exit status: 0 if all files succeeded, 1 if some failed, 130 if interrupted. Throws
  /// `invalidArgument` if the output folder is an input, and `io` if another batch works on it. A batch
  /// that cannot continue reports its summary before it throws.
  public func run(planOnly: Bool = false) throws(MediaError) -> Int32 {
    try checkFolders()
    let interruption = try Interruption()
    preset = try PresetLibrary.standard.identity(of: options.preset)
    crew.presetIdentity = preset
    let folder = try OutputFolder(options.output, isLocked: !planOnly)
    self.folder = folder
    defer {
      crew.retire()
      discardUnfinished()
      folder.close()
    }
    do throws(MediaError) {
      return try run(interruption, planOnly: planOnly)
    } catch {
      _ = finish(1, planOnly: false)
      throw error
    }
  }

  private func run(_ interruption: Interruption, planOnly: Bool) throws(MediaError) -> Int32 {
    for plugin in registry?.pluginsOutOfOrder ?? [] { warn(plugin.disorder) }
    if let problem = folder?.problem { warn(problem) }
    walk(interruption)
    if interrupted { return finish(130, planOnly: planOnly) }
    phase = .planning
    settleRecorded()
    try work(through: files.indices.filter { files[$0].isOpen }, interruption) { index in
      WorkerRequest(task: .plan, file: index, input: files[index].path)
    }
    if !interrupted {
      name()
      try examineOutputs(interruption)
    }
    if interrupted { return finish(130, planOnly: planOnly) }
    if planOnly, let problem = problem(writingInto: options.output) {
      for index in files.indices where files[index].isOpen && files[index].isToConvert {
        files[index].plan = FilePlan(
          action: .fail, reason: "\(options.output) cannot be written to: \(problem)")
      }
    }
    phase = .converting
    for file in files { report(planned: file) }
    if planOnly {
      return finish(files.contains { $0.plan.action == .fail } ? 1 : 0, planOnly: true)
    }
    for index in files.indices { settleWithoutWork(index) }
    try convert(interruption)
    return finish(interrupted ? 130 : tally[.failed] > 0 ? 1 : 0, planOnly: false)
  }

  private func convert(_ interruption: Interruption) throws(MediaError) {
    // The longest files first, so that no core waits for the last one; of equal ones, the largest first.
    let waiting = files.indices.filter { files[$0].isOpen }.sorted {
      (files[$0].plan.cost, files[$0].size, $1) > (files[$1].plan.cost, files[$1].size, $0)
    }
    for folder in Set(waiting.map { PathKey(FileName.folder(files[$0].output)) }) {
      PendingFile.removeAbandoned(in: folder.path)
    }
    let threads = max(1, coreCount() / max(1, min(jobCount(waiting.count), waiting.count)))
    try work(through: waiting, interruption) { index in
      let (file, keepsModes) = (files[index], options.keepsAttributes)
      let folder = FileName.folder(file.output)
      guard
        keepsModes
          ? makeFolder(folder, asFolderOf: FileName.folder(file.path)) : makeFolder(folder)
      else { return nil }
      let pending = PendingFile(for: files[index].output)
      files[index].pending = pending
      return WorkerRequest(
        task: .convert, file: index, input: files[index].path, output: pending.path,
        threads: files[index].isRetry ? coreCount() : threads,
        keepsAttributes: options.keepsAttributes)
    }
  }

  /// Returns the number of workers at a time.
  func jobCount(_ files: Int) -> Int { max(1, min(options.jobs ?? coreCount(), files)) }

  /// Throws `invalidArgument` if the output folder is one of the inputs.
  private func checkFolders() throws(MediaError) {
    guard let output = FileIdentity(options.output) else { return }
    for input in options.inputs where FileIdentity(input) == output {
      throw MediaError(
        .invalidArgument,
        "the output folder is an input; name another folder with --to, such as "
          + FileName.join(input, "converted"), file: options.output)
    }
  }

  private func discardUnfinished() {
    for file in files where file.isRunning { file.pending?.discard() }
  }
}
