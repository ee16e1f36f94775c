import RespoolMedia

/// A stretch of one file's track, and where it is put.
struct TrackPiece {
  /// Of a file.
  var track: AssetTrack
  /// On the time line of the track's asset.
  var source: TimeRange
  /// Where it is shown; nil: where it is.
  var target: TimeRange?

  /// Whether it is played slower or faster than it is.
  var isScaled: Bool {
    guard let target else { return false }
    return target.duration != source.duration
  }
}
