import CLinux
import Glibc
import RespoolMedia

/// Ctrl-C, SIGTERM and the end of the terminal as something that `poll` can wait for.
final class Interruption {
  /// Readable once a signal has come.
  let descriptor: Int32
  private(set) var isRequested = false

  init() throws(MediaError) {
    descriptor = linux_watch_termination()
    guard descriptor >= 0 else {
      throw MediaError(.io, "signals cannot be watched", cause: errorText(errno))
    }
  }

  deinit { close(descriptor) }

  /// Looks whether a signal has come.
  func update() { if linux_next_signal(descriptor) != 0 { isRequested = true } }
}
