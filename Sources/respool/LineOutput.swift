import Glibc
import Respool

/// Standard output, buffered into large writes.
final class LineOutput {
  private var pending: [UInt8] = []

  func put(_ line: String) {
    pending += line.utf8
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= 1 << 16 { flush() }
  }

  /// Writes the buffer.
  ///
  /// Ends the process if that fails, because further work would be useless.
  func flush() {
    if StandardOutput.write(pending) != 0 { exit(1) }
    pending.removeAll(keepingCapacity: true)
  }

  deinit { flush() }
}
