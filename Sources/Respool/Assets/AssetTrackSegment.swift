/// Mapping of a range of media to a range of a time line.
public struct TimeMapping: Hashable, Sendable {
  /// Range in the media.
  ///
  /// Invalid for an empty segment.
  public var source: TimeRange
  public var target: TimeRange

  public init(source: TimeRange, target: TimeRange) {
    self.source = source
    self.target = target
  }
}

/// A part of a track's time line.
// Sendable: every stored property is constant and Sendable.
public class AssetTrackSegment: @unchecked Sendable {
  public let timeMapping: TimeMapping

  init(timeMapping: TimeMapping) { self.timeMapping = timeMapping }

  /// `true` if the segment has no media: nothing is shown or heard.
  public var isEmpty: Bool { !timeMapping.source.isValid }
}

extension Sequence where Element: AssetTrackSegment {
  /// Returns the segment that contains a time of the track, or `nil`.
  func holding(_ time: MediaTime) -> Element? { first { $0.timeMapping.target.containsTime(time) } }

  /// Returns the segment that contains a time of the track, or else the closest; `nil` for a time that is not
  /// numeric.
  func closest(to time: MediaTime) -> Element? {
    guard time.isNumeric else { return nil }
    return holding(time) ?? self.min { $0.distance(to: time) < $1.distance(to: time) }
  }
}

extension AssetTrackSegment {
  /// Returns the distance to a time of the track that is outside the segment.
  fileprivate func distance(to time: MediaTime) -> MediaTime {
    let target = timeMapping.target
    return time < target.start ? target.start - time : time - target.end
  }
}
