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

  /// The pieces of a track, of a file or a composition, within a range.
  static func pieces(of track: AssetTrack, in range: TimeRange) -> [TrackPiece] {
    guard let composed = track as? CompositionTrack else {
      return [TrackPiece(track: track, source: range, target: nil)]
    }
    return composed.compositionSegments.compactMap { segment in
      let part = segment.target.intersection(range)
      guard !part.isEmpty else { return nil }
      let cut = segment.cut(to: part)
      guard let track = composed.source(of: cut) else { return nil }
      return TrackPiece(track: track, source: cut.timeMapping.source, target: part)
    }
  }
}
