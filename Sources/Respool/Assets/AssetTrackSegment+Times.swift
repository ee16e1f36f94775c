extension Sequence where Element: AssetTrackSegment {
  /// The segment that holds a time of the track; nil where none does.
  func holding(_ time: MediaTime) -> Element? { first { $0.timeMapping.target.containsTime(time) } }

  /// The segment that holds a time of the track, or else the closest; nil for a time that is not numeric.
  func closest(to time: MediaTime) -> Element? {
    guard time.isNumeric else { return nil }
    return holding(time) ?? self.min { $0.distance(to: time) < $1.distance(to: time) }
  }
}

extension AssetTrackSegment {
  /// To a time of the track outside.
  fileprivate func distance(to time: MediaTime) -> MediaTime {
    let target = timeMapping.target
    return time < target.start ? target.start - time : time - target.end
  }
}
