/// Where bins begin and end that share out samples evenly.
struct BinEdges {
  let bins: Int
  let samples: Int64
  /// Ends are multiples of this, but for the last one.
  var unit: Int64 = 1

  /// Where a bin begins, before it is rounded to the unit; 0 to `samples` for 0 to `bins`.
  func edge(_ bin: Int) -> Int64 {
    guard bins > 0 else { return 0 }
    return Int64(clamping: Int128(bin) * Int128(samples) / Int128(bins))
  }

  /// The samples of a bin: at least one of them, or as many as a unit has, where there are any.
  func samples(in bin: Int) -> Range<Int64> {
    let first = edge(bin) / unit * unit
    let last = bin == bins - 1 ? samples : edge(bin + 1) / unit * unit
    return first..<min(samples, max(last, first + unit))
  }
}
