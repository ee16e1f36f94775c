import CLinux
import Glibc
import Respool
import RespoolHost
import RespoolMedia

/// A worker in the supervisor: a child process that plans and converts files, one at a time.
final class WorkerProcess {
  let identifier: pid_t
  /// Pipe of the worker's answers, readable without blocking.
  let answers: Int32
  /// Pipe of the messages that the worker, or a library in it, prints.
  let complaints: Int32
  /// Socket to which requests are sent; -1 after the last one.
  private var requests: Int32
  private var unread: [UInt8] = []
  private(set) var lastText = ""

  /// The current request.
  private(set) var current: WorkerRequest?
  /// Paths of files that have been answered, the last one first; at most three.
  private(set) var finished: [String] = []
  /// `true` after the worker has begun to accept requests.
  private(set) var isReady = false
  private var watch = HangWatch()
  /// Memory, processor time and output of the current work.
  private var usage: WorkUsage?
  /// Limits the looks at `usage`, which read files of the system.
  private let usageChecks = Throttle(interval: 0.1)

  /// Folder for the files of its encoders, which is removed with this object.
  private let scratch: ScratchFolder?

  /// Starts `executable` with `arguments`.
  init(executable: String, arguments: [String], scratch: ScratchFolder? = nil) throws(MediaError) {
    self.scratch = scratch
    var input: [Int32] = [0, 0]
    var output: [Int32] = [0, 0]
    var errors: [Int32] = [0, 0]
    guard linux_message_sockets(&input) == 0, linux_pipe(&output) == 0, linux_pipe(&errors) == 0
    else {
      let number = errno
      // Standard descriptors are never those of a pipe: 0 means that there is no descriptor.
      for end in input + output + errors where end > 0 { close(end) }
      throw MediaError(
        number == EMFILE ? .limitExceeded : .io, "a pipe for a worker process cannot be created",
        cause: errorText(number))
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input[0], 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], 1)
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2)
    var child: pid_t = 0
    var argv: [UnsafeMutablePointer<CChar>?] =
      ([executable] + arguments).map {
        PathName.withSystemPath($0) { strdup($0) }
      } + [nil]
    // The worker reports a crash itself, so Swift's backtraces are disabled.
    var variables: [UnsafeMutablePointer<CChar>?] =
      IsolatedProcess.environment.map { PathName.withSystemPath($0) { strdup($0) } } + [nil]
    let status = posix_spawn(&child, executable, &actions, nil, &argv, &variables)
    for text in argv + variables { free(text) }
    close(input[0])
    close(output[1])
    close(errors[1])
    guard status == 0 else {
      close(input[1])
      close(output[0])
      close(errors[0])
      throw MediaError(.io, "a worker process cannot be started", cause: errorText(status))
    }
    identifier = child
    requests = input[1]
    answers = output[0]
    complaints = errors[0]
    for descriptor in [answers, complaints] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }

  deinit {
    if requests >= 0 { close(requests) }
    close(answers)
    close(complaints)
  }

  /// Takes an answer; returns `false` if it does not belong to the current request.
  ///
  /// The answers come from a process in which plugins run, so that they may be forged.
  func accept(_ answer: WorkerAnswer) -> Bool {
    if answer.kind == .ready {
      guard !isReady else { return false }
      isReady = true
    } else {
      guard isReady, let request = current, request.accepts(answer) else { return false }
      if answer.kind != .progress {
        finished = Array(([request.input] + finished).prefix(3))
        current = nil
        usage = nil
      }
    }
    watch.sign()
    return true
  }

  /// Returns the reason why the worker counts as hanging, as part of a sentence; `nil` if it does not.
  func hang(patience: Double) -> String? {
    guard let current else { return nil }
    let most = current.task == .convert ? patience : min(patience, Self.planningPatience)
    return watch.reason(of: identifier, patience: most)
  }

  /// Seconds without a sign after which planning counts as hanging, which reads headers: as on a network file system that
  /// does not answer.
  private static let planningPatience = 10.0

  /// Lets a time in which the worker could send no answers not count as a hang.
  func extendPatience(by seconds: Double) { watch.extend(by: seconds) }

  /// Returns the limit that the current work exceeds, as the end of a sentence; `nil` if there is none.
  func excess(over limits: WorkLimits) -> String? {
    guard let current, usageChecks.isDue() else { return nil }
    return usage?.excess(over: current.task == .plan ? limits.ofPlanning : limits)
  }

  /// Stops all threads of the worker until `resume`.
  func pause() { kill(identifier, SIGSTOP) }

  /// Lets the worker continue, as if no time had passed.
  func resume() {
    kill(identifier, SIGCONT)
    watch.sign()
  }

  /// Sends a request with its files; returns `false` if the worker has ended.
  func send(_ request: WorkerRequest) -> Bool {
    let line = request.line
    let files = request.files.map(\.descriptor)
    current = request
    // The worker has descriptors of its own.
    current?.files = []
    usage = WorkUsage(
      of: identifier, making: request.task == .convert ? request.files.last : nil)
    watch.sign()
    return line.withUnsafeBytes {
      linux_send_message(requests, $0.baseAddress, $0.count, files, Int32(files.count)) == 0
    }
  }

  /// Maximum size of an answer in bytes.
  private static let greatestAnswer = 1 << 20

  /// Returns the answers that have arrived; `nil` if the worker has closed its end.
  ///
  /// `fault` is a part of a sentence about a line after them that is no answer; `nil` if there is none.
  func receive() -> (answers: [WorkerAnswer], fault: String?)? {
    var ended = false
    while unread.count <= Self.greatestAnswer {
      let chunk = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
        let result = read(answers, buffer.baseAddress, buffer.count)
        count = max(0, result)
        // At the end of the pipe, errno still has the value of an earlier call.
        ended = result == 0 || result < 0 && errno != EAGAIN && errno != EINTR
      }
      if chunk.isEmpty { break }
      unread += chunk
    }
    var decoded: [WorkerAnswer] = []
    while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
      guard let answer = WorkerAnswer(line: unread[..<end]) else {
        let text = String(decoding: unread[..<end].prefix(80), as: UTF8.self)
        // The answers before it count: a worker that was ready has begun with its file.
        return (decoded, "sent \"\(text)\", which is no answer")
      }
      decoded.append(answer)
      unread.removeSubrange(...end)
    }
    guard unread.count <= Self.greatestAnswer else {
      return (decoded, "sent an answer of more than \(Self.greatestAnswer) bytes")
    }
    return ended && decoded.isEmpty ? nil : (decoded, nil)
  }

  /// Stores the end of the worker's messages, for the report of a crash.
  ///
  /// At most 16 blocks at a time: a worker can write faster than this process reads.
  func listen() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<16 {
      let count = read(complaints, &buffer, buffer.count)
      if count <= 0 { break }
      lastText = String(
        (lastText + String(decoding: buffer[..<count], as: UTF8.self)).suffix(64000))
    }
  }

  /// Asks the worker to cancel its work and to end.
  ///
  /// The signal ends the work, and the closed pipe the worker, which may be between two requests.
  func terminate() {
    if requests >= 0 { close(requests) }
    requests = -1
    kill(identifier, SIGTERM)
    // A worker that is paused gets the signal when it continues.
    kill(identifier, SIGCONT)
  }

  /// Kills a worker that does not respond, after its threads have written their stacks to `lastText`.
  func destroyHanging() {
    // One after the other, so that their lines do not mix.
    for thread in ProcessActivity.threads(of: identifier)
    where linux_ask_for_stack(identifier, thread) == 0 {
      usleep(20_000)
      listen()
    }
    destroy()
  }

  /// Kills the worker.
  func destroy() { kill(identifier, SIGKILL) }

  /// Waits for the end of a worker that has closed its pipe or was killed.
  func reap() -> ProcessEnding { reap(within: 2) }

  /// Waits up to `seconds` for the worker's end, then kills it.
  func reap(within seconds: Double) -> ProcessEnding {
    let deadline = monotonicSeconds() + seconds
    var isDestroyed = false
    var status: Int32 = 0
    while true {
      let result = waitpid(identifier, &status, isDestroyed ? 0 : WNOHANG)
      if result == identifier || result < 0 && errno != EINTR { return ProcessEnding(status) }
      if result == 0 {
        if monotonicSeconds() >= deadline {
          destroy()
          isDestroyed = true
        } else {
          usleep(2000)
        }
      }
    }
  }
}
