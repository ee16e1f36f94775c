/// Decoding times for packets that come in another order than their pictures.
///
/// Packet `n` is decoded when picture `n - delay` is shown, which leaves each time to present; the first
/// ones lie as far before the first picture as picture `delay` lies behind it.
struct DecodingTimes {
  private let delay: Int
  private var times: [Int64] = []
  private var given = 0
  private var first: Int64?
  private var shift: Int64 = 0

  init(delay: Int) { self.delay = delay }

  /// Takes the presentation time of the next picture in the order of presentation.
  mutating func enter(_ pts: Int64) {
    if first == nil { first = pts }
    times.append(pts)
    if given == 0, times.count <= delay + 1, let first { shift = pts - first }
  }

  /// The decoding time of the next packet.
  mutating func next() -> Int64 {
    defer { given += 1 }
    guard given >= delay else {
      return (given < times.count ? times[given] : times.last ?? 0) - shift
    }
    return times.isEmpty ? 0 : times.removeFirst()
  }
}
