import CLinux
import Glibc
import Respool
import RespoolMedia

/// A child process that works on one file.
final class FileProcess {
  let identifier: pid_t
  let input: String
  /// The file that it makes; `nil` if it makes none.
  let output: String?
  /// Standard error of the process, readable without blocking.
  let complaints: Int32
  /// Standard output of the process, readable without blocking; -1 if it is discarded.
  let answers: Int32
  /// Ending of the process.
  ///
  /// `nil` until it has ended.
  private(set) var ending: ProcessEnding?
  /// Reason for which this program killed it, as part of a sentence; `nil` if it did not.
  private(set) var killReason: String?
  /// End of the messages that it printed.
  private(set) var words = ""
  /// Start, in seconds of the monotonic clock.
  let start = monotonicSeconds()
  private var watch = HangWatch()
  private let usage: WorkUsage
  private var unread: [UInt8] = []

  /// Maximum size of a line of standard output, and of the messages that are kept, in bytes.
  private static let greatestText = 64 << 10

  /// Blocks of 4 KiB that are read at a time, as many as a pipe holds: a process may write faster than this one reads.
  private static let mostBlocks = 16

  /// Starts `executable` with `arguments`.
  ///
  /// If `reads` is `true`, its standard output is read.
  init(
    _ executable: String, _ arguments: [String], input: String, output: String? = nil,
    readsAnswers reads: Bool = false
  ) throws(MediaError) {
    (self.input, self.output) = (input, output)
    var errors: [Int32] = [0, 0]
    var results: [Int32] = [-1, -1]
    guard linux_pipe(&errors) == 0, !reads || linux_pipe(&results) == 0 else {
      let number = errno
      // Standard descriptors are never those of a pipe: 0 means that there is no descriptor.
      for end in errors where end > 0 { close(end) }
      throw MediaError(.io, "a pipe for a process cannot be created", cause: errorText(number))
    }
    defer { for end in [errors[1], results[1]] where end >= 0 { close(end) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if reads {
      posix_spawn_file_actions_adddup2(&actions, results[1], 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2)
    func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
      texts.map { PathName.withSystemPath($0) { strdup($0) } } + [nil]
    }
    var argv = copies([executable] + arguments)
    // A crash is reported by its signal, so Swift's backtraces are disabled.
    var variables = copies(IsolatedProcess.environment)
    defer { for word in argv + variables { free(word) } }
    var child: pid_t = 0
    let failure = PathName.withSystemPath(executable) {
      posix_spawn(&child, $0, &actions, nil, &argv, &variables)
    }
    guard failure == 0 else {
      for end in [errors[0], results[0]] where end >= 0 { close(end) }
      throw MediaError(.io, "a process cannot be started", cause: errorText(failure))
    }
    (identifier, complaints, answers) = (child, errors[0], results[0])
    usage = WorkUsage(of: child, making: nil)
    for descriptor in [complaints, answers] where descriptor >= 0 {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }

  deinit {
    close(complaints)
    if answers >= 0 { close(answers) }
  }

  /// Returns `true` if the process has ended; ``ending`` is then set.
  func isOver() -> Bool {
    listen()
    if ending != nil { return true }
    var value: Int32 = 0
    guard waitpid(identifier, &value, WNOHANG) == identifier else { return false }
    listen()
    ending = ProcessEnding(value)
    return true
  }

  /// The last line that it printed, without the names of the program and the file.
  var lastLine: String {
    var line = words.split(separator: "\n").last.map(String.init) ?? ""
    for prefix in ["respool: ", "\(input.printable()): "] where line.hasPrefix(prefix) {
      line = String(line.dropFirst(prefix.count))
    }
    return line
  }

  /// Kills the process if it hangs or exceeds a limit.
  ///
  /// A process that reports its progress with lines on standard output also hangs if it computes without them.
  func killIfStuck(patience: Double, limits: WorkLimits) {
    guard ending == nil, killReason == nil else { return }
    killReason =
      usage.excess(over: limits)
      ?? watch.reason(of: identifier, patience: patience, reportsProgress: answers >= 0)
    if killReason != nil { kill(identifier, SIGKILL) }
  }

  /// Lets the time of a pause in which this program did not run not count as a hang.
  func extendPatience(by seconds: Double) { watch.extend(by: seconds) }

  /// Returns the complete lines of standard output that have arrived.
  func takeLines() -> [[UInt8]] {
    guard answers >= 0 else { return [] }
    for _ in 0..<Self.mostBlocks {
      guard let chunk = Self.read(answers) else { break }
      unread += chunk
    }
    var lines: [[UInt8]] = []
    while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Array(unread[..<end]))
      unread.removeSubrange(...end)
    }
    if !lines.isEmpty { watch.sign() }
    // A process that a file has taken over may write anything.
    if unread.count > Self.greatestText { unread = [] }
    return lines
  }

  private func listen() {
    for _ in 0..<Self.mostBlocks {
      guard let chunk = Self.read(complaints) else { return }
      words = String((words + String(decoding: chunk, as: UTF8.self)).suffix(Self.greatestText))
    }
  }

  /// Returns the bytes that can be read without waiting; `nil` if there are none.
  private static func read(_ descriptor: Int32) -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    return count > 0 ? buffer[..<count] : nil
  }
}
