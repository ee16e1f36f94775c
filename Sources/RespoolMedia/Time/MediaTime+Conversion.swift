extension MediaTime {
  /// What becomes of the part of a unit when a time goes into another timescale.
  public enum RoundingMethod: UInt32, Hashable, Sendable, CaseIterable {
    /// To the nearest; the default.
    case roundHalfAwayFromZero = 1
    case roundTowardZero = 2
    case roundAwayFromZero = 3
    /// Towards zero into a smaller timescale, away from zero into a greater one, but never from a
    /// negative time to 0.
    case quickTime = 4
    case roundTowardPositiveInfinity = 5
    case roundTowardNegativeInfinity = 6

    public static let `default` = RoundingMethod.roundHalfAwayFromZero
  }

  /// The same time in units of 1/`timescale` seconds.
  ///
  /// `hasBeenRounded` is set where it does not come out even. A value beyond 64 bits becomes infinite, a
  /// timescale that is not positive makes it invalid; what is no number stays as it is.
  public func convertScale(_ timescale: Int32, method: RoundingMethod) -> MediaTime {
    guard isNumeric else { return self }
    guard timescale > 0, self.timescale > 0 else { return .invalid }
    if timescale == self.timescale { return self }
    let ratio = ExactRatio(self)
    var actual = method
    if method == .quickTime {
      actual = timescale > self.timescale ? .roundAwayFromZero : .roundTowardZero
    }
    guard let (units, rounded) = ratio.units(timescale, actual) else {
      return self.value < 0 ? .negativeInfinity : .positiveInfinity
    }
    let value = method == .quickTime && units == 0 && self.value < 0 ? -1 : units
    var flags = flags
    if rounded { flags.insert(.hasBeenRounded) }
    return MediaTime(value: value, timescale: timescale, flags: flags, epoch: epoch)
  }

  /// A time of so many seconds, to the nearest 1/`preferredTimescale` (halves away from zero).
  ///
  /// `hasBeenRounded` is set where `seconds` of the result is another number (CMTimeMakeWithSeconds): 0.1 is 1/10.
  /// The timescale is halved until the value fits into 64 bits. NaN and timescales that are not positive give an
  /// invalid time.
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
      // Nearer to zero than 2 to the power of -47: no timescale tells that from it.
      self.init(
        value: 0, timescale: preferredTimescale, flags: [.valid, .hasBeenRounded], epoch: 0)
    }
  }

  /// Seconds as a floating point number; NaN for what is invalid or indefinite.
  public var seconds: Double {
    if isPositiveInfinity { return .infinity }
    if isNegativeInfinity { return -.infinity }
    return isComputable ? Double(value) / Double(timescale) : .nan
  }
}
