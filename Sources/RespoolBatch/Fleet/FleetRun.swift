import Glibc
import RespoolHost
import RespoolMedia

/// A process that works on a plan, as the others see it.
struct FleetRunState {
  /// A file that it is converting.
  struct Running {
    var path: String
    /// Part that is done, from 0 to 1.
    var fraction: Double
    var seconds: Double
    /// Predicted work for all of it, in the unit of ``PlanPart/work``.
    var work: Double
  }

  var process = ProcessIdentity.current
  /// Share that it does, such as `3/10`.
  var shard = ""
  /// Time of its start, in seconds since 1970.
  var started = Int64(time(nil))
  var isEnded = false
  /// Numbers of files that it has made, and that have failed.
  var made = 0
  var failed = 0
  /// Work that it has done, in the unit of ``PlanPart/work``, and seconds since its start.
  var work = 0.0
  var seconds = 0.0
  /// Number of files that are known and have no result yet.
  var left = 0
  /// Reason why nothing begins now, such as a full disk; empty if the work goes on.
  var pause = ""
  var running: [Running] = []
  /// Work that is done on the running files.
  var workOnRunning: Double { running.reduce(0) { $0 + $1.fraction * $1.work } }

  /// The state of a process that does all of its work alone.
  init() {}

  init(shard: Shard) { self.shard = shard.description }

  init?(line: some Sequence<UInt8>) {
    var fields = MessageFields(line: line)
    guard let process = ProcessIdentity(&fields), let shard = fields.text(),
      let started: Int64 = fields.value(), let isEnded: Bool = fields.value(),
      let made: Int = fields.value(), let failed: Int = fields.value(),
      let work: Double = fields.value(), let seconds: Double = fields.value(),
      let left: Int = fields.value(), let pause = fields.text(), let count: Int = fields.value()
    else { return nil }
    (self.process, self.shard, self.started, self.isEnded) = (process, shard, started, isEnded)
    (self.made, self.failed, self.work, self.seconds) = (made, failed, work, seconds)
    (self.left, self.pause) = (left, pause)
    for _ in 0..<max(0, min(count, 4096)) {
      guard let path = fields.text(), let fraction: Double = fields.value(),
        let seconds: Double = fields.value(), let work: Double = fields.value()
      else { return nil }
      running.append(Running(path: path, fraction: fraction, seconds: seconds, work: work))
    }
  }

  var line: [UInt8] {
    var fields = MessageFields()
    process.put(into: &fields)
    fields.put(shard)
    fields.put(started)
    fields.put(isEnded)
    fields.put(made)
    fields.put(failed)
    fields.put(work)
    fields.put(seconds)
    fields.put(left)
    fields.put(pause)
    fields.put(running.count)
    for file in running {
      fields.put(file.path)
      fields.put(file.fraction)
      fields.put(file.seconds)
      fields.put(file.work)
    }
    return fields.line
  }

  /// Reads the state of a process and the time at which it was written; `nil` if there is none.
  ///
  /// The time is in nanoseconds of the file system's clock.
  static func read(_ path: String) -> (state: FleetRunState, time: Int64)? {
    var status = stat()
    guard PathName.withSystemPath(path, { stat($0, &status) }) == 0,
      let text = try? TextFile.read(path, called: "state of a process"),
      let state = FleetRunState(line: text.utf8.dropLast())
    else { return nil }
    return (state, status.modified)
  }
}

/// This process among those that work on a plan: it gives signs of life, and knows who else lives.
final class FleetRun {
  /// Name that no other process has.
  let name: String
  private let folder: FleetFolder
  private(set) var state: FleetRunState
  private var lastSign = -Double.infinity
  /// Time of the last sign in nanoseconds of the file system's clock.
  private var lastTime: Int64 = 0

  /// States of other processes, by name, and when this process has seen them first, in seconds of its clock.
  private var seen: [String: (time: Int64, first: Double)] = [:]

  /// When this process has seen a new sign of another one, in seconds of its clock.
  private var lives: [String: Double] = [:]

