package import RespoolMedia

/// Converts audio from one format to another: sample format, sample rate, channels.
///
/// Audio samples are converted as in libswresample, bit-exact if only the sample format changes. Channels are
/// mixed by ITU-R BS.775 (`ChannelMatrix`), sample rates are converted by soxr. There is no dithering. Usable
/// from one thread at a time.
///
/// The output begins at the first input time and continues without gaps, whatever times later blocks have. A
/// caller that finds a gap must drain and continue, or pad. For n input audio samples there are exactly n ×
/// out rate ÷ in rate output audio samples, rounded to the nearest.
package final class AudioConverter {
  /// Format of the input blocks.
  package let source: AudioFormat
  /// Format of the output blocks.
  package let target: AudioFormat

  private enum Work {
    case none
    /// Only the sample format changes.
    case samples
    /// Channels or sample rate change too; the working formats are planar floating point.
    case full(Pipeline)
  }

  private struct Pipeline {
    var matrix: ChannelMatrix?
    var resampler: Resampler?
    var loaded: PlanarAudio
    var mixed: PlanarAudio
    var resampled: PlanarAudio
    /// `true` if channels are mixed before resampling, so that the smaller number of channels is resampled.
    var mixesFirst: Bool
  }

  /// Valid sample rates, in Hz.
  package static let sampleRates = 1...1_536_000

  private let work: Work
  private let pool: FramePool
  private let inputTimeBase: Rational
  private var firstTime: Int64?
  private var samplesIn: Int64 = 0
  private var samplesOut: Int64 = 0

  /// Prepares a conversion.
  ///
  /// `timeBase` is that of the input times. `nil`: 1/rate of the source. The default `quality` is `high`,
  /// also for audio of more than 20 bits: its noise is at -120 dB. Throws `unsupported` if a format is
  /// unknown or the sample rate would grow more than 512 times. Throws `invalidArgument` for a rate outside 1
  /// to 1,536,000 Hz or channels outside 1 to 64.
  package init(
    from source: AudioFormat, to target: AudioFormat, timeBase: Rational? = nil,
    quality: ResamplingQuality = .high, pool: FramePool = FramePool(limit: 16 << 20)
  ) throws(MediaError) {
    for audioFormat in [source, target] {
      guard audioFormat.sampleFormat.bytesPerSample > 0 else {
        throw MediaError(
          .unsupported, "the audio sample format \(audioFormat.sampleFormat) is unknown")
      }
      guard Self.sampleRates.contains(audioFormat.sampleRate) else {
        throw MediaError(
          .invalidArgument,
          "the sample rate is \(audioFormat.sampleRate) Hz; it must be 1 to "
            + "\(Self.sampleRates.upperBound)")
      }
      guard (1...64).contains(audioFormat.channelLayout.channelCount) else {
        throw MediaError(
          .invalidArgument,
          "the audio has \(audioFormat.channelLayout.channelCount) channels; it must have 1 to 64")
      }
    }
    // The amount of output is limited by the input: a header with 1 Hz would turn a few bytes into hours.
    guard target.sampleRate / source.sampleRate <= 512 else {
      throw MediaError(
        .unsupported,
        "audio of \(source.sampleRate) Hz is not resampled to \(target.sampleRate) Hz: "
          + "such a low rate indicates damage")
    }
    self.source = source
    self.target = target
    self.pool = pool
    inputTimeBase = timeBase ?? Rational(1, Int32(source.sampleRate))
    let matrix = ChannelMatrix(from: source.channelLayout, to: target.channelLayout)
    if matrix.isIdentity && source.sampleRate == target.sampleRate {
      work = source.sampleFormat == target.sampleFormat ? .none : .samples
      return
    }
    let deep: Set<SampleFormat> = [.s32, .dbl]
    let isDouble =
      deep.contains(source.sampleFormat.interleaved)
      && deep.contains(target.sampleFormat.interleaved)
    let (inputs, outputs) = (source.channelLayout.channelCount, target.channelLayout.channelCount)
    let narrow = min(inputs, outputs)
    let resampler =
      source.sampleRate == target.sampleRate
      ? nil
      : try Resampler(
        from: source.sampleRate, to: target.sampleRate,
        channels: matrix.isIdentity ? inputs : narrow, isDouble: isDouble, quality: quality)
    work = .full(
      Pipeline(
        matrix: matrix.isIdentity ? nil : matrix, resampler: resampler,
        loaded: PlanarAudio(channels: inputs, isDouble: isDouble),
        mixed: PlanarAudio(channels: outputs, isDouble: isDouble),
        resampled: PlanarAudio(
          channels: matrix.isIdentity ? inputs : narrow, isDouble: isDouble),
        mixesFirst: outputs <= inputs))
  }

  /// `true` if `convert` returns its argument with at most the time and the channel layout changed.
  package var changesNothing: Bool {
    if case .none = work { true } else { false }
  }

  /// Time base of the output: 1/rate.
  package var timeBase: Rational { Rational(1, Int32(target.sampleRate)) }

  /// Converts one block; returns `nil` if there is no output yet.
  ///
  /// Throws `invalidArgument` for a block of another format.
  package func convert(_ frame: Frame) throws(MediaError) -> Frame? {
    try check(frame)
    if firstTime == nil {
      firstTime = frame.pts.map { inputTimeBase.convert($0, to: timeBase) } ?? 0
    }
    samplesIn += Int64(frame.sampleCount)
    switch work {
    case .none:
      var same = frame
      same.channelLayout = target.channelLayout
      stamp(&same)
      return same
    case .samples:
      var result = try audio(frame.sampleCount)
      convertFormat(frame, into: result)
      stamp(&result)
      return result
    case .full(let pipeline):
      pipeline.loaded.load(frame)
      return try finish(pipeline, try resample(pipeline, before(pipeline), ends: false))
    }
  }

  /// Returns the remaining output at the end of the audio or before a gap, or `nil` if none is left.
  ///
  /// Afterwards the converter is in its initial state: the next block sets the time again.
  package func drain() throws(MediaError) -> Frame? {
    defer { reset() }
    guard case .full(let pipeline) = work, pipeline.resampler != nil, samplesIn > 0 else {
      return nil
    }
    return try finish(pipeline, try resample(pipeline, nil, ends: true))
  }

  /// Discards all input and state.
  package func reset() {
    firstTime = nil
    samplesIn = 0
    samplesOut = 0
    if case .full(let pipeline) = work { pipeline.resampler?.reset() }
  }

  // MARK: Steps

  private func before(_ pipeline: Pipeline) -> PlanarAudio {
    guard pipeline.mixesFirst, let matrix = pipeline.matrix else { return pipeline.loaded }
    pipeline.mixed.mix(pipeline.loaded, matrix)
    return pipeline.mixed
  }

  private func resample(_ pipeline: Pipeline, _ audio: PlanarAudio?, ends: Bool)
    throws(MediaError) -> PlanarAudio
  {
    guard let resampler = pipeline.resampler else { return audio ?? pipeline.loaded }
    let result = pipeline.resampled
    result.count = 0
    // In 128 bits, so that the product of audio samples and sample rates cannot overflow.
    let total =
      (Int128(samplesIn) * Int128(target.sampleRate) * 2 + Int128(source.sampleRate))
      / (Int128(source.sampleRate) * 2)
    let wanted = Int(clamping: total - Int128(samplesOut))
    if let audio {
      var taken = 0
      while true {
        let left = audio.count - taken
        let room = max(4096, left * target.sampleRate / source.sampleRate + 64)
        result.reserve(result.count + room)
        let (used, made) = try resampler.process(
          audio.pointers(at: taken), count: left, into: result.pointers(at: result.count),
          capacity: room)
        taken += used
        result.count += made
        if taken == audio.count && made < room { break }
        if used == 0 && made == 0 {
          throw MediaError(.internal, "soxr accepts no more samples")
        }
      }
    }
    if ends {
      while result.count < wanted {
        let room = wanted - result.count
        result.reserve(wanted)
        let (_, made) = try resampler.process(
          nil, count: 0, into: result.pointers(at: result.count), capacity: room)
        if made == 0 { break }
        result.count += made
      }
      result.pad(to: wanted)
      result.count = max(0, min(result.count, wanted))
    }
    return result
  }

  private func finish(_ pipeline: Pipeline, _ audio: PlanarAudio) throws(MediaError) -> Frame? {
    guard audio.count > 0 else { return nil }
    var last = audio
    if !pipeline.mixesFirst, let matrix = pipeline.matrix {
      pipeline.mixed.mix(audio, matrix)
      last = pipeline.mixed
    }
    var result = try self.audio(last.count)
    last.store(into: result)
    stamp(&result)
    return result
  }

  private func stamp(_ frame: inout Frame) {
    frame.pts = (firstTime ?? 0).addingReportingOverflow(samplesOut).partialValue
    frame.duration = Int64(frame.sampleCount)
    samplesOut += Int64(frame.sampleCount)
  }

  private func audio(_ count: Int) throws(MediaError) -> Frame {
    guard
      let frame = pool.audio(
        sampleFormat: target.sampleFormat, channelLayout: target.channelLayout,
        sampleRate: target.sampleRate, sampleCount: count)
    else { throw MediaError(.internal, "no memory for \(count) samples of \(target)") }
    return frame
  }

  private func convertFormat(_ frame: Frame, into result: Frame) {
    let channels = frame.channelLayout.channelCount
    if !frame.sampleFormat.isPlanar && !result.sampleFormat.isPlanar {
      convertSamples(
        SampleRun(base: frame.planes[0].base, step: 1), frame.sampleFormat,
        SampleRun(base: result.planes[0].base, step: 1), result.sampleFormat,
        count: frame.sampleCount * channels)
      return
    }
    for channel in 0..<channels {
      convertSamples(
        frame.run(ofChannel: channel), frame.sampleFormat, result.run(ofChannel: channel),
        result.sampleFormat, count: frame.sampleCount)
    }
  }

  private func check(_ frame: Frame) throws(MediaError) {
    let channels = source.channelLayout.channelCount
    guard frame.kind == .audio, frame.sampleFormat == source.sampleFormat,
      frame.sampleRate == source.sampleRate, frame.channelLayout.channelCount == channels,
      frame.sampleCount > 0,
      frame.planes.count >= (source.sampleFormat.isPlanar ? channels : 1)
    else {
      throw MediaError(
        .invalidArgument, "received audio of \(AudioFormat(frame)); expected \(source)")
    }
  }
}

extension AudioConverter {
  /// Returns the audio of `frame` as interleaved 16-bit little-endian PCM, as hashed by `ffmpeg -f framemd5`.
  ///
  /// Returns `nil` if the frame is not audio of a known format.
  package static func interleaved16(_ frame: Frame) -> [UInt8]? {
    let channels = frame.channelLayout.channelCount
    guard frame.kind == .audio, frame.sampleFormat.bytesPerSample > 0, channels > 0,
      frame.planes.count >= (frame.sampleFormat.isPlanar ? channels : 1)
    else { return nil }
    return [UInt8](unsafeUninitializedCapacity: frame.sampleCount * channels * 2) { bytes, count in
      count = frame.sampleCount * channels * 2
      guard let base = bytes.baseAddress.map({ UnsafeMutableRawPointer($0) }) else { return }
      let runs = frame.sampleFormat.isPlanar ? channels : 1
      for run in 0..<runs {
        convertSamples(
          SampleRun(base: frame.planes[run].base, step: 1), frame.sampleFormat,
          SampleRun(base: base + run * 2, step: runs), .s16,
          count: frame.sampleCount * channels / runs)
      }
    }
  }
}
