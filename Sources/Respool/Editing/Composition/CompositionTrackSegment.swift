import RespoolMedia

/// A part of a composition's track: a piece of another asset's track, or nothing for a while.
public final class CompositionTrackSegment: AssetTrackSegment, @unchecked Sendable {
  /// What is shown; nil where nothing is.
  public let sourceTrack: AssetTrack?

  /// A piece of `track`, `sourceTimeRange` of its asset's time line, shown in `targetTimeRange`.
  ///
  /// Where their durations differ it is played slower or faster.
  public init(
    track: AssetTrack, sourceTimeRange: TimeRange, targetTimeRange: TimeRange
  ) {
    sourceTrack = track
    super.init(timeMapping: TimeMapping(source: sourceTimeRange, target: targetTimeRange))
  }

  /// Nothing for a while.
  public init(timeRange: TimeRange) {
    sourceTrack = nil
    super.init(timeMapping: TimeMapping(source: .invalid, target: timeRange))
  }

  public override var isEmpty: Bool { sourceTrack == nil }
  /// The file that the media comes from; nil for an empty segment.
  public var sourcePath: String? { sourceTrack?.asset?.path }
  public var sourceTrackID: Int64? { sourceTrack?.trackID }

  var target: TimeRange { timeMapping.target }

  /// The same media at another place.
  func placed(at target: TimeRange) -> CompositionTrackSegment {
    guard let sourceTrack else { return CompositionTrackSegment(timeRange: target) }
    return CompositionTrackSegment(
      track: sourceTrack, sourceTimeRange: timeMapping.source, targetTimeRange: target)
  }

  /// The part that is shown within `part`, which lies in `target`.
  func cut(to part: TimeRange) -> CompositionTrackSegment {
    guard let sourceTrack else { return CompositionTrackSegment(timeRange: part) }
    let start = part.start.mapped(from: target, to: timeMapping.source)
    let end = part.end.mapped(from: target, to: timeMapping.source)
    return CompositionTrackSegment(
      track: sourceTrack, sourceTimeRange: TimeRange(start: start, end: end),
      targetTimeRange: part)
  }
}
