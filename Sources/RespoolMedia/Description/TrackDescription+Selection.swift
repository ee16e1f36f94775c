extension TrackDescription {
  /// Throws `invalidArgument` if a selection of tracks has not one flag for each track.
  package static func check(selection: [Bool], trackCount: Int) throws(MediaError) {
    guard selection.count != trackCount else { return }
    throw MediaError(
      .invalidArgument,
      "\(selection.count.counting("flag", "was", "were")) given for "
        + "\(trackCount.counting("track"))")
  }
}
