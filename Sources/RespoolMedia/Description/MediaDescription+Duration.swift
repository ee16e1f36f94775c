extension TrackDescription {
  /// End of the track on the timeline of its file, in the track's time base.
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
  /// Extends the duration to the end of the last track.
  ///
  /// The movie header has its own timescale, which may be coarser than that of a track. Some writers do not count all
  /// tracks in it. An unknown duration stays unknown.
  package mutating func extendDurationToTracks() {
    guard let stated = duration else { return }
    let ends = tracks.compactMap(\.presentationEnd).map {
      $0.timeBase.convert($0.ticks, to: .nanoseconds, rounding: .up)
    }
    duration = ends.reduce(stated, max)
  }
}
