extension MediaTime {
  /// Returns the sum, in the least common multiple of both timescales.
  ///
  /// If the multiple exceeds 2,147,483,647, that number is the timescale and the value is rounded, halves away from
  /// zero. If the value overflows, the timescale is halved until it fits. The sum is invalid for invalid times,
  /// opposite infinities and different epochs other than 0. Infinities take precedence over indefinite times, and
  /// indefinite times over numbers. The sum of two times of one epoch has epoch 0.
  public static func + (a: MediaTime, b: MediaTime) -> MediaTime { add(a, b, negated: false) }

  /// Returns the difference, by the rules of the sum.
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
    // The fractions have 64-bit numerators and 32-bit denominators: the sum always fits.
    guard let sum = ExactRatio(a).adding(negated ? other.negated : other) else { return .invalid }
    return fitting(
      sum, timescale: commonTimescale(a.timescale, b.timescale), flags: a.flags.union(b.flags),
      epoch: epoch)
  }

  /// 1 for +infinity, -1 for -infinity.
  private var direction: Int { isPositiveInfinity ? 1 : isNegativeInfinity ? -1 : 0 }

  /// Returns the product with a whole number; the timescale stays unless the value overflows.
  ///
  /// Infinity times 0 is invalid.
  public func multiplied(by multiplier: Int32) -> MediaTime {
    multiplied(by: multiplier, dividedBy: 1)
  }

  /// Returns the product with `multiplier / divisor`.
  ///
  /// The result is exact if a 32-bit timescale can represent it. Otherwise it is rounded in the greatest timescale
  /// that is a multiple of this one. Invalid if `divisor` is 0.
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

  /// Returns the product with a floating-point number.
  ///
  /// The timescale is first doubled until it is at least 65,536, so that little precision is lost. Then the value is
  /// rounded, halves away from zero.
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

  /// Returns the product of a time that is not numeric; `nil` for a numeric time.
  private func special(times sign: Int) -> MediaTime? {
    if !isValid { return .invalid }
    if isPositiveInfinity || isNegativeInfinity {
      if sign == 0 { return .invalid }
      return isPositiveInfinity == (sign > 0) ? .positiveInfinity : .negativeInfinity
    }
    if isIndefinite { return .indefinite }
    return timescale > 0 ? nil : .invalid
  }

  /// The absolute value; -infinity becomes +infinity.
  public var absoluteValue: MediaTime {
    if isNegativeInfinity { return .positiveInfinity }
    guard isComputable, value < 0 else { return self }
    return Self.fitting(
      ExactRatio(self).negated, timescale: timescale, flags: flags, epoch: epoch)
  }
}

extension ExactRatio {
  /// Creates the exact value of a number; `nil` if it does not fit into 128 bits.
  init?(_ number: Double) {
    guard number.isFinite, abs(number) < 0x1p100 else { return nil }
    guard number != 0 else {
      self.init(0, 1)
      return
    }
    // The significand as a whole number of 53 bits, and its power of two.
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
