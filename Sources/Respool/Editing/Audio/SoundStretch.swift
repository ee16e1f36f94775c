import RespoolMedia

/// Plays sound slower or faster: so many samples become so many others.
final class SoundStretch {
  private enum Work {
    /// As on a tape: the rate is changed and then not believed.
    case tape(SoundConverter, rate: Int)
    case overlap(OverlapStretch)
  }

  private let shape: SoundShape
  private let work: Work
  private let toFloat: SoundConverter
  private let fromFloat: SoundConverter
  private let wanted: Int64
  private var given: Int64 = 0

  /// Whether so many samples can become so many others: at most 100 times as many or as few.
  static func canPlay(_ from: Int64, as to: Int64) -> Bool {
    from > 0 && to > 0 && from / to <= 100 && to / from <= 100
  }

  /// `from` samples of each channel become `to`.
  ///
  /// Throws `invalidArgument` where one is not positive or the ratio is beyond 1:100 or 100:1.
  init(shape: SoundShape, from: Int64, to: Int64, algorithm: AudioTimePitchAlgorithm)
    throws(MediaError)
  {
    guard Self.canPlay(from, as: to) else {
      throw MediaError(
        .invalidArgument, "\(from) samples of sound cannot be played as \(to): at most 100 times")
    }
    self.shape = shape
    wanted = to
    let planar = SoundShape(
      sampleFormat: .fltp, sampleRate: shape.sampleRate, channelLayout: shape.channelLayout)
    toFloat = try SoundConverter(from: shape, to: planar)
    fromFloat = try SoundConverter(from: planar, to: shape)
    if algorithm.keepsPitch {
      work = .overlap(
        OverlapStretch(
          channels: shape.channelLayout.channelCount, rate: shape.sampleRate,
          speed: Double(from) / Double(to)))
    } else {
      // The ratio in numbers that pass for rates; what is lost is below a millionth.
      let scale = Double(1_000_000) / Double(max(from, to))
      var (before, after) = (planar, planar)
      before.sampleRate = max(1, Int((Double(from) * scale).rounded()))
      after.sampleRate = max(1, Int((Double(to) * scale).rounded()))
      work = .tape(try SoundConverter(from: before, to: after), rate: before.sampleRate)
    }
  }

  /// What comes of a block; times are the caller's affair.
  func process(_ frame: Frame) throws(MediaError) -> [Frame] {
    guard var sound = try toFloat.convert(frame) else { return [] }
    switch work {
    case .tape(let converter, let rate):
      sound.sampleRate = rate
      return try done(try converter.convert(sound))
    case .overlap(let stretch):
      stretch.append(sound)
      return try done(stretch.take(ends: false))
    }
  }

  /// The rest: in all at least as many samples as were asked for, as far as there was sound.
  func finish() throws(MediaError) -> [Frame] {
    switch work {
    case .tape(let converter, _): return try done(try converter.drain())
    case .overlap(let stretch): return try done(stretch.take(ends: true))
    }
  }

  private func done(_ sound: Frame?) throws(MediaError) -> [Frame] {
    guard var sound, wanted > given else { return [] }
    sound.sampleRate = shape.sampleRate
    sound.pts = nil
    guard let result = try fromFloat.convert(sound) else { return [] }
    given += Int64(result.sampleCount)
    return [result]
  }

  private func done(_ blocks: [[[Float]]]) throws(MediaError) -> [Frame] {
    var frames: [Frame] = []
    for block in blocks {
      frames += try done(
        Frame.planar(block, shape.channelLayout, rate: shape.sampleRate, pts: nil))
    }
    return frames
  }
}
