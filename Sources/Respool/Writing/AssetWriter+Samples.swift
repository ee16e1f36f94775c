import RespoolMedia

extension AssetWriter {
  func append(_ sample: SampleBuffer, to input: AssetWriterInput) -> Bool {
    admit(to: input) { (start: MediaTime) throws(MediaError) in
      for part in sample.parts.isEmpty ? [sample] : sample.parts {
        guard let accepted = AcceptedSample(part) else {
          throw MediaError(.invalidArgument, "the sample has been invalidated")
        }
        try accept(accepted, for: input, since: start)
      }
    }
  }

  /// Calls `body` to append media to an input, with the input's `admission` held.
  ///
  /// An error of `body` fails the writer. `body` gets the time of the source that is 0 in the movie. Returns
  /// `false` if `body` throws or the input accepts no more samples.
  func admit(
    to input: AssetWriterInput, _ body: (MediaTime) throws(MediaError) -> Void
  ) -> Bool {
    let isTaken = input.admission.locked {
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
      input.noteProgress()
      noteReadiness()
    }
    return isTaken
  }

  /// Time of the source that is 0 in the movie.
  private func movieStart() throws(MediaError) -> MediaTime {
    let (start, end, origin) = lock.locked { (state.sessionStart, state.sessionEnd, state.origin) }
    guard start != nil else {
      throw MediaError(.invalidArgument, "a sample was appended before startSession")
    }
    guard end == nil else {
      throw MediaError(.invalidArgument, "a sample was appended after endSession")
    }
    return origin
  }

  /// Checks a sample and adds it to the input's queue; call with the input's `admission` held.
  func accept(
    _ sample: AcceptedSample, for input: AssetWriterInput, since start: MediaTime
  ) throws(MediaError) {
    // Audio that is trimmed completely has no content.
    guard let content = sample.content else { return }
    noteForSegments(sample.outputTime - start, input)
    switch content {
    case .frame(let frame): try check(frame, sample, for: input)
    case .packet(let packet): try check(packet, sample, for: input)
    }
    if !input.timeBase.isPositive, !input.settleTimeBase(with: sample, since: start) { return }
    try releaseUndated(of: input, since: start)
    try enqueue(sample, for: input, since: start)
  }

  /// Enqueues the sample that was held until the time base was known.
  private func releaseUndated(of input: AssetWriterInput, since start: MediaTime) throws(MediaError)
  {
    guard let sample = input.undated else { return }
    input.undated = nil
    try enqueue(sample, for: input, since: start)
  }

  private func enqueue(
    _ sample: AcceptedSample, for input: AssetWriterInput, since start: MediaTime
  ) throws(MediaError) {
    let appended: AppendedSample
    switch sample.content {
    case nil: return
    case .frame(let frame): appended = try dated(frame, of: sample, for: input, since: start)
    case .packet(let packet): appended = try dated(packet, of: sample, for: input, since: start)
    }
    input.hasBegun = true
    let end = (sample.duration.isNumeric ? sample.time + sample.duration : sample.time) - start
    input.noteNews(until: end.isNumeric ? end.seconds : 0)
    try perform(for: input, cost: appended.cost) {
      (writer: AssetWriter, input: AssetWriterInput) throws(MediaError) in
      try writer.write(appended, for: input)
    }
  }

  /// Adds work to the input's queue; an error of the work fails the writer.
  private func perform(
    for input: AssetWriterInput, cost: Int = 0, isLast: Bool = false,
    _ work: @escaping @Sendable (AssetWriter, AssetWriterInput) throws(MediaError) -> Void
  ) throws(MediaError) {
    let guarded: AppendQueue.Work = { [weak self, weak input] in
      guard let self, let input, self.status == .writing else { return }
      do throws(MediaError) { try work(self, input) } catch { self.fail(error) }
      self.lock.locked { self.state.delivery }?.waitForRoom()
    }
    if isLast {
      try input.queue?.close(guarded)
    } else if try input.queue?.put(cost, guarded) != true {
      throw MediaError(.cancelled, "stopped")
    }
  }

