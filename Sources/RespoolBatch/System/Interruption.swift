import CLinux
import Glibc
import Respool
import RespoolMedia

/// Ctrl-C, SIGTERM and the closing of the terminal, in a form that `poll` can wait for.
final class Interruption {
  /// Descriptor that becomes readable when a signal arrives.
  let descriptor: Int32
  /// `true` if the work has to end now.
  private(set) var isRequested = false
  /// Seconds in which files that are being converted may end after SIGTERM; `nil` if it ends the work at once.
  private let grace: Double?
  /// Time at which they have to have ended; `nil` before SIGTERM.
  private var deadline: Double?

  /// `true` if nothing more may begin after SIGTERM.
  var isDraining: Bool { deadline != nil }

  /// `true` if SIGHUP asks for a new beginning.
  private let restarts: Bool
  /// `true` after SIGHUP has asked for a new beginning, before which conversions may end.
  private(set) var wantsRestart = false

  init(grace: Double? = nil, restarts: Bool = false) throws(MediaError) {
    (self.grace, self.restarts) = (grace, restarts)
    descriptor = linux_watch_termination()
    guard descriptor >= 0 else {
      throw MediaError(.io, "signals cannot be watched", cause: errorText(errno))
    }
  }

  deinit { close(descriptor) }

  /// Checks whether a signal has arrived.
  func update() {
    switch linux_next_signal(descriptor) {
    case 0: break
    // A scheduler may send it more than once, to the process and to its group.
    case let number where number == SIGTERM && grace != nil:
      deadline = min(deadline ?? .infinity, monotonicSeconds() + (grace ?? 0))
      wantsRestart = false
    case SIGHUP where restarts:
      if deadline == nil { (deadline, wantsRestart) = (.infinity, true) }
    default: isRequested = true
    }
    if let deadline, monotonicSeconds() >= deadline { isRequested = true }
  }
}
