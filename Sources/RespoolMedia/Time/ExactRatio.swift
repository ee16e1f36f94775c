/// A fraction in lowest terms, in 128 bits, for intermediate results of time arithmetic.
package struct ExactRatio: Equatable {
  package private(set) var numerator: Int128
  /// Positive.
  package private(set) var denominator: Int128

  /// Creates a fraction in lowest terms; `denominator` must not be 0.
  init(_ numerator: Int128, _ denominator: Int128) {
    let divisor = Self.divisor(numerator, denominator)
    let sign: Int128 = denominator < 0 ? -1 : 1
    self.numerator = numerator / divisor * sign
    self.denominator = denominator / divisor * sign
  }

  /// Creates the ratio of a numeric time, in seconds.
  init(_ time: MediaTime) { self.init(Int128(time.value), Int128(time.timescale)) }

  /// Returns the greatest common divisor, at least 1.
  package static func divisor(_ a: Int128, _ b: Int128) -> Int128 {
    max(abs(a).greatestCommonDivisor(abs(b)), 1)
  }

  /// Returns the product; `nil` if it does not fit into 128 bits.
  package func multiplied(by other: ExactRatio) -> ExactRatio? {
    // Reduces across the fractions first, so that as much as possible fits.
    let a = ExactRatio(numerator, other.denominator)
    let b = ExactRatio(other.numerator, denominator)
    let (n, overflow) = a.numerator.multipliedReportingOverflow(by: b.numerator)
    let (d, overflows) = a.denominator.multipliedReportingOverflow(by: b.denominator)
    return overflow || overflows ? nil : ExactRatio(n, d)
  }

  /// Returns the sum; `nil` if it does not fit into 128 bits.
  func adding(_ other: ExactRatio) -> ExactRatio? {
    let common = Self.divisor(denominator, other.denominator)
    let (a, first) = numerator.multipliedReportingOverflow(by: other.denominator / common)
    let (b, second) = other.numerator.multipliedReportingOverflow(by: denominator / common)
    let (n, third) = a.addingReportingOverflow(b)
    let (d, fourth) = denominator.multipliedReportingOverflow(by: other.denominator / common)
    return first || second || third || fourth ? nil : ExactRatio(n, d)
  }

  var negated: ExactRatio { ExactRatio(-numerator, denominator) }
  /// The reciprocal.
  ///
  /// The ratio must not be 0.
  package var inverse: ExactRatio { ExactRatio(denominator, numerator) }

  /// Returns the ratio in units of 1/`timescale`, and `true` if it was rounded; `nil` if it does not fit.
  ///
  /// A ratio between two units is rounded away from zero if `roundsAway` returns `true`, else toward zero.
  package func units(
    _ timescale: Int32, roundsAway: (_ isNegative: Bool, _ isHalfOrMore: Bool) -> Bool
  ) -> (Int64, rounded: Bool)? {
    // Whole seconds and the rest are converted separately, so that products stay small.
    let (seconds, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: Int128(timescale))
    let (part, overflows) = rest.multipliedReportingOverflow(by: Int128(timescale))
    guard !overflow, !overflows else { return nil }
    let (q, r) = part.quotientAndRemainder(dividingBy: denominator)
    let isNegative = numerator < 0
    let isAway = r != 0 && roundsAway(isNegative, abs(r) >= denominator - abs(r))
    let result = whole + q + (isAway ? (isNegative ? -1 : 1) : 0)
    guard let value = Int64(exactly: result) else { return nil }
    return (value, r != 0)
  }
}

extension MediaTime {
  /// Returns the numeric time nearest to `ratio` in units of 1/`timescale` (halves away from zero).
  ///
  /// If the value does not fit into 64 bits, the timescale is halved until it does. If it does not fit in whole
  /// seconds either, the result is infinite.
  package static func fitting(_ ratio: ExactRatio, timescale: Int32, flags: Flags, epoch: Int64)
    -> MediaTime
  {
    var timescale = timescale
    while timescale > 0 {
      if let (value, rounded) = ratio.units(timescale, roundsAway: { $1 }) {
        return MediaTime(
          value: value, timescale: timescale,
          flags: rounded ? flags.union(.hasBeenRounded) : flags, epoch: epoch)
      }
      timescale /= 2
    }
    return ratio.numerator < 0 ? .negativeInfinity : .positiveInfinity
  }

  /// Returns the least common multiple, or the greatest timescale if that is smaller.
  static func commonTimescale(_ a: Int32, _ b: Int32) -> Int32 {
    let multiple = Int128(a) / ExactRatio.divisor(Int128(a), Int128(b)) * Int128(b)
    return Int32(clamping: multiple)
  }
}
