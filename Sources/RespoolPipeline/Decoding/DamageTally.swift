package import RespoolMedia

/// Number of damaged packets or frames, and the range of their presentation times.
package struct DamageTally {
  package private(set) var count = 0
  /// First and last known presentation time, in the time base of the track.
  private var times: ClosedRange<Int64>?

  package init() {}

  package mutating func add(at time: Int64?) {
    count += 1
    guard let time else { return }
    times = min(time, times?.lowerBound ?? time)...max(time, times?.upperBound ?? time)
  }

  /// Returns the times in seconds; `nil` if they are unknown.
  package func seconds(in timeBase: Rational) -> ClosedRange<Double>? {
    let unit = timeBase.doubleValue
    return times.map { Double($0.lowerBound) * unit...Double($0.upperBound) * unit }
  }

  /// Returns the times as part of a sentence, or an empty string if they are unknown.
  package func description(in timeBase: Rational) -> String {
    guard let times = seconds(in: timeBase) else { return "" }
    let (first, last) = (times.lowerBound.decimalText, times.upperBound.decimalText)
    return first == last ? ", at \(first) s" : ", from \(first) s to \(last) s"
  }
}
