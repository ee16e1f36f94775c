extension MediaTime {
  /// The rounding of a time that is not a whole number of units of another timescale.
  public enum RoundingMethod: UInt32, Hashable, Sendable, CaseIterable {
    /// To the nearest unit, halves away from zero. The default.
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Toward zero if the timescale becomes smaller, away from zero if it becomes greater. A negative time never
    /// becomes 0.
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    public static let `default` = RoundingMethod.roundHalfAwayFromZero
  }

  /// Returns the time in units of 1/`timescale` seconds.
  ///
  /// `hasBeenRounded` is set if the value was rounded. A value beyond 64 bits becomes infinite. The result is invalid
  /// if `timescale` is not positive. A time that is not numeric is returned unchanged.
  public func convertScale(_ timescale: Int32, method: RoundingMethod) -> MediaTime {
    guard isNumeric else { return self }
    guard timescale > 0, self.timescale > 0 else { return .invalid }
    if timescale == self.timescale { return self }
    let converted = ExactRatio(self).units(timescale) { isNegative, isHalfOrMore in
      switch method {
      case .roundHalfAwayFromZero: isHalfOrMore
      case .roundTowardZero: false
      case .roundAwayFromZero: true
      case .quickTime: timescale > self.timescale
      case .roundTowardPositiveInfinity: !isNegative
      case .roundTowardNegativeInfinity: isNegative
      }
    }
    guard let (units, rounded) = converted else {
      return self.value < 0 ? .negativeInfinity : .positiveInfinity
    }
    let value = method == .quickTime && units == 0 && self.value < 0 ? -1 : units
    var flags = flags
    if rounded { flags.insert(.hasBeenRounded) }
    return MediaTime(value: value, timescale: timescale, flags: flags, epoch: epoch)
  }

  /// Creates a time from seconds, rounded to the nearest 1/`preferredTimescale` (halves away from zero).
  ///
  /// `hasBeenRounded` is set if `seconds` of the result is a different number, as with CMTimeMakeWithSeconds: 0.1 as
  /// 1/10 does not count as rounded. The timescale is halved until the value fits into 64 bits. NaN and timescales
  /// that are not positive result in an invalid time.
  public init(seconds: Double, preferredTimescale: Int32) {
    guard !seconds.isNaN, preferredTimescale > 0 else {
      self.init()
      return
    }
    guard abs(seconds) < 0x1p64 else {
      self = seconds < 0 ? .negativeInfinity : .positiveInfinity
      return
    }
    if let ratio = ExactRatio(seconds) {
      self = Self.fitting(ratio, timescale: preferredTimescale, flags: .valid, epoch: 0)
      if isNumeric, self.seconds == seconds { flags.remove(.hasBeenRounded) }
    } else {
      // The value is nearer to zero than 2 to the power of -47, so it is 0 in every timescale.
      self.init(
        value: 0, timescale: preferredTimescale, flags: [.valid, .hasBeenRounded], epoch: 0)
    }
  }

  /// Seconds as a floating-point number.
  ///
  /// NaN for invalid and indefinite times.
  public var seconds: Double {
    if isPositiveInfinity { return .infinity }
    if isNegativeInfinity { return -.infinity }
    return isComputable ? Double(value) / Double(timescale) : .nan
  }
}
