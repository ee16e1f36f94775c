import CLinux
import Glibc
package import RespoolMedia
import Synchronization

/// A process outside of the ``Sandbox`` that creates, names and removes the outputs of this process.
///
/// It is a copy of this process that was made before any input was read. It does that for the outputs that were named
/// at its start, and for nothing else. When this process ends, even if it is killed, the broker removes what has no
/// final name and ends too. ``FileSink`` and ``PendingFile`` use it by themselves.
package final class OutputBroker: Sendable {
  /// The outputs that a broker may make.
  package struct Outputs: Sendable {
    /// Returns `true` if the path is that of an output.
    package var contain: @Sendable (String) -> Bool
    /// Returns `true` if outputs lie in the folder.
    package var liesIn: @Sendable (String) -> Bool
    /// `true` if outputs may replace existing files.
    package var replaces: Bool

    package init(
      replacing replaces: Bool, containing contain: @escaping @Sendable (String) -> Bool,
      in liesIn: @escaping @Sendable (String) -> Bool
    ) {
      (self.replaces, self.contain, self.liesIn) = (replaces, contain, liesIn)
    }

    /// One output at `path`.
    package init(_ path: String, replacing: Bool) {
      let key = PathKey(path)
      // The second is the folder as it is in temporary names.
      let folders = [PathKey(PathName.folder(path)), PathKey(PendingFile(for: path).folder)]
      self.init(replacing: replacing) {
        PathKey($0) == key
      } in: {
        folders.contains(PathKey($0))
      }
    }
  }

  /// The broker of this process; `nil` if this process makes its outputs itself.
  package static var current: OutputBroker? { started.withLock { $0 } }

  private static let started = Mutex<OutputBroker?>(nil)
  /// Socket to the other process; locked during each exchange.
  private let socket: Mutex<Int32>

  /// Folder that the other process removes; this object keeps it until then.
  private let scratch: ScratchFolder?

  private init(socket: Int32, _ scratch: ScratchFolder?) {
    self.socket = Mutex(socket)
    self.scratch = scratch
  }

  /// Starts the broker of this process.
  ///
  /// It removes the folder `scratch` at its end. To be called while the process has one thread. Throws `io` if no process
  /// can be started.
  package static func start(for outputs: Outputs, removing scratch: ScratchFolder? = nil)
    throws(MediaError)
  {
    var ends: [Int32] = [-1, -1]
    guard linux_message_sockets(&ends) == 0 else {
      throw MediaError(.io, "no socket can be created", cause: systemMessage(errno))
    }
    let child = linux_fork()
    guard child >= 0 else {
      let number = errno
      for end in ends { close(end) }
      throw MediaError(.io, "no process can be started", cause: systemMessage(number))
    }
    if child == 0 {
      close(ends[0])
      // They end this process's parent, which closes the socket.
      for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { signal(number, SIG_IGN) }
      var process = OutputBrokerProcess(socket: ends[1], outputs)
      process.run()
      scratch?.remove()
      _exit(0)
    }
    close(ends[1])
    started.withLock { $0 = OutputBroker(socket: ends[0], scratch) }
  }

  // MARK: Requests

  /// A request, and the number of paths that it has.
  enum Request: UInt8 {
    /// Create and lock a file with a temporary name.
    case create = 1
    /// Open a created file for reading.
    case read
    /// Give a created file the name of an output that does not exist, or of one that is replaced.
    case nameNew, nameReplacing
    /// Remove a created file, or an output made of one that has replaced none.
    case remove
    /// Give a created file the permissions and times of a source.
    case keepAttributes
    /// Write the names in the folder of outputs to the disk.
    case sync
    /// Make the folder of outputs.
    case makeFolder
  }

  /// Creates and locks a file; returns its descriptor, or -1 with `errno`.
  func create(_ path: String, permissions: mode_t) -> Int32 {
    exchange(.create, [path], permissions)
  }

  /// Opens a created file for reading; returns its descriptor, or -1 with `errno`.
  func open(_ path: String) -> Int32 { exchange(.read, [path]) }

  /// Gives a created file its final name; returns 0, or an errno.
  func rename(_ path: String, to target: String, replacing: Bool) -> Int32 {
    exchange(replacing ? .nameReplacing : .nameNew, [path, target]) == 0 ? 0 : errno
  }

  /// Gives a created file permissions and times.
  func keep(_ attributes: FileAttributes, of path: String) {
    _ = exchange(.keepAttributes, [path], attributes: attributes)
  }

  /// Removes a file that this broker has created.
  func remove(_ path: String) { _ = exchange(.remove, [path]) }

  /// Writes the names in a folder to the disk; returns 0, or an errno.
  func sync(_ folder: String) -> Int32 { exchange(.sync, [folder]) == 0 ? 0 : errno }

  /// Makes a folder and those above it; returns `false` with `errno` if that fails.
  func makeFolder(_ path: String) -> Bool { exchange(.makeFolder, [path]) == 0 }

  /// Returns the descriptor that the broker sends, 0 if it sends none, or -1 with `errno`.
  private func exchange(
    _ request: Request, _ paths: [String], _ permissions: mode_t = 0,
    attributes: FileAttributes = FileAttributes(stat())
  ) -> Int32 {
    var message = [request.rawValue] + withUnsafeBytes(of: permissions, Array.init)
    message += withUnsafeBytes(of: attributes, Array.init)
    for path in paths { message += PathName.bytes(path) + [0] }
    var number = EPIPE
    var files = [Int32](repeating: -1, count: Int(LINUX_MOST_FILES))
    var count: Int32 = 0
    let answer: Int64 = socket.withLock { socket in
      guard write(socket, message, message.count) == message.count else { return -1 }
      return linux_receive_message(
        socket, &number, MemoryLayout<Int32>.size, &files, &count)
    }
    guard answer == MemoryLayout<Int32>.size, number == 0 else {
      errno = answer > 0 ? number : EPIPE
      return -1
    }
    return count > 0 ? files[0] : 0
  }
}

