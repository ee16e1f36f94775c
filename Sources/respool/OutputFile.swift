import Glibc
import Respool
import RespoolMedia

/// Output of a drawing or data: a file that appears when it is complete, or standard output.
struct OutputFile {
  let path: String
  let replaces: Bool
  private let pending: PendingFile

  init(path: String, replaces: Bool) {
    self.init(PendingFile(for: path), replaces: replaces)
  }

  /// Creates an output that is one of a set.
  init(_ pending: PendingFile, replaces: Bool) {
    (path, self.replaces, self.pending) = (pending.target, replaces, pending)
  }

  /// Checks that the file may be written.
  ///
  /// Throws `invalidArgument` if it is one of the inputs, or if it exists and may not or cannot be
  /// replaced.
  func check(reading inputs: [String]) throws(MediaError) {
    guard path != "-" else { return }
    let inputs = Set(inputs.compactMap { FileIdentity($0) })
    if let obstacle = PendingFile.obstacle(at: path, inputs: inputs) {
      throw MediaError(.invalidArgument, obstacle, file: path)
    }
    if !replaces, fileExists(path) {
      var error = MediaError(
        .invalidArgument, "already exists; --replace overwrites it", file: path)
      error.detail = .fileAlreadyExists
      throw error
    }
  }

  func write(_ bytes: [UInt8]) throws(MediaError) {
    guard path != "-" else {
      // A failure is reported at the end of the process, as in every command.
      StandardOutput.write(bytes)
      return
    }
    let lock = try prepare(bytes)
    try complete()
    withExtendedLifetime(lock) {}
  }

  /// Writes the file under its temporary name.
  ///
  /// The returned lock shows other processes that the file is in use.
  @discardableResult
  func prepare(_ bytes: [UInt8]) throws(MediaError) -> OpenFile? {
    try pending.naming { () throws(MediaError) in
      let sink = try FileSink(path: pending.path)
      try sink.write(bytes)
      try sink.finish()
      return sink.lock
    }
  }

  /// Gives the prepared file its final name.
  func complete() throws(MediaError) { try pending.complete(replacing: replaces) }

  /// Removes the prepared file, if there is one.
  func discard() { pending.discard() }

  /// Removes the output file, which did not exist before.
  func remove() { removeFile(path) }
}
