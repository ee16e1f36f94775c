import Respool
import RespoolHost
import RespoolMedia

/// The folder in which the machines that work on a plan leave what the others have to know.
///
/// It is `.respool/plans/NAME` in the output folder, and all that they share:
/// - `runs` has a file and a ledger for each process that has worked on the plan (``FleetRun``),
/// - `claims` has the names of those that have taken parts, and which parts are complete (``PartClaims``),
/// - `plan` has what a page shows of the plan, whose file may be anywhere (``PlanFacts``).
///
/// No file is changed by two processes, so that it needs no locks, which some file servers do not have.
struct FleetFolder {
  let path: String
  var runs: String { PathName.join(path, "runs") }
  var claims: String { PathName.join(path, "claims") }

  /// The folder of a plan, whose outputs are below `output`.
  init(_ identifier: String, output: String) {
    let state = PathName.join(output, OutputFolder.stateName)
    path = PathName.join(PathName.join(state, "plans"), identifier)
  }

  /// Returns the folders of all plans whose outputs are below `output`.
  static func all(in output: String) -> [FleetFolder] {
    let plans = PathName.join(PathName.join(output, OutputFolder.stateName), "plans")
    return ((try? HeldFolder(plans))?.names() ?? []).filter { !$0.hasPrefix(".") }.sorted()
      .map { FleetFolder($0, output: output) }
  }

  /// Creates the folders; throws `io` if that fails.
  func create() throws(MediaError) {
    try makeDurableFolder(runs, named: "the folder for the work on the plan")
    try makeDurableFolder(claims, named: "the folder for the parts of the plan")
  }

  /// Returns the names of the processes that have worked on the plan.
  func runNames() -> [String] {
    ((try? HeldFolder(runs))?.names() ?? []).filter { !$0.contains(".") }.sorted()
  }

  /// Returns the names of the processes in the order of their starts.
  func runsInOrder() -> [String] {
    let runs = runNames()
    let starts = runs.map { FleetRunState.read(statePath(of: $0))?.state.started ?? 0 }
    return zip(starts, runs).sorted { $0 < $1 }.map(\.1)
  }

  /// The facts of a plan that are shown without its file.
  struct PlanFacts {
    /// Name or path of the preset.
    var preset: String
    /// Number of files to convert or copy.
    var total: Int
    /// Number of files that it skips, or that failed when it was made.
    var leftOut: Int
  }

  private var factsPath: String { PathName.join(path, "plan") }

  /// Keeps the facts of the plan, unless another process has done so; throws `io` if they cannot be written.
  func keep(_ facts: PlanFacts) throws(MediaError) {
    guard !fileExists(factsPath) else { return }
    var fields = MessageFields()
    fields.put(facts.preset)
    fields.put(facts.total)
    fields.put(facts.leftOut)
    try TextFile.write(String(decoding: fields.line, as: UTF8.self), to: factsPath)
  }

  /// The facts of the plan; `nil` before a process has begun to work on it.
  var facts: PlanFacts? {
    guard let text = try? TextFile.read(factsPath, called: "facts of a plan") else { return nil }
    var fields = MessageFields(line: text.utf8.dropLast())
    guard let preset = fields.text(), let total: Int = fields.value(),
      let leftOut: Int = fields.value()
    else { return nil }
    return PlanFacts(preset: preset, total: total, leftOut: leftOut)
  }

  func statePath(of run: String) -> String { PathName.join(runs, run) }
  func ledgerPath(of run: String) -> String { PathName.join(runs, run + ".ledger") }

  private func collectedPath(of run: String) -> String { PathName.join(runs, run + ".collected") }

  /// Returns `true` if the ledger of the output folder has got all results of a process.
  func isCollected(_ run: String) -> Bool { fileExists(collectedPath(of: run)) }

  /// Keeps that the ledger of the output folder has got all results of a process that has ended.
  ///
  /// Throws `io` if that cannot be written.
  func keepCollected(_ run: String) throws(MediaError) {
    try TextFile.write("", to: collectedPath(of: run))
  }
}
