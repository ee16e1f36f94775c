import CLinux
import Glibc

/// Has plugins described, each in a process of its own that may crash or hang.
///
/// The processes are the program `respool` in a hidden mode. It is looked for at `RESPOOL_HELPER`,
/// then it is this program itself if that is its name, then beside this program (where tests find
/// it). Forking instead is not sound: the child of a process with threads may not load libraries.
struct PluginDescriber {
  /// Seconds for each plugin.
  let timeLimit: Double
  private let helper: String?

  init() {
    let seconds = environment("RESPOOL_PLUGIN_TIMEOUT").flatMap { Double($0) }
    timeLimit = seconds.map { $0 > 0 && $0 < 86_400 ? $0 : 5 } ?? 5
    helper = Self.helper
  }

  static var helper: String? {
    if let path = environment("RESPOOL_HELPER") { return path }
    guard let executable = PluginSearchPath.executablePath else { return nil }
    if lastPathComponent(executable) == "respool" { return executable }
    let folder = PluginSearchPath.parent(of: executable)
    let candidates = [folder + "/respool", PluginSearchPath.parent(of: folder) + "/bin/respool"]
    return candidates.first { access($0, X_OK) == 0 }
  }

  /// The descriptions of the plugins at `paths`, in their order; as many processes at once as there
  /// are cores.
  func describe(_ paths: [String]) -> [PluginDescription] {
    var answers = [PluginDescription?](repeating: nil, count: paths.count)
    var running: [Running] = []
    var next = 0
    let limit = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    while next < paths.count || !running.isEmpty {
      while next < paths.count, running.count < limit {
        let index = next
        next += 1
        if let failure = SharedObjectHeader.problem(withFileAt: paths[index]) {
          answers[index] = .fails(failure)
        } else {
          switch start(paths[index], index) {
          case .success(let started): running.append(started)
          case .failure(let failure): answers[index] = .fails(failure)
          }
        }
      }
      guard !running.isEmpty else { continue }
      wait(for: &running)
      running.removeAll { process in
        guard process.isOver else { return false }
        answers[process.index] = answer(of: process)
        return true
      }
    }
    return answers.map { $0 ?? .fails(.ended(while: LoadedPlugin.Stage.loading.words)) }
  }

  private struct Running {
    let index: Int
    let process: pid_t
    let pipe: Int32
    let deadline: Double
    var bytes: [UInt8] = []
    var isOver = false
    var isLate = false
  }

  /// More than any plugin has to say about itself.
  private static let maximumAnswer = 16 << 20

  private func start(_ path: String, _ index: Int) -> Result<Running, PluginFailure> {
    guard let helper else {
      return .failure(.noHelper("the program for that, `respool`, was not found"))
    }
    var ends: [Int32] = [-1, -1]
    guard linux_pipe(&ends) == 0 else {
      return .failure(.noHelper("no pipe can be made: \(systemMessage(errno))"))
    }
    defer { close(ends[1]) }
    // dup2 onto itself would leave close-on-exec set.
    if ends[1] == DescribingProcess.answerDescriptor {
      let other = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
      close(ends[1])
      ends[1] = other
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], DescribingProcess.answerDescriptor)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    var process = pid_t()
    let failure = withCStrings([helper, DescribingProcess.argument, path]) { arguments in
      // Swift's own report of a crash takes seconds; the signal says enough.
      withCStrings(Self.inherited + ["SWIFT_BACKTRACE=enable=no"]) { environment in
        posix_spawn(&process, helper, &actions, nil, arguments, environment)
      }
    }
    guard failure == 0 else {
      close(ends[0])
      return .failure(.noHelper("\(helper) cannot be started: \(systemMessage(failure))"))
    }
    return .success(
      Running(index: index, process: process, pipe: ends[0], deadline: Self.now + timeLimit))
  }

  private static var inherited: [String] {
    var list: [String] = []
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if !text.hasPrefix("SWIFT_BACKTRACE=") { list.append(text) }
      next += 1
    }
    return list
  }

  /// Waits until something arrives, ends or runs out of time, and takes it in.
  private func wait(for running: inout [Running]) {
    var polls = running.map { pollfd(fd: $0.pipe, events: Int16(POLLIN), revents: 0) }
    let earliest = running.map(\.deadline).min() ?? Self.now
    let milliseconds = max(0, (earliest - Self.now) * 1000).rounded(.up)
    let count = poll(&polls, nfds_t(polls.count), Int32(min(milliseconds, 60_000)))
    for index in running.indices {
      if count > 0, polls[index].revents != 0 {
        var part = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(running[index].pipe, &part, part.count)
        if count > 0 {
          running[index].bytes += part[..<count]
        } else if count == 0 || errno != EINTR {
          running[index].isOver = true
        }
      }
      if !running[index].isOver, running[index].deadline <= Self.now {
        running[index].isOver = true
        running[index].isLate = true
      }
      if running[index].bytes.count > Self.maximumAnswer { running[index].isOver = true }
    }
  }

  /// Ends the process where it has not ended, and reads its answer.
  private func answer(of running: Running) -> PluginDescription {
    close(running.pipe)
    let (description, stage) = DescribingProcess.parse(running.bytes)
    var status: Int32 = 0
    var killed = running.isLate || description != nil
    if killed { kill(running.process, SIGKILL) }
    // The pipe closes a little before the process ends, unless the plugin closed it and goes on.
    while true {
      let result = waitpid(running.process, &status, killed ? 0 : WNOHANG)
      if result == running.process || (result < 0 && errno != EINTR) { break }
      if result == 0 {
        if Self.now >= running.deadline {
          kill(running.process, SIGKILL)
          killed = true
        } else {
          usleep(500)
        }
      }
    }
    if let description { return description }
    if killed { return .fails(.hang(seconds: timeLimit, while: stage.words)) }
    let signal = status & 0x7F
    return .fails(
      signal != 0 ? .crash(signal: signal, while: stage.words) : .ended(while: stage.words))
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// Calls `body` with the strings in the form that exec takes.
private func withCStrings<R>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  var list = copies + [nil]
  return list.withUnsafeMutableBufferPointer { buffer in
    withUnsafePointer(to: &buffer[0]) { body($0) }
  }
}
