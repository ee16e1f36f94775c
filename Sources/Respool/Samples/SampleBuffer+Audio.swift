public import RespoolMedia

extension SampleBuffer {
  /// Creates a sample of interleaved audio.
  ///
  /// `nil` if the array is empty or its count is not a multiple of the channel count. Also `nil` if the channel count
  /// is not 1 to 64, or if the sample rate is not positive.
  public convenience init?<S: LinearSample>(
    interleaved samples: [S], channelLayout: ChannelLayout, sampleRate: Int, at time: MediaTime
  ) {
    let channels = channelLayout.channelCount
    guard channels > 0, samples.count % channels == 0,
      let frame = Frame(
        sampleFormat: S.sampleFormat, channelLayout: channelLayout, sampleRate: sampleRate,
        sampleCount: samples.count / channels)
    else { return nil }
    samples.withUnsafeBytes { source in
      if let base = source.baseAddress {
        frame.planes[0].base.copyMemory(from: base, byteCount: source.count)
      }
    }
    self.init(audio: frame, at: time)
  }

  /// Creates a sample of planar audio from an array for each channel.
  ///
  /// `nil` if the arrays differ in length or are empty, if the channel count is not 1 to 64, or if the sample rate is
  /// not positive.
  public convenience init?<S: LinearSample>(
    planar channels: [[S]], channelLayout: ChannelLayout? = nil, sampleRate: Int, at time: MediaTime
  ) {
    let layout = channelLayout ?? .standard(channels.count)
    guard let count = channels.first?.count, channels.allSatisfy({ $0.count == count }),
      layout.channelCount == channels.count,
      let frame = Frame(
        sampleFormat: S.sampleFormat.planar, channelLayout: layout, sampleRate: sampleRate,
        sampleCount: count)
    else { return nil }
    for (plane, channel) in zip(frame.planes, channels) {
      channel.withUnsafeBytes { source in
        if let base = source.baseAddress {
          plane.base.copyMemory(from: base, byteCount: source.count)
        }
      }
    }
    self.init(audio: frame, at: time)
  }

  private convenience init?(audio frame: Frame, at time: MediaTime) {
    guard frame.sampleRate > 0 else { return nil }
    let unit = Rational(1, Int32(clamping: frame.sampleRate))
    var frame = frame
    frame.pts = time.ticks(unit)
    frame.duration = Int64(frame.sampleCount)
    var track = TrackDescription(kind: .audio, codec: "pcm", timeBase: unit)
    track.sampleRate = frame.sampleRate
    track.channelLayout = frame.channelLayout
    track.sampleFormat = frame.sampleFormat
    self.init(
      .frame(frame), format: FormatDescription(track), timeBase: unit,
      timing: SampleTiming(
        duration: MediaTime(frame.duration, unit), presentationTimeStamp: time))
  }

  /// Returns the audio as one interleaved array.
  ///
  /// `nil` if the content is not decoded audio of this sample type; it may be interleaved or planar.
  public func interleaved<S: LinearSample>(as type: S.Type = S.self) -> [S]? {
    guard let channels = planar(as: type), let first = channels.first else { return nil }
    if channels.count == 1 { return first }
    var samples: [S] = []
    samples.reserveCapacity(first.count * channels.count)
    for index in first.indices {
      for channel in channels { samples.append(channel[index]) }
    }
    return samples
  }

  /// Returns the audio as an array for each channel.
  ///
  /// `nil` if the content is not decoded audio of this sample type; it may be interleaved or planar.
  public func planar<S: LinearSample>(as type: S.Type = S.self) -> [[S]]? {
    guard case .frame(let frame) = content, frame.kind == .audio,
      frame.sampleFormat.interleaved == S.sampleFormat
    else { return nil }
    let channels = frame.channelLayout.channelCount
    let isPlanar = frame.sampleFormat.isPlanar
    guard channels > 0, frame.planes.count >= (isPlanar ? channels : 1) else { return nil }
    let size = MemoryLayout<S>.size
    return withExtendedLifetime(frame.buffer) {
      (0..<channels).map { channel in
        let base = UnsafeRawPointer(frame.planes[isPlanar ? channel : 0].base)
        let step = isPlanar ? size : size * channels
        let first = isPlanar ? 0 : channel * size
        return (0..<frame.sampleCount).map {
          base.loadUnaligned(fromByteOffset: first + $0 * step, as: S.self)
        }
      }
    }
  }
}