  /// Seconds between two signs of life.
  static let interval = 5.0
  /// Seconds without a sign after which a process counts as dead.
  static let patience = 60.0
  /// Seconds by which the clocks of machines do not differ.
  private static let mostSkew = 3600.0

  /// Creates the state of this process in a folder; throws `io` if that fails.
  init(_ shard: Shard, in folder: FleetFolder) throws(MediaError) {
    self.folder = folder
    state = FleetRunState(shard: shard)
    let random = String(UInt32.random(in: 0 ... .max), radix: 36)
    let host = state.process.machine.filter {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")
    }
    name = "\(host.prefix(100))-\(state.process.number)-\(random)"
    try write()
  }

  var ledgerPath: String { folder.ledgerPath(of: name) }

  /// Returns the beginning of the names of a process's temporary files: eight hexadecimal digits.
  ///
  /// The locks on such files may be known to its machine alone, so that others have to know whose they are.
  static func mark(of run: String) -> String {
    var hash = MD5()
    Array(run.utf8).withUnsafeBytes { hash.update($0) }
    return String(hash.finalizeHex().prefix(8))
  }

  /// Seconds since the last sign of life.
  var silence: Double { monotonicSeconds() - lastSign }

  /// Gives a sign of life if the last one is some seconds old.
  ///
  /// `update` changes the state. Throws `io` if it cannot be written.
  func live(_ update: (inout FleetRunState) -> Void) throws(MediaError) {
    guard silence >= Self.interval else { return }
    update(&state)
    try write()
  }

  /// Lets the others know that this process has ended.
  func end(_ update: (inout FleetRunState) -> Void) {
    update(&state)
    (state.isEnded, state.running) = (true, [])
    try? write()
  }

  private func write() throws(MediaError) {
    let path = folder.statePath(of: name)
    // Otherwise a folder that was removed would be made again, or one beneath a file system that is not mounted now.
    guard fileExists(folder.runs) else {
      throw MediaError(.io, "the folder for the work on the plan is gone", file: folder.runs)
    }
    try TextFile.write(String(decoding: state.line, as: UTF8.self), to: path)
    var status = stat()
    if PathName.withSystemPath(path, { stat($0, &status) }) == 0 { lastTime = status.modified }
    lastSign = monotonicSeconds()
  }

  /// Returns `true` if another process will not finish the part that it has claimed.
  ///
  /// `claimed` is the time of the claim, for one whose writer is not known, and `now` that of the monotonic clock.
  func isDead(_ other: String?, claimed: Int64?, now: Double = monotonicSeconds()) -> Bool {
    guard let other, let found = FleetRunState.read(folder.statePath(of: other)) else {
      return claimed.map { isSilent(other ?? "claim \($0)", since: $0, now) } ?? false
    }
    return found.state.isEnded || found.state.process.isGone(for: state.process)
      || isSilent(other, since: found.time, now)
  }

  /// Returns `true` if another process has given no sign of life for some signs, so that it may soon count as dead.
  ///
  /// Only for one that `isDead` has looked at.
  func isInDoubt(_ other: String, now: Double = monotonicSeconds()) -> Bool {
    guard let found = FleetRunState.read(folder.statePath(of: other)), !found.state.isEnded else {
      return false
    }
    if let last = lives[other], now - last <= Self.patience { return false }
    return Double(lastTime - found.time) / 1e9 > 3 * Self.interval
  }

  /// Returns `true` if a sign of another process, of a time of the file system's clock, has remained its last one for so
  /// long that a living process would have given another one.
  ///
  /// Some file systems keep the times of the machines that write, whose clocks may differ by minutes. So this process
  /// measures how long it has seen no change.
  private func isSilent(_ other: String, since time: Int64, _ now: Double) -> Bool {
    if let known = seen[other] {
      if known.time == time { return now - known.first > Self.patience }
      lives[other] = now
    }
    seen[other] = (time, now)
    return Double(lastTime - time) / 1e9 > Self.mostSkew
  }
}
