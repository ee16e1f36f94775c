import Glibc
import Respool

/// The unexpected end of a worker.
struct WorkerDeath {
  /// The request that the worker was processing.
  var request: WorkerRequest?
  /// A part of a sentence: `was killed by signal 11 (…)`.
  var reason: String
  /// `true` if the worker had begun to accept requests.
  var wasReady: Bool
  /// `true` if the worker was killed from outside, as the system does if memory is exhausted.
  var isKilled: Bool
  /// Paths of files that the worker had finished, the last one first.
  var before: [String]
  /// Paths of files that other workers were processing.
  var beside: [String]
}

/// The ending of a process.
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

  /// Returns a part of a sentence about the ending of the process, and the place if the report contains it.
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
