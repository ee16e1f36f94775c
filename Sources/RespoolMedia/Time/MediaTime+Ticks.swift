extension MediaTime {
  /// Creates a time from a number of units of a time base; invalid for `nil`, overflow and invalid time bases.
  package init(_ value: Int64?, _ base: Rational) {
    guard let value, base.isPositive else {
      self = .invalid
      return
    }
    if base.numerator == 1 {
      self.init(value: value, timescale: base.denominator)
    } else {
      let (product, overflow) = value.multipliedReportingOverflow(by: Int64(base.numerator))
      self = overflow ? .invalid : MediaTime(value: product, timescale: base.denominator)
    }
  }

  /// Returns the time in units of `base`; `nil` if it is not numeric.
  package func ticks(_ base: Rational, rounding: TimeRounding = .nearest) -> Int64? {
    guard isNumeric, timescale > 0 else { return nil }
    return Rational(1, timescale).convert(value, to: base, rounding: rounding)
  }
}
