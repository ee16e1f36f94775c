import RespoolMedia

extension EditedMedia {
  /// Returns a time base for composed frames; it is exact, unless the common unit would be absurdly small.
  func timeBase(of composition: VideoComposition, _ tracks: [AssetTrack]) -> Rational {
    let frame = composition.frameDuration.timescale
    let bases = tracks.leaders(of: composition).map { timeBase(of: $0) }
    guard let first = bases.first else {
      // The last frame ends with the asset, which need not be on a frame boundary.
      return placed(Rational(1, frame), at: [lastTime])
    }
    // The time base must fit the frames of the leading tracks, the frames in their gaps, and the start of the
    // range.
    return finer(
      first, telling: bases.dropFirst().map(\.denominator) + [frame, timeRange.start.timescale])
  }

  /// End of the exported range, if it is known.
  private var lastTime: MediaTime {
    let end = timeRange.end
    if end.isNumeric { return end }
    return (try? asset.duration()) ?? .invalid
  }

  /// Returns a refined time base that can also express the start times of clips and of the exported range.
  ///
  /// A unit of a millisecond or less shifts nothing that a viewer notices; a unit of a frame duration does.
  private func placed(_ base: Rational, at starts: [MediaTime] = []) -> Rational {
    guard base.isPositive, base.doubleValue > 0.001 else { return base }
    let others = ([timeRange.start] + starts).filter { start in
      start.isNumeric && start.ticks(base).map { MediaTime($0, base) } != start
    }
    return others.isEmpty ? base : finer(base, telling: others.map(\.timescale))
  }

  /// Returns the common time base of `base` and the time scales.
  ///
  /// If its unit would be absurdly small, returns a multiple of `base` with at least 90,000 units per second.
  /// Times in `base` are then exact, and the error of other times is imperceptible.
  private func finer(_ base: Rational, telling scales: [Int32]) -> Rational {
    let most: Int64 = 1_000_000
    let scale = Int64(base.denominator)
    guard (1...most).contains(scale) else { return Rational(1, 90_000) }
    let common = scales.reduce(scale) { common, other in
      common > most ? common : common.leastCommonMultiple(Int64(max(1, other)))
    }
    return Rational(1, Int32(common <= most ? common : scale * (90_000 / scale + 1)))
  }

  /// Returns a time base for the times of all clips of a track.
  ///
  /// If the clips' time bases differ: 1/90,000 s; for audio, one audio sample.
  func timeBase(of track: AssetTrack) -> Rational {
    guard !track.isSelfContained else { return placed(track.description.timeBase) }
    let segments = track.segments.map(\.timeMapping)
    let bases = Set(track.sources.map(\.description.timeBase))
    let isScaled = segments.contains {
      $0.source.isValid && $0.source.duration != $0.target.duration
    }
    if bases.count == 1, !isScaled, let base = bases.first {
      return placed(base, at: segments.map(\.target.start))
    }
    let rate = track.description.sampleRate
    return Rational(1, track.mediaType == .audio && rate > 0 ? Int32(clamping: rate) : 90_000)
  }
}

extension [AssetTrack] {
  /// Returns the tracks whose frame times a composition uses.
  func leaders(of composition: VideoComposition) -> [AssetTrack] {
    composition.configuration.timingTrackIDs.compactMap { id in first { $0.trackID == id } }
  }
}

extension AssetTrack {
  /// Greatest frame rate of all clips; `unknown` if no clip states one.
  var greatestFrameRate: Rational {
    sources.map(\.description.frameRate).max { $0.doubleValue < $1.doubleValue } ?? .unknown
  }
}
