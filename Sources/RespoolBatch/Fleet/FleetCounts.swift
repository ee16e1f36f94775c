import RespoolHost
import RespoolMedia

/// The numbers of results of a plan, counted in the ledgers of the processes that have worked on it.
///
/// Processes say themselves how much they have done, but only every few seconds, and not after they were killed.
struct FleetCounts {
  /// Numbers of files.
  struct Counts {
    var made = 0
    var failed = 0
    var skipped = 0

    init(made: Int = 0, failed: Int = 0, skipped: Int = 0) {
      (self.made, self.failed, self.skipped) = (made, failed, skipped)
    }

    mutating func remove(_ result: LedgerEntry.Result) {
      switch result {
      case .converted, .copied: made -= 1
      case .failed: failed -= 1
      case .skipped: skipped -= 1
      }
    }
  }

  /// Counts of each process, by its name; a file of which several have results counts for one.
  private(set) var ofRuns: [String: Counts] = [:]
  /// Number of files to convert or copy that have no result.
  private(set) var left = 0
  /// Work on files with results in parts that are not complete, in the unit of ``PlanPart/work``.
  private(set) var workOfOpenParts = 0.0
  /// Number of failed files whose outputs were only to get other names.
  private(set) var failedMoves = 0

  private let plan: PlanFile
  private let preset: String
  private let folder: FleetFolder
  /// Ledgers that were used lately; `nil` for those that do not exist or cannot be read.
  private var ledgers: [String: Ledger?] = [:]
  /// Each keeps a file open.
  private static let mostLedgers = 64

  /// Counts the results of a plan.
  ///
  /// `states` has what the processes say, for those whose ledgers cannot be read. Throws `malformed` and `io` if the plan
  /// cannot be read.
  init(_ plan: PlanFile, in folder: FleetFolder, _ states: [String: FleetRunState])
    throws(MediaError)
  {
    (self.plan, self.folder, preset) = (plan, folder, try plan.presetIdentity())
    for (run, state) in states {
      ofRuns[run] =
        ledger(of: run).flatMap { try? Counts($0) }
        ?? Counts(made: state.made, failed: state.failed)
    }
    let claims = PartClaims(folder: folder.claims)
    let parts = claims.states()
    for part in try plan.parts() {
      guard let state = parts[part.number], let last = state.generation else {
        left += part.files
        continue
      }
      // One process has all results of a part that no other one has taken.
      guard last > 0 || !state.isDone else { continue }
      let owners = claims.owners(of: part.number, through: last)
      let done = count(try plan.files(of: part), of: owners)
      guard !state.isDone else { continue }
      left += part.files - done.count
      workOfOpenParts += done.reduce(0) { $0 + PlanPart.work(of: $1.file) }
    }
    try countMoves(claims, parts[FleetMoves.part])
  }

  private mutating func countMoves(_ claims: PartClaims, _ state: PartClaims.State?)
    throws(MediaError)
  {
    guard let last = state?.generation, ofRuns.values.contains(where: { $0.failed > 0 }) else {
      return
    }
    let owners = claims.owners(of: FleetMoves.part, through: last)
    var number: Int64 = -1
    while true {
      let files = try plan.moves(after: number)
      guard let end = files.last else { return }
      number = Int64(end.number)
      failedMoves += count(files, of: owners).count { $0.result == .failed }
    }
  }

  /// Returns the files with results, and the latest result of each; earlier ones of other processes are not counted.
  private mutating func count(_ files: [BatchFile], of owners: [String])
    -> [(file: BatchFile, result: LedgerEntry.Result)]
  {
    var done: [(file: BatchFile, result: LedgerEntry.Result)] = []
    for file in files {
      let source = PathName.absolute(file.path)
      var last: (run: String, entry: LedgerEntry)?
      for run in owners {
        guard let entry = try? ledger(of: run)?.entry(ofSource: source, preset: preset),
          entry.output?.isPublished ?? true
        else { continue }
        // A process that goes on with a part copies the results of the one before it.
        if let last, last.entry == entry {
          ofRuns[run]?.remove(entry.result)
          continue
        }
        if let last { ofRuns[last.run]?.remove(last.entry.result) }
        last = (run, entry)
      }
      if let last { done.append((file, last.entry.result)) }
    }
    return done
  }

  private mutating func ledger(of run: String) -> Ledger? {
    if let known = ledgers[run] { return known }
    if ledgers.count >= Self.mostLedgers { ledgers = [:] }
    let path = folder.ledgerPath(of: run)
    let ledger = fileExists(path) ? try? Ledger(path, writing: false, isShared: true) : nil
    ledgers[run] = .some(ledger)
    return ledger
  }
}

extension FleetCounts.Counts {
  fileprivate init(_ ledger: Ledger) throws(Ledger.Failure) {
    for totals in try ledger.totals() {
      switch totals.result {
      case .converted, .copied: made += Int(totals.files)
      case .failed: failed += Int(totals.files)
      case .skipped: skipped += Int(totals.files)
      }
    }
  }
}