/// The loop of the broker.
private struct OutputBrokerProcess {
  private let socket: Int32
  private let outputs: OutputBroker.Outputs
  /// Temporary files that have no final name.
  private var created: Set<PathKey> = []
  /// Outputs that have their names.
  private var named: Set<PathKey> = []

  init(socket: Int32, _ outputs: OutputBroker.Outputs) {
    (self.socket, self.outputs) = (socket, outputs)
  }

  /// Serves until the other process has ended.
  mutating func run() {
    var files = [Int32](repeating: -1, count: Int(LINUX_MOST_FILES))
    var count: Int32 = 0
    var buffer = [UInt8](repeating: 0, count: 32 << 10)
    while true {
      let length = linux_receive_message(socket, &buffer, buffer.count, &files, &count)
      guard length > 0 else { break }
      for file in files.prefix(Int(count)) { close(file) }
      var (number, file) = serve(buffer[..<Int(length)])
      let descriptor = file ?? -1
      _ = linux_send_message(
        socket, &number, MemoryLayout<Int32>.size, [descriptor], file == nil ? 0 : 1)
      if let file { close(file) }
    }
    for path in created { unlinkFile(path.path) }
  }

  /// Does what a message asks for; returns an errno, or 0 with the file to send.
  private mutating func serve(_ message: ArraySlice<UInt8>) -> (Int32, file: Int32?) {
    let permissionsEnd = 1 + MemoryLayout<mode_t>.size
    let header = permissionsEnd + MemoryLayout<FileAttributes>.size
    guard message.count > header, let request = message.first.flatMap(OutputBroker.Request.init)
    else { return (EINVAL, nil) }
    var permissions: mode_t = 0
    withUnsafeMutableBytes(of: &permissions) {
      $0.copyBytes(from: message.dropFirst().prefix($0.count))
    }
    var attributes = FileAttributes(stat())
    withUnsafeMutableBytes(of: &attributes) {
      $0.copyBytes(from: message.dropFirst(permissionsEnd).prefix($0.count))
    }
    let paths = message.dropFirst(header).split(separator: 0).map { PathName.text($0) }
    let isNaming = request == .nameNew || request == .nameReplacing
    guard paths.count == (isNaming ? 2 : 1), let path = paths.first else { return (EINVAL, nil) }
    switch request {
    case .create:
      guard PendingFile.isTemporary(path), outputs.liesIn(PathName.folder(path)),
        permissions & ~0o666 == 0
      else { return (EPERM, nil) }
      let file = FileSink.open(path, permissions: permissions)
      guard file >= 0 else { return (errno, nil) }
      created.insert(PathKey(path))
      return (0, file)
    case .read:
      guard created.contains(PathKey(path)) else { return (EPERM, nil) }
      let file = PathName.withSystemPath(path) { Glibc.open($0, O_RDONLY | O_CLOEXEC) }
      return file >= 0 ? (0, file) : (errno, nil)
    case .nameNew, .nameReplacing:
      guard created.contains(PathKey(path)), let target = paths.last, outputs.contain(target),
        outputs.replaces || request == .nameNew
      else { return (EPERM, nil) }
      let number = renameFile(path, to: target, replacing: request == .nameReplacing)
      if number == 0 {
        created.remove(PathKey(path))
        if request == .nameNew { named.insert(PathKey(target)) }
      }
      return (number, nil)
    case .remove:
      guard created.remove(PathKey(path)) != nil || named.remove(PathKey(path)) != nil else {
        return (EPERM, nil)
      }
      unlinkFile(path)
      return (0, nil)
    case .keepAttributes:
      guard created.contains(PathKey(path)) else { return (EPERM, nil) }
      let file = PathName.withSystemPath(path) { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
      guard file >= 0 else { return (errno, nil) }
      attributes.apply(to: file)
      close(file)
      return (0, nil)
    case .sync:
      guard outputs.liesIn(path) else { return (EPERM, nil) }
      return (syncNames(in: path), nil)
    case .makeFolder:
      guard outputs.liesIn(path) else { return (EPERM, nil) }
      return (makeFolder(path) ? 0 : errno, nil)
    }
  }
}
