import CLinux
import Glibc

/// The beginning of a process that works on one file and writes messages to standard output; see ``FileProcess``.
package enum FileProcessChild {
  /// Makes this process one that ends with its parent; returns the descriptor for its messages.
  package static func begin() -> Int32 {
    // This signal reaches all processes of the terminal; the parent decides about this one.
    signal(SIGINT, SIG_IGN)
    // The parent waits for signals, which are blocked in its processes too; SIGTERM ends this one.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    linux_die_with_parent()
    linux_report_crashes()
    linux_close_from(3)
    let output = dup(1)
    // Output of libraries must not get between the messages.
    dup2(2, 1)
    return output
  }
}
