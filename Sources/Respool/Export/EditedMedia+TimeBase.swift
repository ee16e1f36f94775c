import RespoolMedia

extension EditedMedia {
  /// In which the times of composed pictures can be told: exactly, where no common unit is absurdly small.
  func timeBase(of composition: VideoComposition, _ tracks: [AssetTrack]) -> Rational {
    let frame = composition.frameDuration.timescale
    guard
      let leader = tracks.first(where: {
        $0.trackID == composition.sourceTrackIDForFrameTiming
      })
    else { return Rational(1, frame) }
    let most: Int64 = 1_000_000
    let scale = Int64(timeBase(of: leader).denominator)
    guard (1...most).contains(scale) else { return Rational(1, 90_000) }
    // The leader's pictures, those where it is empty, and the start that all are told from.
    let common = [frame, timeRange.start.timescale].reduce(scale) { common, other in
      common > most ? common : common.leastCommonMultiple(Int64(max(1, other)))
    }
    // Else what only the leader fills is exact, and the rest so fine that nobody sees it.
    return Rational(1, Int32(common <= most ? common : scale * (90_000 / scale + 1)))
  }

  /// In which the times of all pieces of a track can be told; where they differ 1/90,000, of sound one sample.
  func timeBase(of track: AssetTrack) -> Rational {
    guard let composed = track as? CompositionTrack else { return track.description.timeBase }
    let segments = composed.compositionSegments
    let bases = Set(segments.compactMap { $0.sourceTrack?.description.timeBase })
    let isScaled = segments.contains {
      !$0.isEmpty && $0.timeMapping.source.duration != $0.timeMapping.target.duration
    }
    if bases.count == 1, !isScaled, let base = bases.first { return base }
    let rate = composed.description.sampleRate
    return Rational(1, track.mediaType == .audio && rate > 0 ? Int32(clamping: rate) : 90_000)
  }
}

extension Int64 {
  /// Of two positive numbers below 2^32.
  fileprivate func leastCommonMultiple(_ other: Int64) -> Int64 {
    var (a, b) = (self, other)
    while b != 0 { (a, b) = (b, a % b) }
    return self / a * other
  }
}
