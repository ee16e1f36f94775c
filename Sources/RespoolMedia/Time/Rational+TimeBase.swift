extension Rational {
  /// Largest number of units per second of a time base that is computed from times.
  private static let mostUnits: Int64 = 1_000_000

  /// Creates a time base in which all the times are whole numbers.
  ///
  /// Times that are zero or not numeric are ignored. `nil` if no other times are left, or if the common unit is
  /// shorter than a microsecond.
  package init?(exactFor times: [MediaTime]) {
    var common: Int64 = 1
    var isKnown = false
    for time in times where time.isNumeric && time.value != 0 && time.timescale > 0 {
      common = common.leastCommonMultiple(Int64(time.timescale))
      guard common <= Self.mostUnits else { return nil }
      isKnown = true
    }
    guard isKnown else { return nil }
    self.init(1, Int32(common))
  }
}

extension Int64 {
  /// Returns the least common multiple of two positive numbers below 2^31.
  package func leastCommonMultiple(_ other: Int64) -> Int64 {
    self / greatestCommonDivisor(other) * other
  }
}
