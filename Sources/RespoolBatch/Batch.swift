public import Respool
public import RespoolMedia

/// A batch: it walks the inputs, then workers plan every file and convert the ones that need it.
///
/// It runs on one thread, with one `poll` over the pipes of all workers. Files and codecs cannot affect
/// this process: a crash of a worker affects one file at most.
public final class Batch {
  public let options: BatchOptions
  private let executable: String
  private let registry: PluginRegistry?
  private let reporter: any BatchReporter
  private let patience: Double

  /// Prepares a batch; `run` does the work.
  ///
  /// - Parameters:
  ///   - executable: the program to run with `__worker PRESET IDENTITY CONDITION VERIFICATION` for every worker.
  ///   - registry: registry whose plugins that do not work are reported at the start.
  ///   - patience: seconds without a message after which a worker is ended, if it hardly uses the processor.
  public init(
    options: BatchOptions, executable: String, registry: PluginRegistry? = nil,
    reporter: any BatchReporter, patience: Double = 120
  ) {
    self.options = options
    self.executable = executable
    self.registry = registry
    self.reporter = reporter
    self.patience = patience
  }

  /// Runs the batch.
  ///
  /// `planOnly` stops after the plan and changes nothing.
  ///
  /// With ``BatchOptions/joins``, shares the work of a batch that is running.
  ///
  /// Returns the exit status: 0 if all files succeeded, 1 if some failed, 130 if interrupted. Throws
  /// `invalidArgument` if the output folder is an input, or the batch to be joined does other work, and `io` if another
  /// batch works on it. A batch that cannot continue reports its summary before it throws.
  public func run(planOnly: Bool = false) throws(MediaError) -> Int32 {
    try checkFolders()
    let interruption = try Interruption()
    var options = options
    options.attachesSidecars = try PresetLibrary.standard.preset(options.preset).attachesSidecars
    let preset = try PresetLibrary.standard.identity(of: options.preset)
    let versions = Dictionary(
      (registry?.plugins ?? []).filter { $0.status == .ok }.map { ($0.name, $0.version) },
      uniquingKeysWith: { first, _ in first })
    let work = SharedWork(
      options, preset: preset,
      plugins: PluginVersions.text(of: Array(versions.keys), in: versions))
    let folder = try OutputFolder(
      options.output, isLocked: !planOnly, needsLedger: options.replacement != nil,
      sharing: options.replacement == nil ? work : nil, joining: options.joins)
    let replacer = options.replacement.map { Replacer($0, folder) }
    let report = BatchReport(reporter)
    let results = BatchResults(folder, options, preset: preset, versions: versions)
    let publisher = OutputPublisher(options, results, report, replacer)
    replacer?.step = { report.tick() }
    // The pause of a running batch is not that of a plan on the same folder.
    let pause =
      planOnly
      ? nil : BatchPause(of: options.output, hours: options.hours, isJoined: folder.hasJoined)
    let supervisor = Supervisor(crew(preset), limit: options.jobs, pause, report)
    defer {
      supervisor.retire()
      publisher.discardUnfinished()
      publisher.removeRemains()
      publisher.syncFolders()
      if folder.isLast { pause?.removeMark() }
      results.store()
      if !planOnly { replacer?.end() }
      folder.end(report.counts)
      for problem in folder.takeProblems() { report.warn(problem) }
      folder.close()
    }
    let plan: PlanFile? = if let path = options.plan { try PlanFile.open(path) } else { nil }
    try plan?.check(results, preset: options.preset)
    let target: PlanFile? =
      if let path = options.planTarget { try PlanFile.create(path, options, results) } else {
        nil
      }
    defer { target?.discard() }
    do throws(MediaError) {
      for plugin in registry?.pluginsOutOfOrder ?? [] { report.warn(plugin.disorder) }
      for problem in registry?.problemsOfChoices ?? [] { report.warn(problem) }
      if !planOnly {
        folder.begin(preset: options.preset, hours: options.hours)
        for problem in try replacer?.prepare() ?? [] { report.warn(problem) }
      }
      for problem in folder.takeProblems() { report.warn(problem) }
      let planner = BatchPlanner(
        options, results, report, planOnly: planOnly, plan: plan, target: target)
      planner.begin(interruption)
      let work = BatchWork(
        planner, publisher, report, workers: supervisor.workerCount, planOnly: planOnly)
      try supervisor.work(on: work, interruption)
      if !interruption.isRequested { try target?.complete() }
      return report.finish(
        isInterrupted: interruption.isRequested, planOnly: planOnly,
        workers: supervisor.workerCount)
    } catch {
      _ = report.finish(isInterrupted: false, planOnly: false)
      throw error
    }
  }

  private func crew(_ presetIdentity: String) -> Crew {
    Crew(
      executable: executable, preset: options.preset, presetIdentity: presetIdentity,
      condition: options.condition?.text ?? "",
      verification: options.verification,
      plugins: Dictionary(
        (registry?.plugins ?? []).map { ($0.path, $0.name) },
        uniquingKeysWith: { first, _ in first }),
      patience: patience, limits: options.limits, crashes: registry.flatMap(PluginCrashes.init))
  }

  /// Throws `invalidArgument` if the output folder is one of the inputs, unless its files are to be replaced.
  private func checkFolders() throws(MediaError) {
    if let replacement = options.replacement {
      return try ReplacementFolders(options.inputs, options.output, replacement).check()
    }
    guard let output = FileIdentity(options.output) else { return }
    for input in options.inputs where FileIdentity(input) == output {
      throw MediaError(
        .invalidArgument,
        "the output folder is an input; name another folder with --to, such as "
          + PathName.join(input, "converted"), file: options.output)
    }
  }
}
