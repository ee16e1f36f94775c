extension TrackDescription {
  /// End of the track on the time line of its file, in its time base.
  ///
  /// `nil` if the length is unknown, and for covers and attachments, which have no time.
  package var presentationEnd: (ticks: Int64, timeBase: Rational)? {
    guard let duration, timeBase.isPositive, kind != .attachment,
      !disposition.contains(.attachedPicture)
    else { return nil }
    let (end, overflow) = (start ?? 0).addingReportingOverflow(duration)
    return overflow ? nil : (end, timeBase)
  }
}

extension MediaDescription {
  /// Makes the duration reach to the end of the last track.
  ///
  /// The header of a movie counts in units of its own, which may be coarser than those of a track, and writers
  /// leave tracks out of it. An unknown duration stays unknown.
  package mutating func extendDurationToTracks() {
    guard let told = duration else { return }
    let ends = tracks.compactMap(\.presentationEnd).map {
      $0.timeBase.convert($0.ticks, to: Rational(1, 1_000_000_000), rounding: .up)
    }
    duration = ends.reduce(told, max)
  }
}
