/// A range of time from `start` up to but not including `end`, with the behavior of Core Media's CMTimeRange.
public struct TimeRange: Hashable, Sendable {
  public var start: MediaTime
  public var duration: MediaTime

  public init(start: MediaTime, duration: MediaTime) {
    self.start = start
    self.duration = duration
  }

  /// Creates the range from `start` up to but not including `end`.
  public init(start: MediaTime, end: MediaTime) {
    self.init(start: start, duration: end - start)
  }

  /// Creates the invalid range.
  public init() { self.init(start: .invalid, duration: .invalid) }

  public static let zero = TimeRange(start: .zero, duration: .zero)
  public static let invalid = TimeRange()

  /// The first time after the range: start + duration.
  public var end: MediaTime { start + duration }

  /// `true` if start and duration are valid and the duration is not negative and has epoch 0.
  public var isValid: Bool {
    start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero
  }

  /// `true` if the range is valid and its start or duration is indefinite.
  public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

  /// `true` if the range is valid and its duration is zero.
  public var isEmpty: Bool { isValid && duration == .zero }
}

extension TimeRange {
  /// Returns `true` if `time` is at or after the start and before the end, in the same epoch.
  public func containsTime(_ time: MediaTime) -> Bool {
    guard isValid, time.isNumeric, shares(time) else { return false }
    return time >= start && time < end
  }

  /// Returns `true` if all of `other` is in this range.
  ///
  /// An empty range is in another range if its start is.
  public func containsTimeRange(_ other: TimeRange) -> Bool {
    guard isValid, other.isValid, shares(other.start) else { return false }
    if other.isEmpty { return containsTime(other.start) }
    return other.start >= start && other.end <= end
  }

  /// Returns the shortest range that contains both; invalid if either is invalid or if their epochs differ.
  public func union(_ other: TimeRange) -> TimeRange {
    guard isValid, other.isValid, shares(other.start) else { return .invalid }
    return TimeRange(start: min(start, other.start), end: max(end, other.end))
  }

  /// Returns the range that both have in common; zero if they do not overlap.
  ///
  /// Invalid if either is invalid or if their epochs differ.
  public func intersection(_ other: TimeRange) -> TimeRange {
    guard isValid, other.isValid, shares(other.start) else { return .invalid }
    let (first, last) = (max(start, other.start), min(end, other.end))
    return first < last ? TimeRange(start: first, end: last) : .zero
  }

  private func shares(_ time: MediaTime) -> Bool {
    !start.isNumeric || !time.isNumeric || start.epoch == time.epoch
  }
}
