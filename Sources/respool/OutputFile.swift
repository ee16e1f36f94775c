import Glibc
import Respool
import RespoolMedia

/// Where a drawing or data goes: a file that appears when it is complete, or standard output.
struct OutputFile {
  let path: String
  let replaces: Bool
  private let pending: PendingFile

  init(path: String, replaces: Bool) {
    self.init(PendingFile(for: path), replaces: replaces)
  }

  /// An output that is one of a set.
  init(_ pending: PendingFile, replaces: Bool) {
    (path, self.replaces, self.pending) = (pending.target, replaces, pending)
  }

  /// Throws `invalidArgument` where the file is one of those that are read, or is there and may not be
  /// replaced, or cannot be.
  func check(reading inputs: [String]) throws(MediaError) {
    guard path != "-" else { return }
    let inputs = Set(inputs.compactMap { FileIdentity($0) })
    if let obstacle = PendingFile.obstacle(at: path, inputs: inputs) {
      throw MediaError(.invalidArgument, obstacle, file: path)
    }
    if !replaces, fileExists(path) {
      throw MediaError(.invalidArgument, "is there already; --replace writes over it", file: path)
    }
  }

  func write(_ bytes: [UInt8]) throws(MediaError) {
    guard path != "-" else {
      // A failure is reported when the process ends, as for every command.
      StandardOutput.write(bytes)
      return
    }
    let lock = try prepare(bytes)
    try complete()
    withExtendedLifetime(lock) {}
  }

  /// Writes the file under its temporary name.
  ///
  /// The lock says that somebody still needs it.
  @discardableResult
  func prepare(_ bytes: [UInt8]) throws(MediaError) -> FileLock? {
    try pending.naming { () throws(MediaError) in
      let sink = try FileSink(path: pending.path)
      try sink.write(bytes)
      try sink.finish()
      return sink.lock
    }
  }

  /// Gives what was prepared its name.
  func complete() throws(MediaError) { try pending.complete(replacing: replaces) }

  /// Removes what was prepared, if anything was.
  func discard() { pending.discard() }

  /// Removes the file itself, which was no other's before.
  func remove() { _ = FileName.withSystemPath(path) { unlink($0) } }
}
