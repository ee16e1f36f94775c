import Glibc
import Respool
import RespoolMedia

/// Where a drawing or data goes: a file that appears when it is complete, or standard output.
struct OutputFile {
  let path: String
  let replaces: Bool
  /// Tells apart those that are written at the same time.
  var number = 0

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
    guard path != "-" else { return try writeToStandardOutput(bytes) }
    try prepare(bytes)
    try complete()
  }

  private var pending: PendingFile { PendingFile(for: path, number: number) }

  /// Writes the file under its temporary name.
  func prepare(_ bytes: [UInt8]) throws(MediaError) {
    let pending = pending
    try pending.naming { () throws(MediaError) in
      let sink = try FileSink(path: pending.path)
      try sink.write(bytes)
      try sink.finish()
    }
  }

  /// Gives what was prepared its name.
  func complete() throws(MediaError) { try pending.complete(replacing: replaces) }

  /// Removes what was prepared, if anything was.
  func discard() { pending.discard() }

  /// Removes the file itself, which was no other's before.
  func remove() { _ = FileName.withSystemPath(path) { unlink($0) } }

  private func writeToStandardOutput(_ bytes: [UInt8]) throws(MediaError) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw MediaError(
          .io, "standard output cannot be written", cause: String(cString: strerror(errno)))
      }
      done += count
    }
  }
}
