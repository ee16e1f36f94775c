import Respool
import RespoolHost
import RespoolMedia

/// The folder in which the machines that work on a plan leave what the others have to know.
///
/// It is `.respool/plans/NAME` in the output folder, and all that they share:
/// - `runs` has a file and a ledger for each process that has worked on the plan (``FleetRun``),
/// - `claims` has the names of those that have taken parts, and which parts are complete (``PartClaims``).
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

  /// Creates the folders; throws `io` if that fails.
  func create() throws(MediaError) {
    try makeDurableFolder(runs, named: "the folder for the work on the plan")
    try makeDurableFolder(claims, named: "the folder for the parts of the plan")
  }

  /// Returns the names of the processes that have worked on the plan.
  func runNames() -> [String] {
    ((try? HeldFolder(runs))?.names() ?? []).filter { !$0.contains(".") }.sorted()
  }

  func statePath(of run: String) -> String { PathName.join(runs, run) }
  func ledgerPath(of run: String) -> String { PathName.join(runs, run + ".ledger") }
}
