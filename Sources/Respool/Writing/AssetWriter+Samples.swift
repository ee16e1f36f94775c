import RespoolMedia

extension AssetWriter {
  func append(_ sample: SampleBuffer, to input: AssetWriterInput) -> Bool {
    feed(input) { (start: MediaTime) throws(MediaError) in
      guard sample.parts.isEmpty else {
        for part in sample.parts { try write(part, for: input, since: start) }
        return
      }
      try write(sample, for: input, since: start)
    }
  }

  private func write(_ sample: SampleBuffer, for input: AssetWriterInput, since start: MediaTime)
    throws(MediaError)
  {
    guard sample.isValid else {
      throw MediaError(.invalidArgument, "a sample that has been invalidated")
    }
    // Nothing is left of sound that is trimmed away as a whole.
    guard let content = sample.trimmedContent else { return }
    noteForSegments(sample.outputPresentationTimeStamp - start, input)
    switch content {
    case .frame(let frame): try encode(frame, of: sample, for: input, since: start)
    case .packet(let packet): try pass(packet, of: sample, for: input, since: start)
    }
  }

  /// Has `body` bring media for an input, within its `feeding`; what that throws fails the writer.
  ///
  /// `body` gets the time of the source that is 0 in the movie. False where it fails or the input takes no more.
  func feed(_ input: AssetWriterInput, _ body: (MediaTime) throws(MediaError) -> Void) -> Bool {
    let isTaken = input.feeding.locked {
      guard status == .writing, !input.isFinished else { return false }
      do throws(MediaError) {
        try body(try movieStart())
        return true
      } catch {
        fail(error)
        return false
      }
    }
    if isTaken {
      lock.locked { state.delivery }?.waitForRoom()
      input.noteProgress()
      noteReadiness()
    }
    return isTaken
  }

  /// The time of the source that is 0 in the movie.
  private func movieStart() throws(MediaError) -> MediaTime {
    let (start, end, origin) = lock.locked { (state.sessionStart, state.sessionEnd, state.origin) }
    guard start != nil else {
      throw MediaError(.invalidArgument, "a sample came before startSession")
    }
    guard end == nil else {
      throw MediaError(.invalidArgument, "a sample came after endSession")
    }
    return origin
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
    try input.checkOrder(of: time)
    var frame = frame
    frame.pts = try ticks(time, since: start, base)
    frame.duration = 0
    if sample.duration.isNumeric {
      // Rounded as an end, so that durations add up to the time line.
      let end = try ticks(time + sample.outputDuration, since: start, base)
      frame.duration = frame.pts.map { max(0, end &- $0) } ?? 0
    }
    markSegment(&frame, for: input)
    try stage.consume(frame)
  }

  func pass(
    _ packet: Packet, of sample: SampleBuffer, for input: AssetWriterInput, since start: MediaTime
  ) throws(MediaError) {
    // For hints that have none: of metadata that is told by its keys alone.
    if !input.hasBegun { input.timeBase = input.timeBase(since: start, first: sample) }
    let format = input.sourceFormatHint ?? sample.formatDescription
    guard input.settings == nil, format.mediaType == input.mediaType, let port = input.port
    else { throw MediaError(.invalidArgument, "a compressed sample for an encoding input") }
    try input.checkDecodingOrder(of: sample, packet)
    var packet = packet
    if packet.buffer == nil, let reference = sample.state.withLock({ $0.reference }) {
      let place = try input.place(
        of: reference, packet.size, sample.formatDescription.track, in: muxer)
      packet.payload = .bytes(MediaBuffer(place.payload))
      packet.flags.insert(.isReference)
    }
    let base = Self.timeBase(of: input, format.track)
    packet.format = 0
    if !input.hasBegun {
      input.formats = JoinedFormats(first: sample.formatDescription)
      if input.sourceFormatHint == nil { try registry.checkMuxer(muxer, track: format.track) }
      input.hasBegun = true
      var track = format.track
      track.timeBase = base
      try port.begin(track)
    } else {
      packet.format = try self.format(of: sample, for: input, format.track, base, port)
    }
    packet.pts = try ticks(sample.presentationTimeStamp, since: start, base)
    if packet.dts != nil, sample.decodeTimeStamp.isNumeric {
      packet.dts = try ticks(sample.decodeTimeStamp, since: start, base)
    } else {
      packet.dts = packet.pts
    }
    if sample.duration.isNumeric, let pts = packet.pts {
      // Metadata of no length holds for the shortest time: nothing would say that it has no end.
      packet.duration = max(
        format.track.isTimedMetadata ? 1 : 0,
        try ticks(sample.presentationTimeStamp + sample.duration, since: start, base) &- pts)
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
    if scale > 0 { return Rational(1, scale) }
    if track.timeBase.isPositive { return track.timeBase }
    return input.timeBase.isPositive ? input.timeBase : input.defaultTimeBase
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
    let latest = Packet.latest(in: base)
    guard (-latest...latest).contains(ticks) else {
      throw MediaError(
        .invalidArgument,
        "a sample at \((time - start).seconds) s; none is later than \(Packet.latestSecond)")
    }
    return ticks
  }
}

extension AssetWriterInput {
  /// Throws `invalidArgument` for a picture that is not later than the one before, and for sound that begins
  /// earlier: both would be lost.
  fileprivate func checkOrder(of time: MediaTime) throws(MediaError) {
    if let lastTime, time < lastTime || time == lastTime && mediaType == .video {
      throw Self.disorder(time, lastTime)
    }
    lastTime = time
  }

  /// Throws `invalidArgument` for a stored picture that needs others and is decoded before the one that came before
  /// it: it would be moved, and others be decoded wrongly.
  ///
  /// With one that needs none another piece of a composition may begin, with pictures that are not shown.
  fileprivate func checkDecodingOrder(of sample: SampleBuffer, _ packet: Packet) throws(MediaError)
  {
    let decoded = sample.decodeTimeStamp
    let time = decoded.isNumeric ? decoded : sample.presentationTimeStamp
    if let lastTime, time < lastTime, mediaType == .video, !packet.flags.contains(.key) {
      throw Self.disorder(time, lastTime)
    }
    lastTime = time
  }

  private static func disorder(_ time: MediaTime, _ last: MediaTime) -> MediaError {
    MediaError(
      .invalidArgument,
      "a sample at \(time.seconds) s came after one at \(last.seconds) s: an input's times have to grow"
    )
  }
}
