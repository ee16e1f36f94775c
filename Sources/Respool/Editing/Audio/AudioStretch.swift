import RespoolMedia

/// A filter that plays audio slower or faster: it turns one number of audio samples into another.
final class AudioStretch {
  private enum Work {
    /// Resampling, as on a tape: after the conversion, the audio gets its original sample rate again.
    case tape(AudioConverter, rate: Int)
    case overlap(OverlapStretch)
  }

  private let audioFormat: AudioFormat
  private let work: Work
  private let toFloat: AudioConverter
  private let fromFloat: AudioConverter
  private let wanted: Int64
  private var given: Int64 = 0

  /// Returns `true` if `from` audio samples can become `to`: at most 100 times as many or as few.
  static func canPlay(_ from: Int64, as to: Int64) -> Bool {
    from > 0 && to > 0 && from / to <= 100 && to / from <= 100
  }

  /// Creates a filter that turns `from` audio samples of each channel into `to`.
  ///
  /// Throws `invalidArgument` if one is not positive or the ratio is beyond 1:100 or 100:1.
  init(audioFormat: AudioFormat, from: Int64, to: Int64, algorithm: AudioTimePitchAlgorithm)
    throws(MediaError)
  {
    guard Self.canPlay(from, as: to) else {
      throw MediaError(
        .invalidArgument,
        "\(from) audio samples cannot be stretched to \(to): the limit is 100 times")
    }
    self.audioFormat = audioFormat
    wanted = to
    let planar = AudioFormat(
      sampleFormat: .fltp, sampleRate: audioFormat.sampleRate,
      channelLayout: audioFormat.channelLayout)
    toFloat = try AudioConverter(from: audioFormat, to: planar)
    fromFloat = try AudioConverter(from: planar, to: audioFormat)
    if algorithm.keepsPitch {
      work = .overlap(
        OverlapStretch(
          channels: audioFormat.channelLayout.channelCount, rate: audioFormat.sampleRate,
          speed: Double(from) / Double(to)))
    } else {
      // The ratio in numbers that are valid sample rates. Rounding changes it by about a millionth near 1:1 and by at
      // most 1/20,000 at 1:100.
      let scale = Double(1_000_000) / Double(max(from, to))
      var (before, after) = (planar, planar)
      before.sampleRate = max(1, Int((Double(from) * scale).rounded()))
      after.sampleRate = max(1, Int((Double(to) * scale).rounded()))
      work = .tape(try AudioConverter(from: before, to: after), rate: before.sampleRate)
    }
  }

  /// Returns the output for a block, without times: the caller sets them.
  func process(_ frame: Frame) throws(MediaError) -> [Frame] {
    guard var audio = try toFloat.convert(frame) else { return [] }
    switch work {
    case .tape(let converter, let rate):
      audio.sampleRate = rate
      return try done(try converter.convert(audio))
    case .overlap(let stretch):
      stretch.append(audio)
      return try done(stretch.take(ends: false))
    }
  }

  /// Returns the rest of the output.
  ///
  /// In total there are at least as many audio samples as requested, if the input was long enough.
  func finish() throws(MediaError) -> [Frame] {
    switch work {
    case .tape(let converter, _): return try done(try converter.drain())
    case .overlap(let stretch): return try done(stretch.take(ends: true))
    }
  }

  private func done(_ audio: Frame?) throws(MediaError) -> [Frame] {
    guard var audio, wanted > given else { return [] }
    audio.sampleRate = audioFormat.sampleRate
    audio.pts = nil
    guard let result = try fromFloat.convert(audio) else { return [] }
    given += Int64(result.sampleCount)
    return [result]
  }

  private func done(_ blocks: [[[Float]]]) throws(MediaError) -> [Frame] {
    var frames: [Frame] = []
    for block in blocks {
      frames += try done(
        Frame.planar(block, audioFormat.channelLayout, rate: audioFormat.sampleRate, pts: nil))
    }
    return frames
  }
}
