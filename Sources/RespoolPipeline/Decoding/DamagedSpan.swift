import RespoolMedia

/// How many packets or frames are damaged, and from when to when.
struct DamagedSpan {
  private(set) var count = 0
  /// The first and the last presentation time that is known, in the time base of the track.
  private var times: ClosedRange<Int64>?

  mutating func add(_ time: Int64?) {
    count += 1
    guard let time else { return }
    times = min(time, times?.lowerBound ?? time)...max(time, times?.upperBound ?? time)
  }

  /// The times as part of a sentence; empty if unknown.
  func words(_ timeBase: Rational) -> String {
    guard let times else { return "" }
    func text(_ time: Int64) -> String { (Double(time) * timeBase.doubleValue).decimalText }
    let (first, last) = (text(times.lowerBound), text(times.upperBound))
    return first == last ? ", at \(first) s" : ", from \(first) s to \(last) s"
  }
}
