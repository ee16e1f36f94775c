import Glibc
import RespoolHost
import RespoolMedia

/// The batches and machines that work on an output folder, and the latest work on it.
struct FolderWork {
  /// `true` if a batch or a machine works on it.
  var isLive = false
  /// `true` if the latest batch, or a machine, has ended before it could note its end.
  var wasCut = false
  /// Number of files that are left of batches, as far as they have said.
  var left = 0
  /// Plans that are being worked on, or are not collected yet.
  var plans: [Plan] = []
  /// Name or path of the preset; `nil` if unknown.
  var preset: String?
  /// Names or paths of all presets that are known.
  var presets: [String] = []
  /// Beginning and end of the latest work, in seconds since 1970; `nil` if unknown, or if the work goes on.
  var started: Int64?
  var ended: Int64?
  /// Number of files that a plan skips, or that failed when it was made, before it is collected.
  var leftOut = 0
  /// Number of batches that have worked on it.
  var batchCount = 0
  /// Numbers of sources that were replaced, and of those whose originals are kept.
  var replaced: Int64 = 0
  var keptOriginals: Int64 = 0
  /// Reason why the ledger cannot be read; `nil` if it can, or there is none.
  var problem: String?
  /// Processes that work or have not said that they ended.
  var runs: [FleetStatus.Run] = []

  /// A plan and its results.
  struct Plan {
    /// Number of files to convert or copy.
    var total: Int
    /// Number of files that have a result, as far as the machines have said.
    var done: Int
    /// Paths of the ledgers with the results.
    var ledgers: [String]
  }

  init() {}

  /// Reads the state of an output folder; what cannot be read counts as unknown.
  init(on folder: String) {
    var status: LedgerStatus?
    do throws(MediaError) { status = try LedgerStatus(of: folder, limit: 0) } catch {
      if fileExists(OutputFolder.ledgerPath(in: folder)) { problem = error.message }
    }
    let batches = BatchSign.running(in: folder)
    runs = batches.map(\.run)
    left = batches.map(\.left).max() ?? 0
    preset = status?.last?.preset
    presets = status?.presets ?? []
    for fleet in FleetFolder.all(in: folder) {
      let facts = fleet.facts
      if let facts { presets.append(facts.preset) }
      let all = fleet.runNames().compactMap { FleetStatus.Run($0, in: fleet) }
      runs += all.filter { !$0.hasEnded }
      guard let facts, all.contains(where: \.isRunning) || status?.last == nil else {
        continue
      }
      plans.append(
        Plan(
          total: facts.total, done: all.reduce(0) { $0 + $1.made + $1.failed },
          ledgers: fleet.runNames().map(fleet.ledgerPath)))
      leftOut += facts.leftOut
      preset = facts.preset
      started = ([started] + all.map(\.started)).compactMap { $0 }.min()
      ended = all.map(\.silence).min().map { Int64(time(nil)) - Int64($0) }
    }
    isLive = status?.isRunning ?? false || runs.contains { $0.isRunning }
    if let last = status?.last, plans.isEmpty { (started, ended) = (last.started, last.ended) }
    batchCount = Int(status?.batchCount ?? 0)
    (replaced, keptOriginals) = (status?.replaced ?? 0, status?.keptOriginals ?? 0)
    guard !isLive else { return }
    left += Int(status?.last?.counts.unfinished ?? 0)
    wasCut =
      plans.isEmpty ? status?.last.map { $0.ended == nil } ?? false : runs.contains { !$0.hasEnded }
  }

  /// Returns the number of files that are left, if `results` returns the number of sources whose latest result is in a
  /// ledger.
  func left(countedBy results: (String) -> Int?) -> Int {
    plans.reduce(left) { left, plan in
      let found = plan.ledgers.compactMap(results)
      return left + max(0, plan.total - (found.isEmpty ? plan.done : found.reduce(0, +)))
    }
  }
}
