/// The captions that are shown together for a range of time.
///
/// Empty if nothing is shown.
///
/// Groups of a track follow each other without a gap. A new group begins whenever a caption begins or ends, so a
/// caption may be in several groups.
public struct CaptionGroup: Hashable, Sendable {
  /// In track order.
  public let captions: [Caption]
  public let timeRange: TimeRange

  public init(captions: [Caption], timeRange: TimeRange) {
    (self.captions, self.timeRange) = (captions, timeRange)
  }

  /// Creates a group for a range of time in which nothing is shown.
  public init(timeRange: TimeRange) { self.init(captions: [], timeRange: timeRange) }
}

/// Converts captions that may overlap to groups.
public struct CaptionGrouper: Sendable {
  /// Captions that end after `position`.
  private var captions: [Caption] = []
  /// Start of the next group.
  private var position: MediaTime

  /// Creates a grouper whose first group begins at `start`; captions before it are left out.
  public init(startingAt start: MediaTime = .zero) { position = start }

  /// Limit of captions that are held at a time, because each is in all groups of its duration.
  ///
  /// No viewer reads more.
  private static let mostAtOnce = 256

  /// Adds a caption.
  ///
  /// Captions without a numeric time range or with an end that has passed are ignored. So are captions beyond the 256
  /// that are held.
  public mutating func add(_ caption: Caption) {
    let range = caption.timeRange
    guard range.start.isNumeric, range.duration.isNumeric, range.end > position,
      range.duration > .zero, captions.count < Self.mostAtOnce
    else { return }
    captions.append(caption)
  }

  /// Returns the groups that end at or before `time`; later groups need captions that may still be added.
  public mutating func flushAddedCaptions(upTo time: MediaTime) -> [CaptionGroup] {
    var groups: [CaptionGroup] = []
    while let next = captions.lazy.map(nextChange).min(), next <= time {
      let shown = captions.filter { $0.timeRange.start <= position }
      groups.append(
        CaptionGroup(captions: shown, timeRange: TimeRange(start: position, end: next)))
      position = next
      captions.removeAll { $0.timeRange.end <= next }
    }
    return groups
  }

  /// Returns an empty group for the rest of the time up to `time`; `nil` if captions are held.
  mutating func flushEmptyGroup(upTo time: MediaTime) -> CaptionGroup? {
    guard captions.isEmpty, time.isNumeric, time > position else { return nil }
    defer { position = time }
    return CaptionGroup(timeRange: TimeRange(start: position, end: time))
  }

  /// Returns the start of a caption, or its end if it has begun.
  private func nextChange(of caption: Caption) -> MediaTime {
    let range = caption.timeRange
    return range.start > position ? range.start : range.end
  }
}
