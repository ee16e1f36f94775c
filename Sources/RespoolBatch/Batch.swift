import Glibc
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
  /// Share of a plan that this batch does; `nil` for all of it.
  private let shard: Shard?
  /// Number of files that the batch has converted or copied, or that have failed.
  public private(set) var resultCount = 0

  /// Prepares a batch; `run` does the work.
  ///
  /// - Parameters:
  ///   - executable: the program to run with `__worker PRESET IDENTITY CONDITION VERIFICATION` for every worker.
  ///   - registry: registry whose plugins that do not work are reported at the start.
  ///   - shard: share of the plan in the options that this batch does, while others do the rest.
  ///   - patience: seconds without a message after which a worker is ended, if it hardly uses the processor.
  public init(
    options: BatchOptions, executable: String, registry: PluginRegistry? = nil,
    reporter: any BatchReporter, shard: Shard? = nil, patience: Double = 120
  ) {
    self.shard = shard
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
  /// Returns the exit status: 0 if all files succeeded, 1 if some failed, 130 if interrupted, and 75 if a share of a plan
  /// was given back because of SIGTERM. Throws
  /// `invalidArgument` if the output folder is an input, or the batch to be joined does other work, and `io` if another
  /// batch works on it. A batch that cannot continue reports its summary before it throws.
  public func run(planOnly: Bool = false) throws(MediaError) -> Int32 {
    try checkFolders()
    let interruption = try Interruption(
      grace: shard != nil || options.sweep != nil ? options.grace : nil,
      restarts: options.sweep != nil)
    var options = options
    // Others may have room.
    if shard != nil { options.spacePatience = 0 }
    options.attachesSidecars = try PresetLibrary.standard.preset(options.preset).attachesSidecars
    let preset = try PresetLibrary.standard.identity(of: options.preset)
    let versions = Dictionary(
      (registry?.plugins ?? []).filter { $0.status == .ok }.map { ($0.name, $0.version) },
      uniquingKeysWith: { first, _ in first })
    let work = SharedWork(
      options, preset: preset,
      plugins: PluginVersions.text(of: Array(versions.keys), in: versions))
    let plan: PlanFile? = if let path = options.plan { try PlanFile.open(path) } else { nil }
    let programs =
      shard != nil || options.planTarget != nil ? ProgramIdentity.all(of: registry) : []
    let member = try member(of: plan, preset: preset, programs)
    let folder: OutputFolder
    do throws(MediaError) {
      folder = try OutputFolder(
        options.output, isLocked: !planOnly, needsLedger: options.replacement != nil,
        sharing: member?.work ?? (options.replacement == nil ? work : nil),
        joining: options.joins || member != nil, ownLedger: member?.run.ledgerPath)
    } catch {
      // It would look like a machine that was lost.
      member?.run.end { _ in }
      throw error
    }
    let replacer = options.replacement.map { Replacer($0, folder) }
    let report = BatchReport(reporter)
    let results = BatchResults(folder, options, preset: preset, versions: versions)
    let publisher = OutputPublisher(options, results, report, replacer)
    replacer?.step = { report.tick() }
    // The pause of a running batch is not that of a plan on the same folder.
    let pause =
      planOnly
      ? nil : BatchPause(of: options.output, hours: options.hours, isJoined: folder.hasJoined)
    let supervisor = Supervisor(
      crew(preset), limit: options.jobs, planOnly: planOnly, pause, report)
    let sign = planOnly || member != nil ? nil : BatchSign(in: options.output)
    report.step = { sign?.show { report.update(&$0) } }
    defer {
      supervisor.retire()
      sign?.end()
      publisher.discardUnfinished()
      publisher.removeRemains()
      publisher.syncFolders()
      if folder.isLast { pause?.removeMark() }
      results.store()
      member?.run.end { report.update(&$0) }
      if !planOnly {
        replacer?.end()
        if plan == nil, !interruption.isRequested { folder.forgetSettledFailures() }
      }
      folder.end(report.counts)
      for problem in folder.takeProblems() { report.warn(problem) }
      folder.close()
    }
    try plan?.check(results, preset: options.preset)
    let share: FleetShare? =
      if let plan, let shard, let member {
        try FleetShare(shard, of: plan, in: member.folder, member.run, results)
      } else {
        nil
      }
    if let share {
      report.takeResult = { share.ended($0) }
      publisher.mayPublish = { share.holdsParts() && share.holds($0) }
      publisher.owner = FleetRun.mark(of: share.run.name)
      publisher.isTaken = { share.isTaken($0) }
      publisher.giveBack = { share.giveBack($0) }
    }
    let target: PlanFile? =
      if let path = options.planTarget {
        try PlanFile.create(path, options, results, programs: programs)
      } else {
        nil
      }
    defer { target?.discard() }
    do throws(MediaError) {
      for plugin in registry?.pluginsOutOfOrder ?? [] { report.warn(plugin.disorder) }
      for problem in registry?.problemsOfChoices ?? [] { report.warn(problem) }
      if !planOnly {
        folder.begin(preset: options.preset, hours: options.hours)
        if !folder.hasJoined { OutputExchange.undoAll(in: folder) }
        // A killed batch may have left a part of its page there.
        PendingFile.removeAbandoned(in: PathName.join(options.output, OutputFolder.stateName))
        for problem in try replacer?.prepare() ?? [] { report.warn(problem) }
      }
      for problem in folder.takeProblems() { report.warn(problem) }
      let planner = BatchPlanner(
        options, results, report, planOnly: planOnly, plan: share ?? plan,
        sharesPlan: share != nil, target: target)
      planner.begin(interruption)
      let work = BatchWork(
        planner, publisher, report, workers: supervisor.workerCount, planOnly: planOnly,
        share: share)
      try supervisor.work(on: work, interruption)
      try work.checkIn(isLast: true)
      if !interruption.isRequested { try target?.complete() }
      // Folders are watched until a signal comes, which is then no interruption.
      let isWatching = options.sweep != nil
      if isWatching || shard != nil { report.isWalking = false }
      let isInterrupted =
        interruption.isRequested
        || interruption.isDraining && planner.isWalking && !isWatching
      resultCount = Int(report.counts.converted + report.counts.copied + report.counts.failed)
      // After a complete share, other processes do the rest of the plan.
      let isEarly = isInterrupted || interruption.isDraining || share?.hasGivenBack ?? false
      let status = report.finish(
        isInterrupted: isInterrupted, planOnly: planOnly, workers: supervisor.workerCount,
        leftOfPlan: share.map { isEarly ? $0.filesLeft : 0 },
        output: planOnly ? options.output : nil)
      if isWatching, !isInterrupted { return interruption.wantsRestart ? Self.restart : 0 }
      if isInterrupted, interruption.isDraining, share != nil { return Self.givenBack }
      return status == 0 && share?.hasGivenBack ?? false ? 1 : status
    } catch {
      if share != nil { report.isWalking = false }
      _ = report.finish(isInterrupted: false, planOnly: false, leftOfPlan: share?.filesLeft)
      throw error
    }
  }

  /// Result of a watch that SIGHUP has ended, so that it begins again with presets as they are then.
  public static let restart: Int32 = -1

  /// Waits until SIGHUP asks for a new beginning, and returns `true`; returns `false` if another signal asks for the end.
  public static func awaitRestart() throws(MediaError) -> Bool {
    let interruption = try Interruption(grace: 1, restarts: true)
    while true {
      interruption.update()
      if interruption.wantsRestart { return true }
      if interruption.isRequested || interruption.isDraining { return false }
      usleep(100_000)
    }
  }

  /// Status of a process that was asked to end and has given back its work, by which schedulers start it again
  /// (`EX_TEMPFAIL` of sysexits.h).
  public static let givenBack: Int32 = 75

  /// This process among those that work on a plan.
  private struct Member {
    let folder: FleetFolder
    let run: FleetRun
    let work: SharedWork
  }

  /// Enters this process among those that work on a plan; returns `nil` if it does all of its work alone.
  ///
  /// Throws `invalidArgument` if the preset or a plugin is not that of the plan.
  private func member(of plan: PlanFile?, preset: String, _ programs: [ProgramIdentity])
    throws(MediaError) -> Member?
  {
    guard let plan, let shard else { return nil }
    try plan.check(programs, preset: preset)
    let identifier = try plan.identifier()
    try makeDurableFolder(options.output, named: "the output folder")
    let folder = FleetFolder(identifier, output: options.output)
    try folder.create()
    let counts = try plan.counts()
    try folder.keep(
      .init(
        preset: options.preset, total: try plan.parts().reduce(0) { $0 + $1.files },
        leftOut: (counts[.skip] ?? 0) + (counts[.fail] ?? 0)))
    return Member(
      folder: folder, run: try FleetRun(shard, in: folder), work: SharedWork(plan: identifier))
  }

  private func crew(_ presetIdentity: String) -> Crew {
    Crew(
      executable: executable, preset: options.preset, presetIdentity: presetIdentity,
      condition: options.condition?.text ?? "",
      verification: options.extentOfCheck,
      needsScratch: (try? PresetLibrary.standard.preset(options.preset))?.makesTwoPasses ?? false,
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
