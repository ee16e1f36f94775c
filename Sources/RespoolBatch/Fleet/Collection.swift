import Glibc
import Respool
import RespoolHost
public import RespoolMedia

/// The results of all processes that have worked on a plan, put into the ledger of the output folder.
///
/// It can be made at any time, also while processes work, and again.
public struct Collection: Sendable {
  /// A file and the reason for its result.
  public struct File: Sendable {
    /// Absolute path of the source.
    public let path: String
    public let reason: String
  }

  /// Numbers of files.
  ///
  /// Outputs that are ``lost`` are not counted as converted or copied.
  public private(set) var converted = 0
  public private(set) var copied = 0
  public private(set) var skipped = 0
  public private(set) var failures: [File] = []
  /// Files without a result, in the order of the plan, at most ``mostNamed``.
  public private(set) var missing: [String] = []
  /// Sources whose outputs were removed or changed since they were made.
  public private(set) var lost: [String] = []
  /// Number of outputs that lack something of their sources, and of those whose sources are incomplete.
  public private(set) var lossyCount = 0
  public private(set) var incompleteCount = 0
  /// `true` if the results are in the ledger of the output folder.
  public private(set) var isStored = true
  /// Number of all files without a result.
  public private(set) var missingCount = 0
  /// Number of processes that are working on the plan.
  public private(set) var runningCount = 0
  /// Sentences about ledgers that cannot be read, and about the one of the output folder.
  public private(set) var problems: [String] = []

  /// Maximum number of missing files that are named.
  public static let mostNamed = 20
  /// Number of entries that are stored together.
  private static let slice = 1000

  /// Collects the results of the plan at a path.
  ///
  /// Throws `malformed` and `io` if the plan cannot be read, `io` if the output folder is used by another batch, and
  /// `unsupported` if no process has worked on the plan.
  public init(ofPlan path: String) throws(MediaError) {
    let plan = try PlanFile.open(path)
    let options = try plan.options()
    let (identifier, preset) = (try plan.identifier(), try plan.presetIdentity())
    let state = FleetFolder(identifier, output: options.output)
    let runs = state.runsInOrder()
    let hasWork = !(try plan.parts()).isEmpty
    guard !runs.isEmpty || !hasWork else {
      throw MediaError(
        .unsupported,
        "all \(try plan.parts().reduce(0) { $0 + $1.files }.counting("file")) are missing: no process has worked on the plan; "
          + "respool work does that", file: path)
    }
    let folder = try OutputFolder(
      options.output, isLocked: true, sharing: SharedWork(plan: identifier), joining: true)
    let states = runs.compactMap { FleetRunState.read(state.statePath(of: $0)) }
    // The times of the work, not those of this process.
    let end = states.map { $0.time / 1_000_000_000 }.max()
    defer {
      folder.end(counts, at: end)
      problems += folder.takeProblems()
      folder.close()
    }
    folder.begin(preset: options.preset, hours: nil, at: states.map(\.state.started).min())
    var collected: [PathKey: LedgerEntry.Result] = [:]
    var reasons: [PathKey: String] = [:]
    var facts: [PathKey: (isLossy: Bool, isIncomplete: Bool)] = [:]
    var complete: [String] = []
    for run in runs {
      let isWhole = collect(run, state, folder) { entry in
        // One that is not published yet counts as missing.
        guard entry.preset == preset, entry.output?.isPublished ?? true else { return }
        // The last result of a source counts, as in the ledger.
        let key = PathKey(entry.source)
        collected[key] = entry.result
        facts[key] = entry.output == nil ? nil : (!entry.losses.isEmpty, entry.isIncomplete)
        reasons[key] = entry.result == .failed ? entry.reason ?? "failed" : nil
      }
      if isWhole { complete.append(run) }
    }
    count(collected, reasons)
    lossyCount = facts.values.count(where: \.isLossy)
    incompleteCount = facts.values.count(where: \.isIncomplete)
    let results = BatchResults(
      folder, options, preset: preset, versions: [:], plugins: try plan.plugins())
    try addLeftOut(plan, results)
    let claims = PartClaims(folder: state.claims)
    runningCount = Self.running(runs, state)
    try addMoves(plan, options, results, claims)
    try findMissing(plan, claims, folder, preset)
    for path in lost {
      switch collected[PathKey(PathName.absolute(path))] {
      case .converted: converted -= 1
      case .copied: copied -= 1
      default: break
      }
    }
    for (run, count) in claims.givenBack(claims.states()).sorted(by: { $0.key < $1.key }) {
      problems.append(
        "\(run) found no space left on the device, and gave back \(count.counting("part")) of the plan"
      )
    }
    isStored = folder.keepsEntries
    if isStored { for run in complete { try state.keepCollected(run) } }
    try Self.removeRemains(plan, claims, state)
  }

