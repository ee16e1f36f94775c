import CLinux
import Glibc
import Respool
import RespoolMedia

/// A child process that makes one output.
final class OutputProcess {
  enum Status { case exited(Int32), signal(Int32) }

  let identifier: pid_t
  let input: String
  let output: String
  /// Standard error of the process, readable without blocking.
  let complaints: Int32
  /// Ending of the process.
  ///
  /// `nil` until it has ended.
  private(set) var status: Status?
  private var words = ""

  init(_ executable: String, _ arguments: [String], input: String, output: String)
    throws(MediaError)
  {
    (self.input, self.output) = (input, output)
    var errors: [Int32] = [0, 0]
    guard linux_pipe(&errors) == 0 else {
      throw MediaError(.io, "a pipe for a process cannot be created", cause: errorText(errno))
    }
    defer { close(errors[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2)
    var argv = ([executable] + arguments).map { word -> UnsafeMutablePointer<CChar>? in
      PathName.withSystemPath(word) { strdup($0) }
    }
    argv.append(nil)
    defer { for word in argv { free(word) } }
    var child: pid_t = 0
    let failure = PathName.withSystemPath(executable) {
      posix_spawn(&child, $0, &actions, nil, argv, environ)
    }
    guard failure == 0 else {
      close(errors[0])
      throw MediaError(.io, "a process cannot be started", cause: errorText(failure))
    }
    (identifier, complaints) = (child, errors[0])
    _ = fcntl(complaints, F_SETFL, fcntl(complaints, F_GETFL) | O_NONBLOCK)
  }

  deinit { close(complaints) }

  /// Returns `true` if the process has ended; ``status`` is then set.
  func isOver() -> Bool {
    listen()
    if status != nil { return true }
    var value: Int32 = 0
    guard waitpid(identifier, &value, WNOHANG) == identifier else { return false }
    listen()
    let signal = value & 0x7F
    status = signal != 0 ? .signal(signal) : .exited((value >> 8) & 0xFF)
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

  private func listen() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(complaints, &buffer, buffer.count)
      if count <= 0 { return }
      words = String((words + String(decoding: buffer[..<count], as: UTF8.self)).suffix(2000))
    }
  }
}
