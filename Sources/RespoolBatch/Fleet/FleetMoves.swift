import Respool
import RespoolHost
import RespoolMedia

/// The outputs that get other names by a plan, which one of the processes that work on it renames.
///
/// The others wait: files that they convert may get the names that these outputs leave. The ledger of the output folder
/// has the outputs, so that it is changed at once, and not when the results are collected.
final class FleetMoves {
  private let plan: PlanFile
  private let claims: PartClaims
  private let run: FleetRun
  private let results: BatchResults
  private let options: BatchOptions
  /// Renaming by this process, with the number of its claim; `nil` if another one has it.
  private var own: (moves: PlannedMoves, folder: OutputFolder, generation: Int)?
  private var lastLook = -Double.infinity

  /// Number of the claim in place of that of a part.
  static let part = -1
  /// Seconds between two looks at what another process does.
  private static let interval = 0.2

  /// Returns `nil` if the plan has no such outputs; throws `malformed` and `io` if it cannot be read.
  init?(_ plan: PlanFile, _ claims: PartClaims, _ run: FleetRun, _ results: BatchResults)
    throws(MediaError)
  {
    guard try plan.hasMoves() else { return nil }
    (self.plan, self.claims, self.run, self.results) = (plan, claims, run, results)
    options = try plan.options()
  }

  /// Renames some outputs, and returns their files with results; `end` after the last one.
  ///
  /// Returns `later` while another process renames them. Throws `malformed` and `io` if the plan cannot be read, or the
  /// claim cannot be written.
  func next() throws(MediaError) -> SuppliedFiles {
    if let own {
      guard claims.holds(Self.part, generation: own.generation) else {
        close()
        return .later
      }
      if let files = try own.moves.next() { return .files(files) }
      close()
      try claims.finish(Self.part)
      return .end
    }
    guard monotonicSeconds() - lastLook >= Self.interval else { return .later }
    lastLook = monotonicSeconds()
    let state = claims.states()[Self.part] ?? .init()
    if state.isDone { return .end }
    let generation = state.generation.map { $0 + 1 } ?? 0
    guard state.generation.map(isAbandoned) ?? true,
      try claims.claim(Self.part, generation: generation, for: run.name)
    else { return .later }
    own = try begin(generation)
    return .files([])
  }

  private func isAbandoned(_ generation: Int) -> Bool {
    run.isDead(
      claims.owner(of: Self.part, generation: generation),
      claimed: claims.time(of: Self.part, generation: generation))
  }

  private func begin(_ generation: Int) throws(MediaError) -> (PlannedMoves, OutputFolder, Int) {
    let folder = try OutputFolder(
      options.output, isLocked: true, sharing: SharedWork(plan: try plan.identifier()),
      joining: true)
    OutputExchange.undoAll(in: folder)
    let results = BatchResults(
      folder, options, preset: results.preset, versions: results.versions)
    return (PlannedMoves(plan, results, MovedOutputs(options, folder)), folder, generation)
  }

  private func close() {
    own?.folder.close()
    own = nil
  }

  deinit { own?.folder.close() }
}
