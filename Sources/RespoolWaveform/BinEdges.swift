/// Edges of bins that divide the audio samples evenly.
struct BinEdges {
  let bins: Int
  let samples: Int64
  /// Edges are multiples of this number, except the last one.
  var unit: Int64 = 1

  /// Returns the first audio sample of a bin before rounding to the unit; 0 to `samples` for 0 to `bins`.
  func edge(_ bin: Int) -> Int64 {
    guard bins > 0 else { return 0 }
    return Int64(clamping: Int128(bin) * Int128(samples) / Int128(bins))
  }

  /// Returns the audio samples of a bin: at least `unit` of them, if there are that many left.
  func samples(in bin: Int) -> Range<Int64> {
    let first = edge(bin) / unit * unit
    let last = bin == bins - 1 ? samples : edge(bin + 1) / unit * unit
    return first..<min(samples, max(last, first + unit))
  }
}
