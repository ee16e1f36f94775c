import Glibc
import Respool

/// Standard output, gathered into large writes.
final class LineOutput {
  private var pending: [UInt8] = []

  func put(_ line: String) {
    pending += line.utf8
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= 1 << 16 { flush() }
  }

  /// Ends the process if the output cannot be written: the rest of the work would be for nothing.
  func flush() {
    if StandardOutput.write(pending) != 0 { exit(1) }
    pending.removeAll(keepingCapacity: true)
  }

  deinit { flush() }
}
