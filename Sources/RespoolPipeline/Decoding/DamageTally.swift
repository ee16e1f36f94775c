import RespoolMedia

/// Number of damaged packets or frames, and the range of their presentation times.
struct DamageTally {
  private(set) var count = 0
  /// First and last known presentation time, in the time base of the track.
  private var times: ClosedRange<Int64>?

  mutating func add(at time: Int64?) {
    count += 1
    guard let time else { return }
    times = min(time, times?.lowerBound ?? time)...max(time, times?.upperBound ?? time)
  }

  /// Returns the times as part of a sentence, or an empty string if they are unknown.
  func description(in timeBase: Rational) -> String {
    guard let times else { return "" }
    func text(_ time: Int64) -> String { (Double(time) * timeBase.doubleValue).decimalText }
    let (first, last) = (text(times.lowerBound), text(times.upperBound))
    return first == last ? ", at \(first) s" : ", from \(first) s to \(last) s"
  }
}
