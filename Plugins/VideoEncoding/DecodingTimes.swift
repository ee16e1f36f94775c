/// A generator of decoding times for packets with reordered frames.
///
/// Packet `n` gets the presentation time of frame `n - delay`. The first ones get times as far before the
/// first frame as frame `delay` is after it.
package struct DecodingTimes {
  private let delay: Int
  private var times: [Int64] = []
  private var returnedCount = 0
  private var first: Int64?
  private var shift: Int64 = 0

  package init(delay: Int) { self.delay = delay }

  /// Adds the presentation time of the next frame in presentation order.
  package mutating func add(_ pts: Int64) {
    if first == nil { first = pts }
    times.append(pts)
    if returnedCount == 0, times.count <= delay + 1, let first { shift = pts - first }
  }

  /// Returns the decoding time of the next packet.
  package mutating func next() -> Int64 {
    defer { returnedCount += 1 }
    guard returnedCount >= delay else {
      return (returnedCount < times.count ? times[returnedCount] : times.last ?? 0) - shift
    }
    return times.isEmpty ? 0 : times.removeFirst()
  }
}