  private func check(_ frame: Frame, _ sample: AcceptedSample, for input: AssetWriterInput)
    throws(MediaError)
  {
    let isVideo = frame.kind == .video
    guard input.settings != nil, input.mediaType == (isVideo ? .video : .audio) else {
      throw MediaError(
        .invalidArgument,
        "decoded \(isVideo ? "frames" : "audio") cannot be appended to an input that takes "
          + (input.settings == nil ? "compressed samples" : "something else"))
    }
    if input.lastTime == nil {
      // A client that has no block for passes appends the samples once.
      input.passes {
        if $0.block == nil { ($0.appendsFirstPass, $0.encodesFirstPass) = (false, false) }
      }
    }
    try input.checkOrder(of: sample.outputTime)
  }

  private func check(_ packet: Packet, _ sample: AcceptedSample, for input: AssetWriterInput)
    throws(MediaError)
  {
    let format = input.sourceFormatHint ?? sample.format
    guard input.settings == nil, format.mediaType == input.mediaType, input.port != nil
    else {
      throw MediaError(
        .invalidArgument, "a compressed sample was appended to an input that encodes")
    }
    try input.checkDecodingOrder(of: sample, packet)
  }

  /// Returns the frame with times in the input's time base.
  private func dated(
    _ frame: Frame, of sample: AcceptedSample, for input: AssetWriterInput, since start: MediaTime
  ) throws(MediaError) -> AppendedSample {
    let (time, base) = (sample.outputTime, input.timeBase)
    var frame = frame
    frame.pts = try ticks(time, since: start, base)
    frame.duration = 0
    if sample.duration.isNumeric {
      // The end is rounded, not the duration, so that durations add up to the timeline.
      let end = try ticks(time + sample.outputDuration, since: start, base)
      frame.duration = frame.pts.map { max(0, end &- $0) } ?? 0
    }
    return .frame(frame, source: sample.format.track, timeBase: base)
  }

  /// Returns the packet with times in the track's time base, and the description of its track if that begins or
  /// changes.
  private func dated(
    _ packet: Packet, of sample: AcceptedSample, for input: AssetWriterInput, since start: MediaTime
  ) throws(MediaError) -> AppendedSample {
    let format = input.sourceFormatHint ?? sample.format
    var packet = packet
    if packet.buffer == nil, let reference = sample.reference {
      let place = try input.place(of: reference, packet.size, sample.format.track, in: muxer)
      packet.payload = .bytes(MediaBuffer(place.payload))
      packet.flags.insert(.isReference)
    }
    let base = input.timeBase
    packet.format = 0
    var (beginning, update): (TrackDescription?, TrackDescription?)
    if !input.hasBegun {
      input.formats = JoinedFormats(first: sample.format)
      if input.sourceFormatHint == nil { try registry.checkMuxer(muxer, track: format.track) }
      beginning = format.track
      beginning?.timeBase = base
    } else {
      (packet.format, update) = try self.format(of: sample, for: input, format.track, base)
    }
    packet.pts = try ticks(sample.time, since: start, base)
    if packet.dts != nil, sample.decodeTime.isNumeric {
      packet.dts = try ticks(sample.decodeTime, since: start, base)
    } else {
      packet.dts = packet.pts
    }
    if sample.duration.isNumeric, let pts = packet.pts {
      // Metadata without a duration gets the shortest one: otherwise it would have no end in the file.
      packet.duration = max(
        format.track.isTimedMetadata ? 1 : 0,
        try ticks(sample.time + sample.duration, since: start, base) &- pts)
    }
    if sample.timeBase != base {
      packet.trimStart = sample.timeBase.convert(packet.trimStart, to: base)
      packet.trimEnd = sample.timeBase.convert(packet.trimEnd, to: base)
    }
    return .packet(packet, beginning: beginning, update: update)
  }

