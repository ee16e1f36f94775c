/// A stretch of time from `start` to just before `end`, as Core Media's CMTimeRange behaves.
public struct TimeRange: Hashable, Sendable {
  public var start: MediaTime
  public var duration: MediaTime

  public init(start: MediaTime, duration: MediaTime) {
    self.start = start
    self.duration = duration
  }

  /// The range from `start` to `end`, which does not belong to it.
  public init(start: MediaTime, end: MediaTime) {
    self.init(start: start, duration: end - start)
  }

  /// The invalid range.
  public init() { self.init(start: .invalid, duration: .invalid) }

  public static let zero = TimeRange(start: .zero, duration: .zero)
  public static let invalid = TimeRange()

  /// The first time after the range: start + duration.
  public var end: MediaTime { start + duration }

  /// Whether both parts are valid and the duration is neither negative nor of an epoch.
  public var isValid: Bool {
    start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero
  }

  /// Valid, with a start or duration that is indefinite.
  public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

  /// Valid, with a duration of zero.
  public var isEmpty: Bool { isValid && duration == .zero }
}

extension TimeRange {
  /// Whether `time` is at or after the start and before the end, in the same epoch.
  public func containsTime(_ time: MediaTime) -> Bool {
    guard isValid, time.isNumeric, shares(time) else { return false }
    return time >= start && time < end
  }

  /// Whether all of `other` lies in this range.
  ///
  /// An empty range lies in another where its start does.
  public func containsTimeRange(_ other: TimeRange) -> Bool {
    guard isValid, other.isValid, shares(other.start) else { return false }
    if other.isEmpty { return containsTime(other.start) }
    return other.start >= start && other.end <= end
  }

  /// The shortest range that holds both; invalid where either is or their epochs differ.
  public func union(_ other: TimeRange) -> TimeRange {
    guard isValid, other.isValid, shares(other.start) else { return .invalid }
    return TimeRange(start: min(start, other.start), end: max(end, other.end))
  }

  /// What both have in common; zero where that is nothing, invalid where either is invalid or their
  /// epochs differ.
  public func intersection(_ other: TimeRange) -> TimeRange {
    guard isValid, other.isValid, shares(other.start) else { return .invalid }
    let (first, last) = (max(start, other.start), min(end, other.end))
    return first < last ? TimeRange(start: first, end: last) : .zero
  }

  private func shares(_ time: MediaTime) -> Bool {
    !start.isNumeric || !time.isNumeric || start.epoch == time.epoch
  }
}
