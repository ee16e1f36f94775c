import RespoolMedia

extension SampleBuffer {
  /// The times of each stored sample.
  ///
  /// Empty if they have no times.
  ///
  /// For decoded media, one entry that stands for all samples: the times of the first and the duration of one. Audio
  /// samples follow each other at the sample rate.
  public var sampleTimings: [SampleTiming] {
    guard parts.isEmpty else { return isTimed ? parts.map(\.timing) : [] }
    guard let first = sampleTiming(at: 0) else { return [] }
    return [first]
  }

  /// Returns the times of the sample at `index`; `nil` if it does not exist or has no times.
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

  /// Returns the bytes of the sample at `index`, for decoded audio those of all channels; 0 if it does not exist.
  public func sampleSize(at index: Int) -> Int {
    let count = numSamples
    guard index >= 0, index < count else { return 0 }
    guard parts.isEmpty else { return parts[index].totalSampleSize }
    return totalSampleSize / count
  }

  /// Presentation time after the trim at the start.
  public var outputPresentationTimeStamp: MediaTime {
    presentationTimeStamp + attachments.trimDurationAtStart
  }

  /// Duration without the trims at both ends.
  public var outputDuration: MediaTime {
    guard parts.isEmpty else { return parts.reduce(.zero) { $0 + $1.outputDuration } }
    let attachments = attachments
    return duration - attachments.trimDurationAtStart - attachments.trimDurationAtEnd
  }

  /// Returns the media with other times; nothing is copied.
  ///
  /// An invalid duration leaves the duration unchanged. Several samples are then shown one after another, each for
  /// the duration. `nil` for an invalid sample. For several samples also `nil` if there is a decoding time, or if the
  /// duration is invalid and theirs differ.
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

  /// Returns the sample with bytes of its own, so that the original memory may be used again.
  ///
  /// `nil` for an invalid sample, and for a packet whose bytes have not been read.
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
