import CLinux
import Glibc
import Respool
import RespoolMedia

/// Processes that work on one file each, at most a number of them at a time.
final class ProcessPool {
  private(set) var running: [FileProcess] = []
  private let jobs: Int
  private let patience: Double
  private let limits = WorkLimits().resolved()

  /// Creates a pool of at most `jobs` processes.
  ///
  /// `patience` is the time in seconds after which a process that does nothing is killed.
  init(jobs: Int, patience: Double) {
    (self.jobs, self.patience) = (max(1, jobs), patience)
  }

  /// `true` if another process may be started.
  var hasRoom: Bool { running.count < jobs }

  func add(_ process: FileProcess) { running.append(process) }

  /// Waits until a process prints something or ends, for at most a tenth of a second.
  ///
  /// Calls `take` with the lines that processes have printed on standard output. Returns the processes that have ended.
  func wait(_ interruption: Interruption, take: (FileProcess, [[UInt8]]) -> Void = { _, _ in })
    -> [FileProcess]
  {
    var polled = [pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0)]
    for process in running {
      // A negative descriptor is ignored.
      polled.append(pollfd(fd: process.complaints, events: Int16(POLLIN), revents: 0))
      polled.append(pollfd(fd: process.answers, events: Int16(POLLIN), revents: 0))
    }
    let before = monotonicSeconds()
    _ = poll(&polled, nfds_t(polled.count), 100)
    let pause = monotonicSeconds() - before
    // This process was stopped (Ctrl-Z) together with the others.
    if pause > 1 { for process in running { process.extendPatience(by: pause) } }
    interruption.update()
    var ended: [FileProcess] = []
    for process in running {
      let isOver = process.isOver()
      // Read after the end too, so that the last lines are complete.
      take(process, process.takeLines())
      if isOver {
        ended.append(process)
      } else {
        process.killIfStuck(patience: patience, limits: limits)
      }
    }
    running.removeAll { $0.ending != nil }
    return ended
  }

  /// Ends all processes.
  ///
  /// Ctrl-C has already reached the processes of the terminal. The others get SIGTERM, then SIGKILL if they
  /// do not end.
  func stop() {
    for (signal, patience) in [(Int32(0), 0.5), (SIGTERM, 3), (SIGKILL, 2)] {
      for process in running where signal != 0 { kill(process.identifier, signal) }
      let deadline = monotonicSeconds() + patience
      while !running.isEmpty, monotonicSeconds() < deadline {
        usleep(10_000)
        running.removeAll { $0.isOver() }
      }
    }
  }
}
