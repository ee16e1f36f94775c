extension MediaTime {
  /// The sum, in the least common multiple of both timescales.
  ///
  /// Where that is more than 2,147,483,647, that is the timescale and the value is rounded, halves away
  /// from zero. Where the value overflows, the timescale is halved until it does not. Invalid times,
  /// opposite infinities and different epochs other than 0 make the sum invalid; infinities win over
  /// indefinite times, those over numbers. Two times of one epoch add to epoch 0.
  public static func + (a: MediaTime, b: MediaTime) -> MediaTime { add(a, b, negated: false) }

  /// The difference, by the rules of the sum.
  public static func - (a: MediaTime, b: MediaTime) -> MediaTime { add(a, b, negated: true) }

  public static func += (a: inout MediaTime, b: MediaTime) { a = a + b }
  public static func -= (a: inout MediaTime, b: MediaTime) { a = a - b }

  private static func add(_ a: MediaTime, _ b: MediaTime, negated: Bool) -> MediaTime {
    guard a.isValid, b.isValid else { return .invalid }
    let directions = [a.direction, negated ? -b.direction : b.direction]
    if directions.contains(1) {
      return directions.contains(-1) ? .invalid : .positiveInfinity
    }
    if directions.contains(-1) { return .negativeInfinity }
    if a.isIndefinite || b.isIndefinite { return .indefinite }
    guard a.isComputable, b.isComputable else { return .invalid }
    let epoch: Int64
    if a.epoch == b.epoch {
      epoch = 0
    } else if a.epoch == 0 || b.epoch == 0 {
      epoch = a.epoch == 0 ? b.epoch : a.epoch
    } else {
      return .invalid
    }
    let other = ExactRatio(b)
    // Two fractions of 64 over 32 bits: the sum always fits.
    guard let sum = ExactRatio(a).adding(negated ? other.negated : other) else { return .invalid }
    return fitting(
      sum, timescale: commonTimescale(a.timescale, b.timescale), flags: a.flags.union(b.flags),
      epoch: epoch)
  }

  /// 1 for +infinity, -1 for -infinity.
  private var direction: Int { isPositiveInfinity ? 1 : isNegativeInfinity ? -1 : 0 }

  /// The product with a whole number; the timescale stays unless the value overflows.
  ///
  /// An infinity times 0 is invalid.
  public func multiplied(by multiplier: Int32) -> MediaTime {
    multiplied(by: multiplier, dividedBy: 1)
  }

  /// The product with `multiplier / divisor`.
  ///
  /// Exact where a timescale within 32 bits can hold it, else rounded in the greatest one that is a
  /// multiple of this one. Invalid where `divisor` is 0.
  public func multiplied(by multiplier: Int32, dividedBy divisor: Int32) -> MediaTime {
    guard divisor != 0 else { return .invalid }
    let sign = Int(multiplier.signum()) * Int(divisor.signum())
    if let special = special(times: sign) { return special }
    let factor = ExactRatio(Int128(multiplier), Int128(divisor))
    guard let product = ExactRatio(self).multiplied(by: factor) else { return .invalid }
    let needed = Self.commonTimescale(timescale, Int32(clamping: product.denominator))
    let isExact = Int128(needed) % product.denominator == 0
    let greatest = Int32.max / timescale * timescale
    return Self.fitting(
      product, timescale: isExact ? needed : greatest, flags: flags, epoch: epoch)
  }

  /// The product with a floating point number.
  ///
  /// The timescale is first doubled until it is at least 65,536, so that little is lost; then the value
  /// is rounded, halves away from zero.
  public func scaled(by multiplier: Double) -> MediaTime {
    if multiplier.isNaN { return .invalid }
    if let special = special(times: multiplier == 0 ? 0 : multiplier < 0 ? -1 : 1) {
      return special
    }
    if multiplier.isInfinite {
      if value == 0 { return .invalid }
      return (value < 0) == (multiplier < 0) ? .positiveInfinity : .negativeInfinity
    }
    var scale = timescale
    while scale < 65536 { scale *= 2 }
    if let factor = ExactRatio(multiplier), let product = ExactRatio(self).multiplied(by: factor) {
      return Self.fitting(product, timescale: scale, flags: flags, epoch: epoch)
    }
    var result = MediaTime(seconds: seconds * multiplier, preferredTimescale: scale)
    if result.isNumeric {
      result.epoch = epoch
      result.flags.insert(.hasBeenRounded)
    }
    return result
  }

  /// What a time that is no number becomes when it is multiplied; nil for a number.
  private func special(times sign: Int) -> MediaTime? {
    if !isValid { return .invalid }
    if isPositiveInfinity || isNegativeInfinity {
      if sign == 0 { return .invalid }
      return isPositiveInfinity == (sign > 0) ? .positiveInfinity : .negativeInfinity
    }
    if isIndefinite { return .indefinite }
    return timescale > 0 ? nil : .invalid
  }

  /// The distance from zero; -infinity becomes +infinity.
  public var absoluteValue: MediaTime {
    if isNegativeInfinity { return .positiveInfinity }
    guard isComputable, value < 0 else { return self }
    return Self.fitting(
      ExactRatio(self).negated, timescale: timescale, flags: flags, epoch: epoch)
  }
}

extension ExactRatio {
  /// The exact value of a number, or nil where 128 bits do not hold it.
  init?(_ number: Double) {
    guard number.isFinite, abs(number) < 0x1p100 else { return nil }
    guard number != 0 else {
      self.init(0, 1)
      return
    }
    // A significand of 53 bits, whole, and the power of two that goes with it.
    let exponent = Int(number.exponent) - 52
    let whole = number.significand * 0x1p52
    let mantissa = Int128(number < 0 ? -whole : whole)
    if exponent >= 0 {
      self.init(mantissa << Int128(exponent), 1)
    } else {
      let zeros = min(mantissa.trailingZeroBitCount, -exponent)
      guard -exponent - zeros < 100 else { return nil }
      self.init(mantissa >> Int128(zeros), 1 << Int128(-exponent - zeros))
    }
  }
}
