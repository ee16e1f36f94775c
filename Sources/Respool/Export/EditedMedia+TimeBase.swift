import RespoolMedia

extension EditedMedia {
  /// In which the times of composed pictures can be told: exactly, where no common unit is absurdly small.
  func timeBase(of composition: VideoComposition, _ tracks: [AssetTrack]) -> Rational {
    let frame = composition.frameDuration.timescale
    let bases = tracks.leaders(of: composition).map { timeBase(of: $0) }
    guard let first = bases.first else {
      // The last picture ends with the asset, which need not be where a picture would end.
      return placed(Rational(1, frame), at: [lastTime])
    }
    // The leaders' pictures, those where they are empty, and the start that all are told from.
    return finer(
      first, telling: bases.dropFirst().map(\.denominator) + [frame, timeRange.start.timescale])
  }

  /// End of what is exported, if that is known.
  private var lastTime: MediaTime {
    let end = timeRange.end
    if end.isNumeric { return end }
    return (try? asset.duration()) ?? .invalid
  }

  /// A base of files' times in which the times, too, can be told at which pieces of them begin, and from which
  /// all are counted.
  ///
  /// Bases of a millisecond and less move nothing that anybody sees or hears; one of a picture does.
  private func placed(_ base: Rational, at starts: [MediaTime] = []) -> Rational {
    guard base.isPositive, base.doubleValue > 0.001 else { return base }
    let others = ([timeRange.start] + starts).filter { start in
      start.isNumeric && start.ticks(base).map { MediaTime($0, base) } != start
    }
    return others.isEmpty ? base : finer(base, telling: others.map(\.timescale))
  }

  /// What `base` and the time scales have in common; where that is absurdly small, times of the base are exact and
  /// the others so fine that nobody sees it.
  private func finer(_ base: Rational, telling scales: [Int32]) -> Rational {
    let most: Int64 = 1_000_000
    let scale = Int64(base.denominator)
    guard (1...most).contains(scale) else { return Rational(1, 90_000) }
    let common = scales.reduce(scale) { common, other in
      common > most ? common : common.leastCommonMultiple(Int64(max(1, other)))
    }
    return Rational(1, Int32(common <= most ? common : scale * (90_000 / scale + 1)))
  }

  /// In which the times of all pieces of a track can be told; where they differ 1/90,000, of sound one sample.
  func timeBase(of track: AssetTrack) -> Rational {
    guard let composed = track as? CompositionTrack else {
      return placed(track.description.timeBase)
    }
    let segments = composed.compositionSegments
    let bases = Set(segments.compactMap { $0.sourceTrack?.description.timeBase })
    let isScaled = segments.contains {
      !$0.isEmpty && $0.timeMapping.source.duration != $0.timeMapping.target.duration
    }
    if bases.count == 1, !isScaled, let base = bases.first {
      return placed(base, at: segments.map(\.timeMapping.target.start))
    }
    let rate = composed.description.sampleRate
    return Rational(1, track.mediaType == .audio && rate > 0 ? Int32(clamping: rate) : 90_000)
  }
}

extension [AssetTrack] {
  /// Those whose picture times a composition takes over.
  func leaders(of composition: VideoComposition) -> [AssetTrack] {
    composition.configuration.timingTrackIDs.compactMap { id in first { $0.trackID == id } }
  }
}

extension AssetTrack {
  /// Of all pieces; not known where none tells it.
  var greatestFrameRate: Rational {
    sources.map(\.description.frameRate).max { $0.doubleValue < $1.doubleValue } ?? .unknown
  }
}
