/// A time as an exact fraction of a second, as Core Media's CMTime behaves.
///
/// `value / timescale` seconds. Infinities and "indefinite" are values of their own; `invalid`, all
/// zeros, is what comes of impossible arithmetic. Comparison and hashing go by the time itself: 1/2
/// equals 2/4.
public struct MediaTime: Sendable {
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let valid = Flags(rawValue: 1)
    /// Something was rounded on the way to this value.
    ///
    /// It passes to all that is computed from it.
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
  /// Units in a second; positive in every numeric time.
  public var timescale: Int32
  public var flags: Flags
  /// Tells apart times of different rounds of a loop; 0 also for durations.
  public var epoch: Int64

  /// A time from its parts as they are.
  public init(value: Int64, timescale: Int32, flags: Flags, epoch: Int64) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
    self.epoch = epoch
  }

  /// The invalid time.
  public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

  /// A numeric time; invalid where `timescale` is not positive.
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
  /// Valid, and neither infinite nor indefinite.
  public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) }
  public var hasBeenRounded: Bool { isValid && flags.contains(.hasBeenRounded) }

  /// Whether arithmetic can be done with `value` and `timescale`.
  package var isComputable: Bool { isNumeric && timescale > 0 }
}

extension MediaTime: CustomStringConvertible {
  /// The value as `value/timescale`, or the name of what it is instead.
  public var description: String {
    if !isValid { return "invalid" }
    if isPositiveInfinity { return "+infinity" }
    if isNegativeInfinity { return "-infinity" }
    if isIndefinite { return "indefinite" }
    return "\(value)/\(timescale)" + (epoch == 0 ? "" : " epoch \(epoch)")
  }
}
