import RespoolMedia

/// Choice of a track's time base, from the configuration of an input or the times of its first samples.
struct TrackTimeBase: Sendable {
  /// Time base that is used if no sample determines one.
  let fallback: Rational
  private let isPassedThrough: Bool
  private let isCombinable: Bool
  /// `true` if the configuration determines the time base.
  private let isConfigured: Bool
  /// Time base of the samples in the queue; `unknown` until a sample determines it.
  private(set) var chosen = Rational.unknown
  /// First sample of a pass, held while its times do not determine the time base.
  private var held: AcceptedSample?

  /// Creates the choice of an input; `isCombinable`: segments of several writers are joined.
  init(of input: AssetWriterInput, isCombinable: Bool) {
    let rate = input.settings?.audio.map { Int32(clamping: $0.sampleRate) }
    let scale = rate ?? (input.mediaTimeScale > 0 ? input.mediaTimeScale : nil)
    // 90,000: the unit of presentation times in MPEG systems (ISO/IEC 13818-1 2.4.3.7).
    fallback = Rational(1, scale ?? 90_000)
    isConfigured = scale != nil
    isPassedThrough = input.settings == nil
    self.isCombinable = isCombinable
  }

  /// Returns the time base of a track that is passed through, before its first sample.
  func announced(of track: TrackDescription) -> Rational { fixed(of: track) ?? fallback }

  /// Takes the next sample, of a track with this description; returns the samples whose time base is chosen.
  ///
  /// The first sample of a pass determines the time base, or the first two. A time of zero does not determine a
  /// time base. A first sample at zero without a duration is held until the second one comes. `start` is the time
  /// of the source that is 0 in the movie.
  mutating func take(_ sample: AcceptedSample, of track: TrackDescription, since start: MediaTime)
    -> [AcceptedSample]
  {
    if chosen.isPositive { return [sample] }
    let samples = [held, sample].compactMap(\.self)
    if let base = fixed(of: track) {
      chosen = base
    } else {
      let times = samples.flatMap { [$0.outputTime - start, $0.duration] }
      if held == nil, !times.contains(where: { $0.isNumeric && $0.value != 0 }) {
        held = sample
        return []
      }
      // A time base that is exact for all time scales, also those of zero times; else one for the times alone.
      let scales = times.filter { $0.isNumeric && $0.timescale > 1 }
        .map { MediaTime(value: 1, timescale: $0.timescale) }
      let exact = Rational(exactFor: scales) ?? Rational(exactFor: times)
      chosen = exact.map(Self.fine) ?? fallback
    }
    held = nil
    return samples
  }

  /// Returns the sample that is held if no other comes, and chooses its time base.
  mutating func takeHeld() -> AcceptedSample? {
    guard let sample = held.take() else { return nil }
    let scale = sample.outputTime.timescale
    chosen = scale > 1 ? Self.fine(Rational(1, scale)) : fallback
    return sample
  }

  /// Starts again with the next pass.
  mutating func reset() { (chosen, held) = (.unknown, nil) }

  /// Time base that does not depend on the samples' times; `nil` if it does.
  private func fixed(of track: TrackDescription) -> Rational? {
    if isConfigured { return fallback }
    if isPassedThrough, track.timeBase.isPositive { return track.timeBase }
    return isCombinable ? fallback : nil
  }

  /// Returns a time base with at least 10,000 units per second, the least multiple of `base`'s scale.
  ///
  /// Later times in other units are then at most 50 µs off, far below the duration of a frame.
  private static func fine(_ base: Rational) -> Rational {
    let scale = base.denominator
    guard scale < 10_000 else { return base }
    return Rational(1, scale * ((10_000 + scale - 1) / scale))
  }
}
