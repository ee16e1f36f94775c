public import RespoolMedia

/// Turns sound of one shape into sound of another: sample format, sample rate, channels.
///
/// Samples are converted as libswresample does, bit for bit where only the format changes. Channels are
/// mixed by ITU-R BS.775 (`ChannelMatrix`), rates changed by soxr. No dither. Usable from one thread at
/// a time.
///
/// What comes out begins at the first time that went in and runs on without gaps, whatever times the
/// later blocks carry: a caller that finds a gap drains, and goes on, or pads. For n samples in exactly
/// n × out rate ÷ in rate come out, rounded to the nearest.
public final class SoundConverter {
  /// What the blocks must be like.
  public let source: SoundShape
  /// What the blocks become.
  public let target: SoundShape

  private enum Work {
    case none
    /// Only the format changes.
    case samples
    /// Channels or rate too; working formats are planar floating point.
    case full(Pipeline)
  }

  private struct Pipeline {
    var matrix: ChannelMatrix?
    var resampler: Resampler?
    var loaded: PlanarSound
    var mixed: PlanarSound
    var resampled: PlanarSound
    /// Fewer channels are resampled: mixed before when there are fewer outputs, else after.
    var mixesFirst: Bool
  }

  private let work: Work
  private let pool: FramePool
  private let inputTimeBase: Rational
  private var firstTime: Int64?
  private var samplesIn: Int64 = 0
  private var samplesOut: Int64 = 0

  /// Prepares a conversion.
  ///
  /// `timeBase` is that of the times that go in; nil means 1/rate of the source. `quality` is by default
  /// `high`, also for sound of more than 20 bits: its noise lies at -120 dB. Throws `unsupported` where
  /// a format is not known, `invalidArgument` for a rate outside 1 to 1,536,000 Hz or channels outside
  /// 1 to 64.
  public init(
    from source: SoundShape, to target: SoundShape, timeBase: Rational? = nil,
    quality: ResamplingQuality = .high, pool: FramePool = FramePool(limit: 16 << 20)
  ) throws(MediaError) {
    for shape in [source, target] {
      guard shape.sampleFormat.bytesPerSample > 0 else {
        throw MediaError(.unsupported, "sound of format \(shape.sampleFormat) is not known")
      }
      guard (1...1_536_000).contains(shape.sampleRate) else {
        throw MediaError(
          .invalidArgument, "a rate of \(shape.sampleRate) Hz, not one from 1 to 1536000")
      }
      guard (1...64).contains(shape.channelLayout.channelCount) else {
        throw MediaError(
          .invalidArgument,
          "sound has \(shape.channelLayout.channelCount) channels, not 1 to 64")
      }
    }
    // What comes out follows what is there: a header with 1 Hz would make hours of a few bytes.
    guard target.sampleRate / source.sampleRate <= 512 else {
      throw MediaError(
        .unsupported,
        "sound of \(source.sampleRate) Hz is not brought to \(target.sampleRate) Hz: "
          + "so low a rate is taken for damage")
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
        loaded: PlanarSound(channels: inputs, isDouble: isDouble),
        mixed: PlanarSound(channels: outputs, isDouble: isDouble),
        resampled: PlanarSound(
          channels: matrix.isIdentity ? inputs : narrow, isDouble: isDouble),
        mixesFirst: outputs <= inputs))
  }

  /// Whether `convert` hands its argument back with nothing but its time changed.
  public var changesNothing: Bool {
    if case .none = work { true } else { false }
  }

  /// The time base of what comes out: 1/rate.
  public var timeBase: Rational { Rational(1, Int32(target.sampleRate)) }

  /// Converts one block; nil where nothing comes out yet.
  ///
  /// Throws `invalidArgument` for a block of another shape.
  public func convert(_ frame: Frame) throws(MediaError) -> Frame? {
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
      var result = try sound(frame.sampleCount)
      convertFormat(frame, into: result)
      stamp(&result)
      return result
    case .full(let pipeline):
      pipeline.loaded.load(frame)
      return try finish(pipeline, try resample(pipeline, before(pipeline), ends: false))
    }
  }

  /// The rest, at the end of the sound or before a gap; nil where nothing is left.
  ///
  /// Afterwards the converter is as new: the next block gives the time anew.
  public func drain() throws(MediaError) -> Frame? {
    defer { reset() }
    guard case .full(let pipeline) = work, pipeline.resampler != nil, samplesIn > 0 else {
      return nil
    }
    return try finish(pipeline, try resample(pipeline, nil, ends: true))
  }

  /// Forgets everything that went in.
  public func reset() {
    firstTime = nil
    samplesIn = 0
    samplesOut = 0
    if case .full(let pipeline) = work { pipeline.resampler?.reset() }
  }

  // MARK: Steps

  private func before(_ pipeline: Pipeline) -> PlanarSound {
    guard pipeline.mixesFirst, let matrix = pipeline.matrix else { return pipeline.loaded }
    pipeline.mixed.mix(pipeline.loaded, matrix)
    return pipeline.mixed
  }

  private func resample(_ pipeline: Pipeline, _ sound: PlanarSound?, ends: Bool)
    throws(MediaError) -> PlanarSound
  {
    guard let resampler = pipeline.resampler else { return sound ?? pipeline.loaded }
    let result = pipeline.resampled
    result.count = 0
    // In 64 bits: rates are below 2^21, so 2^42 samples (a month at 1.5 MHz) fit.
    let total =
      (Int128(samplesIn) * Int128(target.sampleRate) * 2 + Int128(source.sampleRate))
      / (Int128(source.sampleRate) * 2)
    let wanted = Int(clamping: total - Int128(samplesOut))
    if let sound {
      var taken = 0
      while true {
        let left = sound.count - taken
        let room = max(4096, left * target.sampleRate / source.sampleRate + 64)
        result.reserve(result.count + room)
        let (used, made) = try resampler.process(
          sound.pointers(at: taken), count: left, into: result.pointers(at: result.count),
          capacity: room)
        taken += used
        result.count += made
        if taken == sound.count && made < room { break }
        if used == 0 && made == 0 {
          throw MediaError(.internal, "soxr takes no more samples")
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

  private func finish(_ pipeline: Pipeline, _ sound: PlanarSound) throws(MediaError) -> Frame? {
    guard sound.count > 0 else { return nil }
    var last = sound
    if !pipeline.mixesFirst, let matrix = pipeline.matrix {
      pipeline.mixed.mix(sound, matrix)
      last = pipeline.mixed
    }
    var result = try self.sound(last.count)
    last.store(into: result)
    stamp(&result)
    return result
  }

  private func stamp(_ frame: inout Frame) {
    frame.pts = (firstTime ?? 0).addingReportingOverflow(samplesOut).partialValue
    frame.duration = Int64(frame.sampleCount)
    samplesOut += Int64(frame.sampleCount)
  }

  private func sound(_ count: Int) throws(MediaError) -> Frame {
    guard
      let frame = pool.sound(
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
        .invalidArgument, "sound of \(SoundShape(frame)) came where \(source) was expected")
    }
  }
}

extension SoundConverter {
  /// The samples of `frame` as interleaved 16-bit little-endian words: the bytes whose hash `ffmpeg -f
  /// framemd5` prints.
  ///
  /// Nil where the frame is not sound of a known format.
  public static func interleaved16(_ frame: Frame) -> [UInt8]? {
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
