import CLinux
import Glibc
import RespoolMedia

/// Ctrl-C, SIGTERM and the closing of the terminal, in a form that `poll` can wait for.
final class Interruption {
  /// Descriptor that becomes readable when a signal arrives.
  let descriptor: Int32
  private(set) var isRequested = false

  init() throws(MediaError) {
    descriptor = linux_watch_termination()
    guard descriptor >= 0 else {
      throw MediaError(.io, "signals cannot be watched", cause: errorText(errno))
    }
  }

  deinit { close(descriptor) }

  /// Checks whether a signal has arrived.
  func update() { if linux_next_signal(descriptor) != 0 { isRequested = true } }
}
