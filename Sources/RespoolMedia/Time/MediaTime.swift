/// A time as an exact fraction of a second, with the behavior of Core Media's CMTime.
///
/// The time is `value / timescale` seconds. Infinities and `indefinite` are separate values. Impossible arithmetic
/// results in `invalid`, which is all zeros. Comparison and hashing use the time itself: 1/2 equals 2/4.
public struct MediaTime: Sendable {
  /// Properties of a time; raw values are those of CMTimeFlags.
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let valid = Flags(rawValue: 1)
    /// The value or a value it was computed from was rounded.
    public static let hasBeenRounded = Flags(rawValue: 2)
    public static let positiveInfinity = Flags(rawValue: 4)
    public static let negativeInfinity = Flags(rawValue: 8)
    public static let indefinite = Flags(rawValue: 16)
    public static let impliedValueFlagsMask: Flags = [
      .positiveInfinity, .negativeInfinity, .indefinite,
    ]
  }

  /// Units of 1/`timescale` seconds.
  public var value: Int64
  /// Units per second.
  ///
  /// Positive in every numeric time.
  public var timescale: Int32
  public var flags: Flags
  /// Distinguishes times of different iterations of a loop.
  ///
  /// 0 for durations.
  public var epoch: Int64

  /// Creates a time from its parts without checks.
  public init(value: Int64, timescale: Int32, flags: Flags, epoch: Int64) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
    self.epoch = epoch
  }

  /// Creates the invalid time.
  public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

  /// Creates a numeric time; invalid if `timescale` is not positive.
  public init(value: Int64, timescale: Int32) {
    guard timescale > 0 else {
      self.init()
      return
    }
    self.init(value: value, timescale: timescale, flags: .valid, epoch: 0)
  }

  public static let zero = MediaTime(value: 0, timescale: 1)
  public static let invalid = MediaTime()
  public static let indefinite = MediaTime(
    value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
  public static let positiveInfinity = MediaTime(
    value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
  public static let negativeInfinity = MediaTime(
    value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)

  public var isValid: Bool { flags.contains(.valid) }
  public var isPositiveInfinity: Bool { flags.isSuperset(of: [.valid, .positiveInfinity]) }
  public var isNegativeInfinity: Bool { flags.isSuperset(of: [.valid, .negativeInfinity]) }
  public var isIndefinite: Bool { flags.isSuperset(of: [.valid, .indefinite]) }
  /// `true` if the time is valid and neither infinite nor indefinite.
  public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) }
  public var hasBeenRounded: Bool { isValid && flags.contains(.hasBeenRounded) }

  /// `true` if `value` and `timescale` can be used for arithmetic.
  package var isComputable: Bool { isNumeric && timescale > 0 }
}

extension MediaTime: CustomStringConvertible {
  /// Text of the form `value/timescale`, or the name of the kind of a time that is not numeric.
  public var description: String {
    if !isValid { return "invalid" }
    if isPositiveInfinity { return "+infinity" }
    if isNegativeInfinity { return "-infinity" }
    if isIndefinite { return "indefinite" }
    return "\(value)/\(timescale)" + (epoch == 0 ? "" : " epoch \(epoch)")
  }
}
