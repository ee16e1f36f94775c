/// An exact ratio of two 32-bit numbers: a time base, a frame rate, a pixel aspect ratio.
///
/// The denominator is never negative. A denominator of 0, and 0/1, mean "not known".
public struct Rational: Hashable, Sendable {
  public var numerator: Int32
  public var denominator: Int32

  public init(_ numerator: Int32, _ denominator: Int32) {
    self.numerator = denominator < 0 ? (numerator == .min ? .max : -numerator) : numerator
    self.denominator = denominator < 0 ? (denominator == .min ? .max : -denominator) : denominator
  }

  /// Not known.
  public static let unknown = Rational(0, 0)
  /// The time base of durations of files.
  package static let nanoseconds = Rational(1, 1_000_000_000)

  /// `true` if the ratio is a positive number.
  public var isPositive: Bool { numerator > 0 && denominator > 0 }

  /// The ratio as a floating-point number.
  ///
  /// 0 if the denominator is 0.
  public var doubleValue: Double {
    denominator == 0 ? 0 : Double(numerator) / Double(denominator)
  }

  /// Numerator and denominator exchanged: the duration of a frame for a frame rate.
  public var inverse: Rational { Rational(denominator, numerator) }

  /// The ratio in lowest terms.
  public var reduced: Rational {
    let a = numerator.magnitude.greatestCommonDivisor(denominator.magnitude)
    guard a > 1, a <= UInt32(Int32.max) else { return self }
    return Rational(numerator / Int32(a), denominator / Int32(a))
  }

  /// Creates the ratio of two 64-bit numbers, in lowest terms.
  ///
  /// If these do not fit into 32 bits, both are halved until they do.
  public init(reducing numerator: Int64, _ denominator: Int64) {
    let a = numerator.magnitude.greatestCommonDivisor(denominator.magnitude)
    var n = a > 1 ? numerator.magnitude / a : numerator.magnitude
    var d = a > 1 ? denominator.magnitude / a : denominator.magnitude
    while n > UInt64(Int32.max) || d > UInt64(Int32.max) {
      n >>= 1
      d >>= 1
    }
    let negative = (numerator < 0) != (denominator < 0)
    self.init(negative ? -Int32(n) : Int32(n), Int32(d))
  }
}

extension Rational: CustomStringConvertible {
  public var description: String { "\(numerator)/\(denominator)" }
}

/// The rounding of a conversion between time bases.
public enum TimeRounding: Sendable {
  case down, up, nearest
}

extension Rational {
  /// Converts a time from this time base into `other`, in 128 bits and with the given rounding.
  ///
  /// `nearest` rounds halves away from zero. Values beyond 64 bits are clamped.
  public func convert(_ value: Int64, to other: Rational, rounding: TimeRounding = .nearest)
    -> Int64
  {
    if self == other { return value }
    let n = Int128(value) * Int128(numerator) * Int128(other.denominator)
    let d = Int128(denominator) * Int128(other.numerator)
    guard d > 0 else { return 0 }
    var (q, r) = n.quotientAndRemainder(dividingBy: d)
    switch rounding {
    case .down: if r < 0 { q -= 1 }
    case .up: if r > 0 { q += 1 }
    case .nearest:
      if r < 0 { r = -r }
      if r * 2 >= d { q += n < 0 ? -1 : 1 }
    }
    return Int64(clamping: q)
  }
}
