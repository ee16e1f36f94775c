import RespoolMedia

extension AssetWriter {
  func append(_ sample: SampleBuffer, to input: AssetWriterInput) -> Bool {
    feed(input) { (start: MediaTime) throws(MediaError) in
      guard sample.isValid else {
        throw MediaError(.invalidArgument, "a sample that has been invalidated")
      }
      // Nothing is left of sound that is trimmed away as a whole.
      guard let content = sample.trimmedContent else { return }
      switch content {
      case .frame(let frame): try encode(frame, of: sample, for: input, since: start)
      case .packet(let packet): try pass(packet, of: sample, for: input, since: start)
      }
    }
  }

  /// Has `body` bring media for an input, within its `feeding`; what that throws fails the writer.
  ///
  /// `body` gets the session's start. False where it fails or the input takes no more.
  func feed(_ input: AssetWriterInput, _ body: (MediaTime) throws(MediaError) -> Void) -> Bool {
    let isTaken = input.feeding.locked {
      guard status == .writing, !input.isFinished else { return false }
      do throws(MediaError) {
        try body(try sessionStart())
        return true
      } catch {
        fail(error)
        return false
      }
    }
    if isTaken {
      input.noteProgress()
      noteReadiness()
    }
    return isTaken
  }

  private func sessionStart() throws(MediaError) -> MediaTime {
    let (start, end) = lock.locked { (state.sessionStart, state.sessionEnd) }
    guard let start else {
      throw MediaError(.invalidArgument, "a sample came before startSession")
    }
    guard end == nil else { throw MediaError(.invalidArgument, "a sample came after endSession") }
    return start
  }

  private func encode(
    _ frame: Frame, of sample: SampleBuffer, for input: AssetWriterInput, since start: MediaTime
  ) throws(MediaError) {
    let isVideo = frame.kind == .video
    guard input.settings != nil, input.mediaType == (isVideo ? .video : .audio) else {
      throw MediaError(
        .invalidArgument,
        "decoded \(isVideo ? "pictures" : "sound") for an input that takes "
          + (input.settings == nil ? "compressed samples" : "something else"))
    }
    let stage = try stage(for: input, since: start, first: sample)
    let (time, base) = (sample.outputPresentationTimeStamp, input.timeBase)
    var frame = frame
    frame.pts = try ticks(time, since: start, base)
    frame.duration = 0
    if sample.duration.isNumeric {
      // Rounded as an end, so that durations add up to the time line.
      let end = try ticks(time + sample.outputDuration, since: start, base)
      frame.duration = frame.pts.map { max(0, end &- $0) } ?? 0
    }
    try stage.consume(frame)
  }

  func pass(
    _ packet: Packet, of sample: SampleBuffer, for input: AssetWriterInput, since start: MediaTime
  ) throws(MediaError) {
    guard input.settings == nil, let format = input.sourceFormatHint, let port = input.port
    else { throw MediaError(.invalidArgument, "a compressed sample for an encoding input") }
    let base = Self.timeBase(of: input, format.track)
    if !input.hasBegun {
      input.hasBegun = true
      var track = format.track
      track.timeBase = base
      try port.begin(track)
    }
    var packet = packet
    packet.pts = try ticks(sample.presentationTimeStamp, since: start, base)
    if packet.dts != nil, sample.decodeTimeStamp.isNumeric {
      packet.dts = try ticks(sample.decodeTimeStamp, since: start, base)
    } else {
      packet.dts = packet.pts
    }
    if sample.duration.isNumeric, let pts = packet.pts {
      packet.duration = max(
        0, try ticks(sample.presentationTimeStamp + sample.duration, since: start, base) &- pts)
    }
    if sample.timeBase != base {
      packet.trimStart = sample.timeBase.convert(packet.trimStart, to: base)
      packet.trimEnd = sample.timeBase.convert(packet.trimEnd, to: base)
    }
    try port.consume(packet)
  }

  /// The unit of the times of samples that pass through.
  static func timeBase(of input: AssetWriterInput, _ track: TrackDescription) -> Rational {
    let scale = input.mediaTimeScale
    return scale > 0 ? Rational(1, scale) : track.timeBase
  }

  func finish(_ input: AssetWriterInput) {
    guard status == .writing else { return }
    let isLast = input.feeding.locked {
      guard status == .writing, input.end() else { return false }
      do throws(MediaError) {
        if input.analysis != nil {
          throw MediaError(
            .invalidArgument, "an input was finished in the first of two passes over its samples")
        }
        try input.captions?.finish()
        if let stage = input.stage { try stage.finish() } else { try input.port?.finish() }
      } catch { fail(error) }
      (input.stage, input.captions) = (nil, nil)
      return true
    }
    guard isLast else { return }
    input.endRequest()
    input.endPasses()
    noteReadiness()
  }

  private func ticks(_ time: MediaTime, since start: MediaTime, _ base: Rational)
    throws(MediaError) -> Int64
  {
    guard let ticks = (time - start).ticks(base) else {
      throw MediaError(.invalidArgument, "a sample has no valid time")
    }
    return ticks
  }
}
