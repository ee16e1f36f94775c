import Glibc
import Respool
import RespoolBatch
import RespoolMedia

/// A thread that ends a command whose memory exceeds a limit.
///
/// A file may lie about what it needs, and a library that reads it cannot be stopped within one of its calls. The
/// workers of a batch are watched by their supervisor instead.
struct MemoryWatch {
  /// Number of bytes that the process may have in memory; `nil` if it is unknown.
  private let limit: Int64?
  /// `/proc/self/statm` (proc_pid_statm(5)), which cannot be opened in the sandbox.
  private let state: Int32

  /// Seconds between two looks.
  private static let interval = 0.05

  /// Opens the state of the process.
  ///
  /// `limit` is a number of bytes; `nil` for four fifths of the memory that is available now.
  init(limit: Int64?) {
    self.limit = limit ?? AvailableMemory.share()
    state = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
  }

  /// Calls `report` with the reason once the limit is exceeded, then ends the process with status 1.
  ///
  /// To be called when the process may have a second thread. Throws `limitExceeded` if there is none.
  func start(_ report: @escaping @Sendable (MediaError) -> Void) throws(MediaError) {
    guard let limit, state >= 0 else { return }
    // Signals are those of the other threads, which block them when they are ready to handle them.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let thread = try PlainThread(name: "memory") { [self] in
      while true {
        usleep(UInt32(Self.interval * 1e6))
        let used = residentBytes
        guard used > limit else { continue }
        report(
          MediaError(
            .limitExceeded,
            "stopped: the work took \(ByteCount.text(used)) of memory, more than "
              + ByteCount.text(limit)))
        _exit(1)
      }
    }
    thread.detach()
  }

  /// Bytes of the process that are in memory; 0 if they are unknown.
  private var residentBytes: Int64 {
    var text = [UInt8](repeating: 0, count: 128)
    let count = pread(state, &text, text.count, 0)
    let numbers = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
    guard numbers.count > 1, let pages = Int64(String(decoding: numbers[1], as: UTF8.self)) else {
      return 0
    }
    return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
  }
}
