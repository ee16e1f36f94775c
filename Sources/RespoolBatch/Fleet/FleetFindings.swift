import RespoolHost
package import RespoolMedia

/// The files of a plan that failed, whose sources are incomplete, or whose outputs lack something, from the ledgers of
/// the processes that have worked on it.
package struct FleetFindings {
  package private(set) var failures: [LedgerStatus.File] = []
  package private(set) var incomplete: [LedgerStatus.File] = []
  package private(set) var losses: [LedgerStatus.Loss] = []
  /// Sentences about ledgers that cannot be read.
  package private(set) var problems: [String] = []

  /// Reads the findings about the plan at a path, sorted by the paths of the sources.
  ///
  /// Throws `malformed` and `io` if the plan cannot be read.
  package init(ofPlan path: String) throws(MediaError) {
    let plan = try PlanFile.open(path)
    let preset = try plan.presetIdentity()
    let state = FleetFolder(try plan.identifier(), output: try plan.options().output)
    var found: [PathKey: LedgerEntry] = [:]
    for run in state.runsInOrder() {
      let ledger = state.ledgerPath(of: run)
      guard fileExists(ledger) else { continue }
      do throws(Ledger.Failure) {
        try Ledger(ledger, writing: false, isShared: true).eachEntry { entry in
          guard entry.preset == preset, entry.output?.isPublished ?? true else { return }
          // The last result of a source counts.
          let isOrdinary = entry.result != .failed && !entry.isIncomplete && entry.losses.isEmpty
          found[PathKey(entry.source)] = isOrdinary ? nil : entry
        }
      } catch {
        problems.append("the ledger \(ledger) cannot be read: \(error.message)")
      }
    }
    for entry in found.values { add(entry) }
    try plan.eachLeftOut { file in
      guard file.plan.action == .fail else { return }
      failures.append(.init(path: file.path, reason: file.plan.reason ?? ""))
    }
    failures.sort { $0.path < $1.path }
    incomplete.sort { $0.path < $1.path }
    losses.sort { $0.source < $1.source }
  }

  private mutating func add(_ entry: LedgerEntry) {
    let file = LedgerStatus.File(path: entry.source, reason: entry.reason ?? "")
    if entry.result == .failed { return failures.append(file) }
    if entry.isIncomplete { incomplete.append(file) }
    if !entry.losses.isEmpty {
      losses.append(
        .init(source: entry.source, output: entry.output?.name ?? "", sentences: entry.losses))
    }
  }
}
