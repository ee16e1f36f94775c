import Glibc
import Respool

/// The end of a worker that was not asked to end.
struct WorkerDeath {
  /// The request it was working on.
  var request: WorkerRequest?
  /// A part of a sentence: `was killed by signal 11 (…)`.
  var reason: String
  /// `true` if it had begun to take requests.
  var wasReady: Bool
  /// `true` if it was killed from outside, as the system does for want of memory.
  var isKilled: Bool
  /// Files that it had finished, the last one first.
  var before: [Int]
  /// Files that other workers were working on.
  var beside: [Int]
}

/// How a process ended.
enum ProcessEnding {
  case exited(Int32)
  case signal(Int32)

  init(_ status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited((status >> 8) & 0xFF) : .signal(signal)
  }

  var isKilled: Bool {
    if case .signal(SIGKILL) = self { true } else { false }
  }

  /// A part of a sentence that says how the process ended, and where if a report says so.
  func words(_ report: CrashReport) -> String {
    let place = report.place.map { " in \($0)" } ?? ""
    let cause = report.message.map { ": \($0)" } ?? ""
    switch self {
    case .signal(let number):
      let hint = isKilled ? ", perhaps because the system was short of memory" : ""
      let name = PluginFailure.signalName(number)
      let text = name == "signal \(number)" ? name : "signal \(number) (\(name))"
      return "was killed by \(text)\(place)\(hint)\(cause)"
    case .exited(0): return "was ended by a plugin or a library, which must not call exit"
    case .exited(let status): return "ended with status \(status)\(cause)"
    }
  }
}
