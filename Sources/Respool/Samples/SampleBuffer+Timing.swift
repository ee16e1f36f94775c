import RespoolMedia

extension SampleBuffer {
  /// The times of each stored sample; none where they have no times.
  ///
  /// Of decoded media one entry that stands for all samples, the first one's times with the duration of one:
  /// those of sound follow each other at the sample rate.
  public var sampleTimings: [SampleTiming] {
    guard parts.isEmpty else { return isTimed ? parts.map(\.timing) : [] }
    guard let first = sampleTiming(at: 0) else { return [] }
    return [first]
  }

  /// When the sample at `index` is shown; nil where there is none.
  public func sampleTiming(at index: Int) -> SampleTiming? {
    guard index >= 0, index < numSamples else { return nil }
    guard parts.isEmpty else { return isTimed ? parts[index].timing : nil }
    guard case .frame(let frame) = content, frame.kind == .audio, frame.sampleRate > 0 else {
      return timing
    }
    let rate = Int32(clamping: frame.sampleRate)
    return SampleTiming(
      duration: MediaTime(value: 1, timescale: rate),
      presentationTimeStamp: presentationTimeStamp
        + MediaTime(value: Int64(index), timescale: rate))
  }

  /// Bytes of the sample at `index`, of decoded sound those of all its channels; 0 where there is none.
  public func sampleSize(at index: Int) -> Int {
    let count = numSamples
    guard index >= 0, index < count else { return 0 }
    guard parts.isEmpty else { return parts[index].totalSampleSize }
    return totalSampleSize / count
  }

  /// When it is shown once what is trimmed at its start is gone.
  public var outputPresentationTimeStamp: MediaTime {
    presentationTimeStamp + attachments.trimDurationAtStart
  }

  /// How long it is shown once what is trimmed at both ends is gone.
  public var outputDuration: MediaTime {
    guard parts.isEmpty else { return parts.reduce(.zero) { $0 + $1.outputDuration } }
    let attachments = attachments
    return duration - attachments.trimDurationAtStart - attachments.trimDurationAtEnd
  }

  /// The same media with other times; nothing is copied.
  ///
  /// A duration that is invalid stays as it is. Several samples are shown one after the other from then on, each
  /// for the duration. Nil for a sample that is invalid, and for several where the duration is invalid and they do
  /// not have the same one, or there is a decoding time.
  public func withTiming(_ timing: SampleTiming) -> SampleBuffer? {
    guard parts.isEmpty else { return several([timing]) { $0 } }
    let before = state.withLock { $0 }
    guard before.isValid else { return nil }
    var timing = timing
    if !timing.duration.isNumeric { timing.duration = duration }
    var content = before.content
    switch content {
    case .packet(var packet):
      packet.pts = timing.presentationTimeStamp.ticks(timeBase)
      packet.dts = timing.decodeTimeStamp.ticks(timeBase) ?? packet.pts
      packet.duration = timing.duration.ticks(timeBase) ?? packet.duration
      content = .packet(packet)
    case .frame(var frame):
      frame.pts = timing.presentationTimeStamp.ticks(timeBase)
      frame.duration = timing.duration.ticks(timeBase) ?? frame.duration
      content = .frame(frame)
    }
    let sample = SampleBuffer(
      content, format: formatDescription, timeBase: timeBase, timing: timing, isMarker: isMarker)
    sample.state.withLock {
      var copied = before
      copied.content = content
      $0 = copied
    }
    return sample
  }

  /// The same sample with bytes of its own, so that what it was made from may be reused.
  ///
  /// Nil for a sample that is invalid, and for a packet whose bytes have not been read.
  public func copy() -> SampleBuffer? {
    guard parts.isEmpty else {
      return several(sampleTimings) { data in data.withBytes { MediaBuffer(copying: $0) } }
    }
    let before = state.withLock { $0 }
    guard before.isValid else { return nil }
    var copied = before
    switch before.current {
    case .packet(var packet):
      guard let buffer = packet.buffer else { return nil }
      packet.payload = .bytes(buffer.withBytes { MediaBuffer(copying: $0) })
      copied.content = .packet(packet)
    case .frame(let frame):
      guard let own = frame.copied() else { return nil }
      copied.content = .frame(own)
      copied.image = before.image.flatMap { image in
        let copy = PixelBuffer(own, cleanAperture: nil, isOwn: true)
        copy.map(image.propagateAttachments)
        return copy
      }
    }
    let sample = SampleBuffer(
      copied.content, format: formatDescription, timeBase: timeBase, timing: timing,
      isMarker: isMarker)
    sample.state.withLock { $0 = copied }
    return sample
  }
}