  /// Encodes or writes a sample; runs on the thread of the input's queue.
  private func write(_ sample: AppendedSample, for input: AssetWriterInput) throws(MediaError) {
    switch sample {
    case .frame(var frame, let source, let base):
      let stage = try stage(for: input, first: source, timeBase: base)
      markSegment(&frame, in: base, for: input)
      try stage.consume(frame)
    case .packet(let packet, let beginning, let update):
      guard let port = input.port else { return }
      if let beginning { try port.begin(beginning) }
      if let update { port.update(update) }
      try port.consume(packet)
    }
  }

  /// Finishes an input after its waiting samples.
  func finish(_ input: AssetWriterInput) {
    guard status == .writing else { return }
    let isLast = input.admission.locked {
      guard status == .writing, input.end() else { return false }
      do throws(MediaError) {
        if input.lastTime != nil, input.passes({ $0.appendsFirstPass }) {
          throw MediaError(
            .invalidArgument, "an input was finished during the first of two passes")
        }
        let origin = lock.locked { state.origin }
        try input.captions?.finish()
        input.captions = nil
        input.settleTimeBase()
        try releaseUndated(of: input, since: origin)
        try perform(for: input, isLast: true) {
          (_, input: AssetWriterInput) throws(MediaError) in
          if let stage = input.stage { try stage.finish() } else { try input.port?.finish() }
          input.stage = nil
        }
      } catch { fail(error) }
      return true
    }
    guard isLast else { return }
    input.endRequest()
    input.endPasses()
    noteReadiness()
  }

  /// Ends the first pass over an input's samples after its waiting samples, then calls `next`.
  func finishAnalysis(of input: AssetWriterInput, next: @escaping @Sendable () -> Void) {
    input.admission.locked {
      do throws(MediaError) {
        let origin = lock.locked { state.origin }
        input.settleTimeBase()
        try releaseUndated(of: input, since: origin)
        (input.lastTime, input.timeBase) = (nil, .unknown)
        input.passes { $0.appendsFirstPass = false }
        try perform(for: input) {
          (_, input: AssetWriterInput) throws(MediaError) in
          try input.stage?.finish()
          let statistics = input.analysis?.statistics ?? []
          // The last pass starts with the same state as the first.
          (input.stage, input.analysis, input.segment) = (nil, nil, 0)
          input.passes { ($0.encodesFirstPass, $0.statistics) = (false, statistics) }
          next()
        }
      } catch { fail(error) }
    }
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
        "a sample at \((time - start).seconds) s is more than \(Packet.latestSecond) s from "
          + "the start")
    }
    return ticks
  }
}

extension AssetWriterInput {
  /// Throws `invalidArgument` if a frame is not later than the previous one, or if audio begins earlier than the
  /// previous.
  ///
  /// Such samples would be lost.
  fileprivate func checkOrder(of time: MediaTime) throws(MediaError) {
    if let lastTime, time < lastTime || time == lastTime && mediaType == .video {
      throw Self.disorder(time, lastTime)
    }
    lastTime = time
  }

  /// Throws `invalidArgument` if a coded frame is not a sync sample and is decoded before the previous one.
  ///
  /// It would be moved, and other frames would be decoded wrongly. A sync sample may have an earlier time: it may
  /// begin another segment of a composition, with frames that are not shown.
  fileprivate func checkDecodingOrder(of sample: AcceptedSample, _ packet: Packet)
    throws(MediaError)
  {
    let time = sample.decodeTime.isNumeric ? sample.decodeTime : sample.time
    if let lastTime, time < lastTime, mediaType == .video, !packet.flags.contains(.key) {
      throw Self.disorder(time, lastTime)
    }
    lastTime = time
  }

  private static func disorder(_ time: MediaTime, _ last: MediaTime) -> MediaError {
    MediaError(
      .invalidArgument,
      "a sample at \(time.seconds) s came after one at \(last.seconds) s: the times of an "
        + "input must increase"
    )
  }
}
