import Glibc

/// Prints one JSON object a line on standard output, for other programs.
public final class JSONReporter: BatchReporter {
  public init() {}

  public func report(_ event: BatchEvent) {
    let line = Array((event.line + "\n").utf8)
    var sent = 0
    while sent < line.count {
      let count = line.withUnsafeBytes { bytes -> Int in
        guard let base = bytes.baseAddress else { return 0 }
        return write(1, base + sent, bytes.count - sent)
      }
      if count < 0 && errno == EINTR { continue }
      // Nobody reads any more: the batch goes on all the same.
      if count <= 0 { return }
      sent += count
    }
  }

  public func tick(_ state: BatchProgress) {}
}
