import Foundation
import Glibc
import Testing

/// A process that a test has started.
final class Running {
  let identifier: pid_t
  private let folder = TemporaryFolder()
  private var isReaped = false

  struct Failure: Error { var what: String }

  convenience init(_ arguments: [String], environment: [String], folder: String?) throws {
    try self.init(bytes: arguments.map { Array($0.utf8) }, environment: environment, folder: folder)
  }

  /// Starts a process with arguments that need not be UTF-8.
  init(bytes arguments: [[UInt8]], environment: [String], folder workingFolder: String?) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (descriptor, name) in [(Int32(1), "output"), (2, "errors")] {
      posix_spawn_file_actions_addopen(
        &actions, descriptor, folder.path + "/" + name, O_WRONLY | O_CREAT, 0o600)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The process gets its own group, so that a signal reaches the workers like Ctrl-C on a terminal. It does not
    // inherit the signals that the test runner blocks or ignores.
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigemptyset(&all)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&all, signal) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    posix_spawnattr_setpgroup(&attributes, 0)
    // `env` changes the folder, because the spawn action of Glibc for this is not visible to Swift.
    let entering = workingFolder.map { ["/usr/bin/env", "-C", $0].map { Array($0.utf8) } } ?? []
    var argv: [UnsafeMutablePointer<CChar>?] =
      (entering + arguments).map { strdup($0.map { CChar(bitPattern: $0) } + [0]) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var child: pid_t = 0
    let path = try #require(argv[0])
    let status = posix_spawn(&child, path, &actions, &attributes, &argv, &envp)
    guard status == 0 else {
      throw Failure(what: "the command: \(String(cString: strerror(status)))")
    }
    identifier = child
  }

  deinit {
    guard !isReaped else { return }
    kill(-identifier, SIGKILL)
    waitpid(identifier, nil, 0)
  }

  /// The standard output so far.
  var output: String { text("output") }

  /// Waits until the process ends and returns its result.
  func wait() throws -> Respool.Result {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      guard errno == EINTR else { throw Failure(what: String(cString: strerror(errno))) }
    }
    isReaped = true
    let signal = status & 0x7F
    return Respool.Result(
      status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: output,
      errors: text("errors"))
  }

  /// Waits until `condition` holds, and throws if the process ends before or two minutes pass.
  func wait(until what: String, _ condition: () -> Bool) throws {
    for _ in 0..<12_000 {
      if condition() { return }
      if kill(identifier, 0) != 0 || isZombie { break }
      usleep(10_000)
    }
    throw Failure(what: "waited in vain until \(what)\n\(output)\n\(text("errors"))")
  }

  /// Sends the signal of Ctrl-C to the process group.
  func interrupt() { kill(-identifier, SIGINT) }

  /// The running child processes.
  var children: [pid_t] {
    let text = processFile("task/\(identifier)/children")
    return text.split(separator: " ").compactMap { pid_t($0) }
  }

  /// The files that are mapped into the memory of the process.
  var mappedFiles: Set<String> {
    let text = processFile("maps")
    return Set(
      text.split(separator: "\n").compactMap { line in
        line.firstIndex(of: "/").map { String(line[$0...]) }
      })
  }

  /// Returns the whole content of a `/proc` file of the process.
  ///
  /// Foundation reads only one page of such files, because they have no size.
  private func processFile(_ name: String) -> String {
    let file = open("/proc/\(identifier)/\(name)", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(file, &chunk, chunk.count)
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  private var isZombie: Bool {
    let text = processFile("stat")
    return text.isEmpty || text.contains(") Z ")
  }

  private func text(_ name: String) -> String {
    let data = FileManager.default.contents(atPath: folder.path + "/" + name) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}
