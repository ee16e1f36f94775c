import Glibc
import RespoolHost
import RespoolMedia

/// Work of a process and its threads so far.
struct ProcessActivity {
  /// Seconds of processor time of all threads.
  private(set) var used = 0.0
  /// Seconds that a thread was ready and waited for a processor; of the thread that waited most.
  ///
  /// On a busy machine, other processes may leave a process hardly any time. Source: the second number of `schedstat`
  /// (Documentation/scheduler/sched-stats.rst of the kernel).
  private(set) var waited = 0.0

  /// Reads the activity of a process; all values are 0 if it has ended.
  init(of process: pid_t) {
    used = Self.processorTime(of: process)
    for thread in Self.threads(of: process) {
      let numbers = Self.file("\(process)/task/\(thread)/schedstat")?.split(separator: " ") ?? []
      guard numbers.count > 1, let nanoseconds = Double(numbers[1]) else { continue }
      waited = max(waited, nanoseconds / 1e9)
    }
  }

  /// Returns the seconds of processor time of all threads (clock_getcpuclockid(3)); 0 if the process has ended.
  static func processorTime(of process: pid_t) -> Double {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      return 0
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Seconds in which the process computed or was ready to.
  var total: Double { used + waited }

  /// Returns the bytes of a process that are in memory (proc_pid_statm(5)); 0 if it has ended.
  static func residentBytes(of process: pid_t) -> Int64 {
    let numbers = file("\(process)/statm")?.split(separator: " ") ?? []
    guard numbers.count > 1, let pages = Int64(numbers[1]) else { return 0 }
    return pages &* Int64(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Returns the threads of a process, as in `/proc/PID/task` (proc(5)).
  static func threads(of process: pid_t) -> [pid_t] {
    guard let stream = opendir("/proc/\(process)/task") else { return [] }
    defer { closedir(stream) }
    var numbers: [pid_t] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let number = pid_t(name) { numbers.append(number) }
    }
    return numbers
  }

  /// Returns the content of a file below `/proc`; `nil` if it cannot be read.
  private static func file(_ name: String) -> String? {
    try? TextFile.read("/proc/\(name)", called: "state of a process")
  }
}
