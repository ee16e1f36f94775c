import CLinux
import Glibc
import RespoolMedia

/// A child process that runs a plugin's code, so that a crash or a hang does not affect this program.
///
/// The child runs the program `respool` in a hidden mode: the one that `RESPOOL_HELPER` names, this program
/// itself if that is its name, or the one beside this program (where tests find it). Forking instead is not
/// safe: the child of a process with threads may not load libraries.
package struct IsolatedProcess {
  /// Bytes that the child has sent so far.
  package private(set) var bytes: [UInt8] = []
  /// `true` if the child closed its end, sent too much, or its time is up.
  package private(set) var isOver = false
  /// `true` if the child's time is up.
  package private(set) var isLate = false

  private let process: pid_t
  private let pipe: Int32
  private var deadline: Double

  /// Descriptor that the child writes to.
  ///
  /// Standard output belongs to the plugin, which may print.
  package static let answerDescriptor: Int32 = 3
  private static let maximumAnswer = 16 << 20

  private init(process: pid_t, pipe: Int32, deadline: Double) {
    self.process = process
    self.pipe = pipe
    self.deadline = deadline
  }

  /// Reason why a child cannot be started, as the end of a sentence.
  package struct StartFailure: Error { package var reason: String }

  /// The program that runs the code of plugins: the one that `RESPOOL_HELPER` names, else `respool`.
  package static var standardProgram: String? {
    RespoolHost.environment("RESPOOL_HELPER") ?? Installation.program
  }

  /// Starts a child with these arguments, which is killed after `timeLimit` seconds.
  ///
  /// `extra` are variables of its environment, such as `A=1`, in addition to those of this process.
  package static func start(
    _ arguments: [String], timeLimit: Double, program: String? = standardProgram,
    environment extra: [String] = []
  ) -> Result<IsolatedProcess, StartFailure> {
    guard let program else {
      return .failure(StartFailure(reason: "the program `respool` was not found"))
    }
    var ends: [Int32] = [-1, -1]
    guard linux_pipe(&ends) == 0 else {
      return .failure(StartFailure(reason: "no pipe can be created: \(systemMessage(errno))"))
    }
    // dup2 onto itself would leave close-on-exec set.
    if ends[1] == answerDescriptor {
      let other = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
      close(ends[1])
      ends[1] = other
    }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], answerDescriptor)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    var process = pid_t()
    let failure = withCStrings([program] + arguments) { arguments in
      withCStrings(extra + environment) { environment in
        posix_spawn(&process, program, &actions, nil, arguments, environment)
      }
    }
    guard failure == 0 else {
      close(ends[0])
      return .failure(
        StartFailure(reason: "\(program) cannot be started: \(systemMessage(failure))"))
    }
    return .success(
      IsolatedProcess(process: process, pipe: ends[0], deadline: monotonicSeconds() + timeLimit))
  }

  /// Waits until one of the children sends bytes, ends or runs out of time, and stores the bytes.
  package static func wait(for running: inout [IsolatedProcess]) {
    var polls = running.map { pollfd(fd: $0.pipe, events: Int16(POLLIN), revents: 0) }
    let earliest = running.map(\.deadline).min() ?? monotonicSeconds()
    let milliseconds = max(0, (earliest - monotonicSeconds()) * 1000).rounded(.up)
    let count = poll(&polls, nfds_t(polls.count), Int32(min(milliseconds, 60_000)))
    for index in running.indices {
      if count > 0, polls[index].revents != 0 { running[index].take() }
      if !running[index].isOver, running[index].deadline <= monotonicSeconds() {
        running[index].isOver = true
        running[index].isLate = true
      }
    }
  }

  /// Gives the child `seconds` more from now on.
  package mutating func extend(by seconds: Double) { deadline = monotonicSeconds() + seconds }

  /// Returns the bytes that the child has sent since the last call, for a child that sends any number.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  private mutating func take() {
    var part = [UInt8](repeating: 0, count: 64 << 10)
    let count = read(pipe, &part, part.count)
    if count > 0 {
      bytes += part[..<count]
      isOver = bytes.count > Self.maximumAnswer
    } else if count == 0 || errno != EINTR {
      isOver = true
    }
  }

  package enum Ending {
    case exited
    case signal(Int32)
    /// The child had to be killed.
    case late
  }

  /// Reaps the child; to be called once.
  ///
  /// If the child has not ended yet, it is killed: at once if `isAnswered` is `true`, else when its time is
  /// up.
  package func end(isAnswered: Bool) -> Ending {
    close(pipe)
    var isKilled = isLate || isAnswered
    if isKilled { kill(process, SIGKILL) }
    var status: Int32 = 0
    // The pipe closes shortly before the process ends, unless the plugin closed it and continues.
    while true {
      let result = waitpid(process, &status, isKilled ? 0 : WNOHANG)
      if result == process || (result < 0 && errno != EINTR) { break }
      if result == 0 {
        if monotonicSeconds() >= deadline {
          kill(process, SIGKILL)
          isKilled = true
        } else {
          usleep(500)
        }
      }
    }
    if isKilled { return .late }
    return status & 0x7F == 0 ? .exited : .signal(status & 0x7F)
  }

  /// Sends `bytes` to the parent, or ends the process if the parent has ended.
  ///
  /// For the child.
  package static func send(_ bytes: [UInt8]) {
    let failure = bytes.withUnsafeBytes { writeAll($0, to: answerDescriptor) }
    if failure != 0 { _exit(1) }
  }

  /// Makes the child end when its parent ends, and leave no core file.
  ///
  /// For the child.
  package static func prepare() { linux_die_with_parent() }

  /// Environment of this process with the backtraces of Swift's runtime disabled.
  ///
  /// A crash report takes seconds, and the signal is enough.
  package static var environment: [String] {
    var list = ["SWIFT_BACKTRACE=enable=no"]
    var next = environ
    while let entry = next.pointee {
      let text = PathName.text(system: entry)
      if !text.hasPrefix("SWIFT_BACKTRACE=") { list.append(text) }
      next += 1
    }
    return list
  }
}

/// Calls `body` with the strings in the form that exec needs.
private func withCStrings<R>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  let copies = strings.map { PathName.withSystemPath($0) { strdup($0) } }
  defer { for copy in copies { free(copy) } }
  var list = copies + [nil]
  return list.withUnsafeMutableBufferPointer { buffer in
    withUnsafePointer(to: &buffer[0]) { body($0) }
  }
}
