import RespoolMedia

/// A segment of a composition's track: a range of another asset's track, or an empty range.
// Sendable: every stored property is constant and Sendable.
public final class CompositionTrackSegment: AssetTrackSegment, @unchecked Sendable {
  /// The track that the segment shows.
  ///
  /// `nil` for an empty segment.
  public let sourceTrack: AssetTrack?

  /// Creates a segment that shows a range of `track` in `targetTimeRange`.
  ///
  /// `sourceTimeRange` is on the time line of the track's asset. If the durations differ, the media is played
  /// slower or faster.
  public init(
    track: AssetTrack, sourceTimeRange: TimeRange, targetTimeRange: TimeRange
  ) {
    sourceTrack = track
    super.init(timeMapping: TimeMapping(source: sourceTimeRange, target: targetTimeRange))
  }

  /// Creates an empty segment.
  public init(timeRange: TimeRange) {
    sourceTrack = nil
    super.init(timeMapping: TimeMapping(source: .invalid, target: timeRange))
  }

  public override var isEmpty: Bool { sourceTrack == nil }
  /// The path of the file that the media comes from.
  ///
  /// `nil` for an empty segment.
  public var sourcePath: String? { sourceTrack?.asset?.path }
  public var sourceTrackID: Int64? { sourceTrack?.trackID }

  var target: TimeRange { timeMapping.target }

  /// Returns a segment that shows the same media in another target range.
  func placed(at target: TimeRange) -> CompositionTrackSegment {
    guard let sourceTrack else { return CompositionTrackSegment(timeRange: target) }
    return CompositionTrackSegment(
      track: sourceTrack, sourceTimeRange: timeMapping.source, targetTimeRange: target)
  }

  /// Returns the part of the segment within `part`, which lies in `target`.
  func cut(to part: TimeRange) -> CompositionTrackSegment {
    guard let sourceTrack else { return CompositionTrackSegment(timeRange: part) }
    let start = part.start.mapped(from: target, to: timeMapping.source)
    let end = part.end.mapped(from: target, to: timeMapping.source)
    return CompositionTrackSegment(
      track: sourceTrack, sourceTimeRange: TimeRange(start: start, end: end),
      targetTimeRange: part)
  }
}
