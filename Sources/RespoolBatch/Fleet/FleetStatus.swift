import Glibc
import Respool
import RespoolHost
public import RespoolMedia

/// The state of the work on a plan, from its files alone.
public struct FleetStatus: Sendable {
  /// A process that has worked on the plan.
  public struct Run: Sendable {
    /// Name of its machine.
    public let machine: String
    /// Share that it does, such as `3/10`.
    public let shard: String
    /// Time of its start, in seconds since 1970.
    public let started: Int64
    /// `true` if it works, as far as that is known.
    public let isRunning: Bool
    /// `true` if it has ended by itself; one that does neither was killed, or its machine was lost.
    public let hasEnded: Bool
    /// Numbers of files that it has made, and that have failed.
    public fileprivate(set) var made: Int
    public fileprivate(set) var failed: Int
    /// Number of parts of the plan that it has given back, because it found the disk full.
    public let givenBack: Int
    /// Seconds since its last sign of life, which it gives every few seconds.
    public let silence: Double
    /// Files that it is converting, and the part of each that is done, from 0 to 1.
    public let running: [(path: String, fraction: Double)]
    /// Reason why nothing begins now, such as a full disk; empty if the work goes on.
    public let pause: String
  }

  public private(set) var runs: [Run] = []
  /// Number of files to convert or copy, and of those that were skipped or have failed when the plan was made.
  public let total: Int
  public let skipped: Int
  public let failedInPlan: Int
  /// Numbers of files that were converted or copied, that have failed, and that were skipped while others were converted.
  ///
  /// `failed` includes files whose outputs should only get other names.
  public let made: Int
  public let failed: Int
  public let skippedLater: Int
  /// Number of files without a result.
  public let left: Int
  /// Number of files that were done by others, such as a batch, so that no process has a result of them.
  public let doneByOthers: Int
  /// Part of the predicted work that is done, from 0 to 1.
  public let fraction: Double
  /// Seconds until the work is done, at the pace of the processes that run; `nil` if none does or it is unknown.
  public private(set) var secondsLeft: Double?
  /// Folder of the outputs.
  public let output: String

  /// Reads the state of the plan at a path.
  ///
  /// Throws `malformed` and `io` if it cannot be read.
  public init(ofPlan path: String) throws(MediaError) {
    let plan = try PlanFile.open(path)
    let (parts, counts) = (try plan.parts(), try plan.counts())
    output = try plan.options().output
    let state = FleetFolder(try plan.identifier(), output: output)
    let states = PartClaims(folder: state.claims).states()
    let done = parts.filter { states[$0.number]?.isDone ?? false }
    let work = (done: done.reduce(0) { $0 + $1.work }, all: parts.reduce(0) { $0 + $1.work })
    total = parts.reduce(0) { $0 + $1.files }
    (skipped, failedInPlan) = (counts[.skip] ?? 0, counts[.fail] ?? 0)
    let givenBack = PartClaims(folder: state.claims).givenBack(states)
    var (pace, doneOfRunning) = (0.0, 0.0)
    var found: [String: (state: FleetRunState, time: Int64)] = [:]
    for name in state.runNames() { found[name] = FleetRunState.read(state.statePath(of: name)) }
    let results = try FleetCounts(plan, in: state, found.mapValues(\.state))
    (made, failed) = results.ofRuns.values.reduce(into: (0, 0)) {
      $0.0 += $1.made
      $0.1 += $1.failed
    }
    skippedLater = results.ofRuns.values.reduce(0) { $0 + $1.skipped }
    left = results.left
    doneByOthers = max(0, total - left - made - (failed - results.failedMoves) - skippedLater)
    for (name, found) in found {
      var run = Run(found.state, writtenAt: found.time, givenBack: givenBack[name] ?? 0)
      if let counts = results.ofRuns[name] { (run.made, run.failed) = (counts.made, counts.failed) }
      runs.append(run)
      // The work of a lost process on a running file is done again.
      guard run.isRunning, found.state.seconds > 0 else { continue }
      doneOfRunning += found.state.workOnRunning
      pace += (found.state.work + found.state.workOnRunning) / found.state.seconds
    }
    let worked = min(work.done + results.workOfOpenParts + doneOfRunning, work.all)
    fraction = work.all > 0 ? worked / work.all : 1
    runs.sort { ($0.started, $0.machine) < ($1.started, $1.machine) }
    if pace > 0 { secondsLeft = (work.all - worked) / pace }
  }
}

extension FleetStatus.Run {
  /// Reads the state of a process; `nil` if there is none.
  init?(_ name: String, in folder: FleetFolder) {
    guard let found = FleetRunState.read(folder.statePath(of: name)) else { return nil }
    self.init(found.state, writtenAt: found.time)
  }

  /// Creates the view of a state that was written at a time, in nanoseconds since 1970.
  ///
  /// The clocks of this machine and of the file server should not differ by more than some seconds.
  init(_ state: FleetRunState, writtenAt time: Int64, givenBack: Int = 0) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let silence = max(0, Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 - Double(time) / 1e9)
    let isGone = state.process.isGone(for: .current)
    self.init(
      machine: state.process.machine, shard: state.shard, started: state.started,
      isRunning: !state.isEnded && !isGone && silence < FleetRun.patience,
      hasEnded: state.isEnded, made: state.made, failed: state.failed,
      givenBack: givenBack, silence: silence,
      running: state.running.map { ($0.path, $0.fraction) }, pause: state.pause)
  }
}