  /// Removes the temporary files of processes that have ended before their parts were complete.
  ///
  /// Workers of a killed process end a little after it, and hold their files until then, so that some may be left.
  private static func removeRemains(
    _ plan: PlanFile, _ claims: PartClaims, _ state: FleetFolder
  ) throws(MediaError) {
    let states = claims.states()
    for part in try plan.parts() {
      guard let claim = states[part.number], let last = claim.generation else { continue }
      let ended = (0...last).filter { $0 < last || !claim.isDone }
        .compactMap { claims.owner(of: part.number, generation: $0) }
        .filter { running([$0], state) == 0 }
      guard !ended.isEmpty else { continue }
      let files = try plan.files(of: part)
      for owner in ended { PendingFile.removeRemains(of: owner, besideOutputsOf: files) }
    }
  }

  /// Numbers of files for the ledger.
  private var counts: LedgerStatus.Counts {
    LedgerStatus.Counts(
      converted: Int64(converted), copied: Int64(copied), skipped: Int64(skipped),
      failed: Int64(failures.count), unfinished: Int64(missingCount + lost.count))
  }

  private static func running(_ runs: [String], _ state: FleetFolder) -> Int {
    runs.count { FleetStatus.Run($0, in: state)?.isRunning ?? false }
  }

  // MARK: Results

  /// Puts the results of a process into the ledger of the folder, and calls `take` with each.
  ///
  /// Returns `true` if the process has ended, and all of its results have been read.
  private mutating func collect(
    _ run: String, _ state: FleetFolder, _ folder: OutputFolder,
    _ take: (LedgerEntry) -> Void
  ) -> Bool {
    let path = state.ledgerPath(of: run)
    guard fileExists(path) else { return false }
    let isGone =
      FleetRunState.read(state.statePath(of: run)).map {
        $0.state.isEnded || $0.state.process.isGone(for: .current)
      } ?? false
    let isCollected = state.isCollected(run)
    var entries: [LedgerEntry] = []
    func store() {
      Self.store(&entries, folder, areCollected: isCollected)
    }
    defer { store() }
    do throws(Ledger.Failure) {
      // A change that a killed process has begun is taken back.
      let ledger = try Ledger(path, writing: isGone, isShared: true)
      try ledger.eachEntry { entry in
        entries.append(entry)
        take(entry)
        if entries.count >= Self.slice { store() }
      }
      return isGone
    } catch {
      problems.append("the ledger \(path) cannot be read: \(error.message)")
      return false
    }
  }

  /// Puts results into the ledger of the folder, unless it has newer ones.
  ///
  /// With `areCollected`, it has had these results already: whatever it has of their sources is not older.
  private static func store(
    _ entries: inout [LedgerEntry], _ folder: OutputFolder, areCollected: Bool
  ) {
    folder.together {
      for entry in entries {
        // The process did not know what the ledger of the folder has.
        let before = folder.entry(ofSource: entry.source, preset: entry.preset)
        if let before, areCollected || folder.isNewer(before, than: entry) { continue }
        if let entry = folder.successor(entry, of: before) { folder.put(entry) }
      }
    }
    entries = []
  }

