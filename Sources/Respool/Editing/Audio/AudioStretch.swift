import RespoolMedia

/// A filter that plays audio slower or faster: it turns one number of audio samples into another.
final class AudioStretch {
  private enum Method {
    /// Changes the pitch too: after the conversion, the audio gets its original sample rate again.
    ///
    /// `rate` is the sample rate before the conversion.
    case resample(AudioConverter, rate: Int)
    case overlap(OverlapStretch)
  }

  private let audioFormat: AudioFormat
  private let method: Method
  private let toFloat: AudioConverter
  private let fromFloat: AudioConverter
  private let requestedCount: Int64
  private var outputCount: Int64 = 0

  /// Returns `true` if `from` audio samples can become `to`, at a rate at which audio is played.
  static func canPlay(_ from: Int64, as to: Int64) -> Bool {
    from > 0 && to > 0
      && TrackDescription.Edit.audibleRates.contains(Double(from) / Double(to))
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
    requestedCount = to
    let planar = AudioFormat(
      sampleFormat: .fltp, sampleRate: audioFormat.sampleRate,
      channelLayout: audioFormat.channelLayout)
    toFloat = try AudioConverter(from: audioFormat, to: planar)
    fromFloat = try AudioConverter(from: planar, to: audioFormat)
    if algorithm.keepsPitch {
      method = .overlap(
        OverlapStretch(
          channels: audioFormat.channelLayout.channelCount, rate: audioFormat.sampleRate,
          speed: Double(from) / Double(to)))
    } else {
      let rates = Self.sampleRates(from, to)
      var (before, after) = (planar, planar)
      (before.sampleRate, after.sampleRate) = rates
      method = .resample(try AudioConverter(from: before, to: after), rate: before.sampleRate)
    }
  }

  /// Returns two sample rates with the ratio of two numbers of audio samples.
  ///
  /// The ratio is exact if the numbers in lowest terms are valid sample rates. Otherwise rounding makes the output
  /// longer, and the caller cuts it: by at most 1/15,000 of its length.
  private static func sampleRates(_ from: Int64, _ to: Int64) -> (before: Int, after: Int) {
    let divisor = from.greatestCommonDivisor(to)
    let (before, after) = (from / divisor, to / divisor)
    let limit = AudioConverter.sampleRates.upperBound
    guard max(before, after) > Int64(limit) else { return (Int(before), Int(after)) }
    let scale = Double(limit) / Double(max(before, after))
    return (
      max(1, Int((Double(before) * scale).rounded(.down))),
      min(limit, Int((Double(after) * scale).rounded(.up)))
    )
  }

  /// Returns the output for a block, without times: the caller sets them.
  func process(_ frame: Frame) throws(MediaError) -> [Frame] {
    guard var audio = try toFloat.convert(frame) else { return [] }
    switch method {
    case .resample(let converter, let rate):
      audio.sampleRate = rate
      return try output(try converter.convert(audio))
    case .overlap(let stretch):
      stretch.append(audio)
      return try output(stretch.take(ends: false))
    }
  }

  /// Returns the rest of the output.
  ///
  /// In total there are at least as many audio samples as requested, if the input was long enough.
  func finish() throws(MediaError) -> [Frame] {
    switch method {
    case .resample(let converter, _): return try output(try converter.drain())
    case .overlap(let stretch): return try output(stretch.take(ends: true))
    }
  }

  private func output(_ audio: Frame?) throws(MediaError) -> [Frame] {
    guard var audio, requestedCount > outputCount else { return [] }
    audio.sampleRate = audioFormat.sampleRate
    audio.pts = nil
    guard let result = try fromFloat.convert(audio) else { return [] }
    outputCount += Int64(result.sampleCount)
    return [result]
  }

  private func output(_ blocks: [[[Float]]]) throws(MediaError) -> [Frame] {
    var frames: [Frame] = []
    for block in blocks {
      frames += try output(
        Frame.planar(block, audioFormat.channelLayout, rate: audioFormat.sampleRate, pts: nil))
    }
    return frames
  }
}
