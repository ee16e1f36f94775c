extension Rational {
  /// Largest number of units in a second that a time base made from times has.
  private static let mostUnits: Int64 = 1_000_000

  /// A unit in which all the times are whole numbers.
  ///
  /// Times that are zero or not numeric say nothing about the unit and are left out. `nil` if no time is left,
  /// or if the common unit is below a microsecond.
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
  /// Least common multiple of two positive numbers below 2^31.
  package func leastCommonMultiple(_ other: Int64) -> Int64 {
    self / greatestCommonDivisor(other) * other
  }
}
