import RespoolMedia

/// A segment of one file's track and its range on the time line.
struct TrackRange {
  /// A track of a file.
  var track: AssetTrack
  /// Range on the time line of the track's asset.
  var source: TimeRange
  /// Range where it is shown.
  ///
  /// `nil` if that is `source`.
  var target: TimeRange?

  /// `true` if it is played slower or faster than the source.
  var isScaled: Bool {
    guard let target else { return false }
    return target.duration != source.duration
  }
}
