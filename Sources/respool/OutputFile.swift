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
    let pending = PendingFile(for: path, number: number)
    let sink = try FileSink(path: pending.path)
    try sink.write(bytes)
    try sink.finish()
    try pending.complete(replacing: replaces)
  }

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
