import Glibc

/// Standard output, gathered into large writes.
final class LineOutput {
  private var pending: [UInt8] = []

  func put(_ line: String) {
    pending += line.utf8
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= 1 << 16 { flush() }
  }

  func flush() {
    var sent = 0
    while sent < pending.count {
      let count = pending.withUnsafeBytes { bytes -> Int in
        guard let base = bytes.baseAddress else { return 0 }
        return write(1, base + sent, bytes.count - sent)
      }
      if count < 0 && errno == EINTR { continue }
      // Nobody reads any more: there is no one to tell.
      if count <= 0 { break }
      sent += count
    }
    pending.removeAll(keepingCapacity: true)
  }

  deinit { flush() }
}
