import CLinux
import Glibc
import Respool
import RespoolMedia

/// A program of the system that a command runs.
enum OtherProgram {
  /// Runs a program that is found on PATH, and returns what it prints on standard output.
  ///
  /// Its messages go to standard error. Throws `io` if it cannot be started or fails.
  static func run(_ arguments: [String]) throws(MediaError) -> String {
    let name = arguments.first ?? ""
    var ends: [Int32] = [-1, -1]
    guard linux_pipe(&ends) == 0 else {
      throw MediaError(.io, "no pipe can be created", cause: String(cString: strerror(errno)))
    }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    var words = arguments.map { PathName.withSystemPath($0) { strdup($0) } } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let failure = posix_spawnp(&process, name, &actions, nil, &words, environ)
    close(ends[1])
    guard failure == 0 else {
      throw MediaError(
        .io, "\(name) cannot be started", cause: String(cString: strerror(failure)))
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { break }
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw MediaError(.io, "\(name) has failed") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
