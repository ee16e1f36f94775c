import RespoolHost
import RespoolMedia

/// Results of processes that have worked on plans, as long as no `collect` has put them into the ledger of the output
/// folder.
///
/// A batch that finds one of their outputs would take it for a file that the user has put there. The ledgers are opened
/// when the first such output is found.
final class UncollectedResults {
  private let folder: String
  /// `true` if results may be stored, and changes that killed processes have begun taken back.
  let isWriting: Bool
  private lazy var ledgers = openLedgers()

  init(in folder: String, writing: Bool) { (self.folder, isWriting) = (folder, writing) }

  /// Returns the latest result whose output has a name, and for which `isThere` returns `true`.
  func entry(ofOutput name: String, where isThere: (LedgerEntry) -> Bool) -> LedgerEntry? {
    for ledger in ledgers {
      if let found = try? ledger.entry(ofOutput: name), isThere(found) { return found }
    }
    return nil
  }

  /// Returns the results of sources that had the inode number, the size and the time.
  func entries(inode: Int64, _ stamp: FileStamp, preset: String) -> [LedgerEntry] {
    ledgers.flatMap { (try? $0.entries(inode: inode, stamp, preset: preset)) ?? [] }
  }

  /// Opens the ledgers of processes that have ended, the latest first.
  ///
  /// `collect` names one that cannot be read; the outputs of it stay unknown until then.
  private func openLedgers() -> [Ledger] {
    var found: [(started: Int64, path: String)] = []
    for plan in FleetFolder.all(in: folder) {
      for run in plan.runNames() where !plan.isCollected(run) {
        guard let state = FleetRunState.read(plan.statePath(of: run))?.state,
          state.isEnded || state.process.isGone(for: .current)
        else { continue }
        found.append((state.started, plan.ledgerPath(of: run)))
      }
    }
    return found.sorted { $0.started > $1.started }.filter { fileExists($0.path) }
      .compactMap { try? Ledger($0.path, writing: isWriting, isShared: true) }
  }
}
