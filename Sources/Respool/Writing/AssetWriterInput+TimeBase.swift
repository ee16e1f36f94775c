import RespoolMedia

extension AssetWriterInput {
  /// Time base that is used if no sample determines one.
  var defaultTimeBase: Rational {
    if let rate = settings?.audio?.sampleRate { return Rational(1, Int32(clamping: rate)) }
    return mediaTimeScale > 0 ? Rational(1, mediaTimeScale) : Rational(1, 90_000)
  }

  /// Time base of a track that is passed through, before its first sample.
  func announcedTimeBase(of track: TrackDescription) -> Rational {
    fixedTimeBase(of: track) ?? defaultTimeBase
  }

  /// Determines the time base from the first sample of a pass, or from the first two.
  ///
  /// A time of zero does not determine a time base. A first sample at zero without a duration is held as
  /// `undated` until the second one comes. Returns `false` if it is held. Call with `admission` held.
  func settleTimeBase(with sample: AcceptedSample, since start: MediaTime) -> Bool {
    if let base = fixedTimeBase(of: (sourceFormatHint ?? sample.format).track) {
      timeBase = base
      return true
    }
    let samples = [undated, sample].compactMap(\.self)
    let times = samples.flatMap { [$0.outputTime - start, $0.duration] }
    if undated == nil, !times.contains(where: \.saysTimeBase) {
      undated = sample
      return false
    }
    // Time scales of zero times are included if that costs no precision.
    let scales = times.filter { $0.isNumeric && $0.timescale > 1 }
      .map { MediaTime(value: 1, timescale: $0.timescale) }
    let exact = Rational(exactFor: scales) ?? Rational(exactFor: times)
    timeBase = exact.map(Self.fine) ?? defaultTimeBase
    return true
  }

  /// Determines the time base if a sample is held and no other comes.
  ///
  /// Call with `admission` held.
  func settleTimeBase() {
    guard let sample = undated, !timeBase.isPositive else { return }
    let scale = sample.outputTime.timescale
    timeBase = scale > 1 ? Self.fine(Rational(1, scale)) : defaultTimeBase
  }

  /// Time base that does not depend on the samples' times; `nil` if it does.
  private func fixedTimeBase(of track: TrackDescription) -> Rational? {
    if settings?.audio != nil || mediaTimeScale > 0 { return defaultTimeBase }
    if settings == nil, track.timeBase.isPositive { return track.timeBase }
    return writer?.producesCombinableFragments ?? false ? defaultTimeBase : nil
  }

  /// Returns a time base with at least 10,000 units per second, a multiple of `base`'s scale.
  ///
  /// Times in other units then lose little precision.
  private static func fine(_ base: Rational) -> Rational {
    let scale = base.denominator
    guard scale < 10_000 else { return base }
    return Rational(1, scale * (10_000 / scale + 1))
  }
}

extension MediaTime {
  /// `true` for a number other than zero.
  fileprivate var saysTimeBase: Bool { isNumeric && value != 0 }
}