  private mutating func count(
    _ results: [PathKey: LedgerEntry.Result], _ reasons: [PathKey: String]
  ) {
    converted = results.values.count { $0 == .converted }
    copied = results.values.count { $0 == .copied }
    skipped = results.values.count { $0 == .skipped }
    failures = reasons.map { File(path: $0.key.path, reason: $0.value) }
      .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// Adds the files that the plan skips, and those that have failed when it was made.
  private mutating func addLeftOut(
    _ plan: PlanFile, _ results: BatchResults
  ) throws(MediaError) {
    var (skippedCount, failed) = (0, [File]())
    try plan.eachLeftOut { file in
      if file.plan.action == .fail {
        failed.append(File(path: file.path, reason: file.plan.reason ?? "failed"))
      } else {
        skippedCount += 1
      }
      if results.finding(for: file) == nil { results.keepLeftOut(file) }
    }
    results.store()
    skipped += skippedCount
    failures += failed
  }

  /// Adds the files whose outputs only get other names.
  ///
  /// If no process has renamed them and none runs, that is done now.
  private mutating func addMoves(
    _ plan: PlanFile, _ options: BatchOptions, _ results: BatchResults, _ claims: PartClaims
  ) throws(MediaError) {
    guard try plan.hasMoves() else { return }
    let known = Set(failures.map { PathKey($0.path) })
    let moves = PlannedMoves(plan, results, MovedOutputs(options, results.folder))
    var isDone = claims.states()[FleetMoves.part]?.isDone ?? false
    if !isDone, runningCount == 0 {
      OutputExchange.undoAll(in: results.folder)
      while try moves.next() != nil {}
      isDone = true
    }
    var last: Int64 = -1
    while true {
      let files = try plan.moves(after: last)
      guard let end = files.last else { return }
      last = Int64(end.number)
      for file in files {
        if moves.isDone(file) {
          skipped += 1
        } else if !isDone {
          addMissing(file.path)
        } else if !known.contains(PathKey(PathName.absolute(file.path))) {
          // The process that renamed the outputs was killed before it could store the failure.
          var file = file
          let reason = file.reasonAgainstPlan ?? PlannedMoves.failure
          file.fail(reason)
          results.keepLeftOut(file)
          failures.append(File(path: file.path, reason: reason))
        }
      }
      results.store()
    }
  }

  private mutating func addMissing(_ path: String) {
    missingCount += 1
    if missing.count < Self.mostNamed { missing.append(path) }
  }

  /// Finds the files of parts that are not complete, and outputs that were removed or changed since.
  private mutating func findMissing(
    _ plan: PlanFile, _ claims: PartClaims, _ folder: OutputFolder, _ preset: String
  ) throws(MediaError) {
    let states = claims.states()
    for part in try plan.parts() {
      let isDone = states[part.number]?.isDone ?? false
      for file in try plan.files(of: part) {
        let entry = folder.entry(ofSource: PathName.absolute(file.path), preset: preset)
        if isDone {
          // An output of a complete part may have been removed.
          if let entry, let made = entry.output, !folder.hasOutput(of: entry) {
            // A later batch has renamed the output of a source that was renamed.
            if !folder.hasMoved(entry) { lost.append(file.path) }
            // It is put there again by the next collection, which looks at the output, too.
            folder.forget(made.name)
          } else if entry?.output?.name == file.outputName {
            _ = folder.removeOutdated(file)
          }
          continue
        }
        // A plan may make outputs again that the ledger knows from before.
        if let entry, folder.isSame(file, entry), entry.output?.isPublished ?? true,
          !file.replaces || entry.output == nil
        {
          continue
        }
        addMissing(file.path)
      }
    }
  }
}
