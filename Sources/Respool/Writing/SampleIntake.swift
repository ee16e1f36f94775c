import RespoolMedia

/// Intake of an input's samples: checks them, gives them times in the track's time base, and enqueues them.
///
/// The thread that holds the lock of the input's pipeline is the only one to use it.
final class SampleIntake {
  /// Time of the source that is 0 in the movie.
  var origin = MediaTime.zero
  private let mediaType: MediaType
  private let hint: FormatDescription?
  private let isEncoded: Bool
  private let passes: InputPasses
  private let pace: FeedPace
  private let queue: AppendQueue
  /// Schedule of the segments; `nil` unless this is the leading input.
  private let schedule: SegmentSchedule?
  private var timeBase: TrackTimeBase
  private var order: SampleOrder
  private var formats: PassedFormats
  private var references: ReferencedMedia
  /// Converter from captions to samples, created with the first caption.
  private var captions: CaptionTrackWriter?

  init(
    of input: AssetWriterInput, leads: Bool, _ output: WriterOutput, _ timeBase: TrackTimeBase,
    pace: FeedPace, queue: AppendQueue
  ) {
    (mediaType, hint) = (input.mediaType, input.sourceFormatHint)
    (isEncoded, passes) = (input.settings != nil, input.passes)
    (self.pace, self.queue, self.timeBase) = (pace, queue, timeBase)
    schedule = leads ? output.schedule : nil
    order = SampleOrder(mediaType: input.mediaType)
    formats = PassedFormats(of: input, output)
    references = ReferencedMedia(of: input, muxer: output.muxer)
  }

  /// Appends a sample, or each of several in order.
  func append(_ sample: SampleBuffer) throws(MediaError) {
    for part in sample.parts.isEmpty ? [sample] : sample.parts {
      guard let accepted = AcceptedSample(part) else {
        throw MediaError(.invalidArgument, "the sample has been invalidated")
      }
      try accept(accepted)
    }
  }

  /// Calls `body` to append captions.
  func appendCaptions(_ body: (CaptionTrackWriter) throws(MediaError) -> Void) throws(MediaError) {
    if captions == nil { captions = try makeCaptions() }
    if let captions { try body(captions) }
  }

  /// Enqueues what waits, and then the end of the first of two passes.
  func finishFirstPass() throws(MediaError) {
    if let last = timeBase.takeHeld() { try enqueue(last) }
    order = SampleOrder(mediaType: mediaType)
    timeBase.reset()
    passes.endAppendingFirst()
    try queue.put { (encoder: InputEncoder) throws(MediaError) in
      try encoder.finishFirstPass()
    }
  }

  /// Enqueues what waits, and then the end of the track.
  func finish() throws(MediaError) {
    if order.last != nil, passes.appendsFirst {
      throw MediaError(.invalidArgument, "an input was finished during the first of two passes")
    }
    try captions?.finish()
    captions = nil
    if let last = timeBase.takeHeld() { try enqueue(last) }
    try queue.put(isLast: true) { (encoder: InputEncoder) throws(MediaError) in
      try encoder.finish()
    }
  }

  private func accept(_ sample: AcceptedSample) throws(MediaError) {
    // Audio that is trimmed completely has no content.
    guard let content = sample.content else { return }
    schedule?.noteAppended(sample.outputTime - origin)
    switch content {
    case .frame(let frame): try check(frame, sample)
    case .packet(let packet): try check(packet, sample)
    }
    let track = (hint ?? sample.format).track
    for sample in timeBase.take(sample, of: track, since: origin) { try enqueue(sample) }
  }

  private func check(_ frame: Frame, _ sample: AcceptedSample) throws(MediaError) {
    let isVideo = frame.kind == .video
    guard isEncoded, mediaType == (isVideo ? .video : .audio) else {
      throw MediaError(
        .invalidArgument,
        "decoded \(isVideo ? "frames" : "audio") cannot be appended to an input that takes "
          + (isEncoded ? "something else" : "compressed samples"))
    }
    if order.last == nil { passes.noteFirstSample() }
    try order.checkPresentation(at: sample.outputTime)
  }

  private func check(_ packet: Packet, _ sample: AcceptedSample) throws(MediaError) {
    guard !isEncoded, (hint ?? sample.format).mediaType == mediaType else {
      throw MediaError(
        .invalidArgument, "a compressed sample was appended to an input that encodes")
    }
    try order.checkDecoding(
      at: sample.decodeTime.isNumeric ? sample.decodeTime : sample.time,
      isSync: packet.flags.contains(.key))
  }

  private func enqueue(_ sample: AcceptedSample) throws(MediaError) {
    let appended: AppendedSample
    switch sample.content {
    case nil: return
    case .frame(let frame): appended = try dated(frame, of: sample)
    case .packet(let packet): appended = try dated(packet, of: sample)
    }
    let end = (sample.duration.isNumeric ? sample.time + sample.duration : sample.time) - origin
    pace.note(until: end.isNumeric ? end.seconds : 0)
    try queue.put(appended.cost) { (encoder: InputEncoder) throws(MediaError) in
      try encoder.consume(appended)
    }
  }

  /// Returns the frame with times in the track's time base.
  private func dated(_ frame: Frame, of sample: AcceptedSample) throws(MediaError)
    -> AppendedSample
  {
    var frame = frame
    frame.pts = try ticks(sample.outputTime)
    frame.duration = 0
    if sample.duration.isNumeric {
      // The end is rounded, not the duration, so that durations add up to the timeline.
      let end = try ticks(sample.outputTime + sample.outputDuration)
      frame.duration = frame.pts.map { max(0, end &- $0) } ?? 0
    }
    return .frame(frame, source: sample.format.track, timeBase: timeBase.chosen)
  }

  /// Returns the packet with times in the track's time base, and the description of its track if that begins or
  /// changes.
  private func dated(_ packet: Packet, of sample: AcceptedSample) throws(MediaError)
    -> AppendedSample
  {
    let base = timeBase.chosen
    var packet = packet
    if packet.buffer == nil, let reference = sample.reference {
      let place = try references.place(of: reference, size: packet.size, in: sample.format.track)
      packet.payload = .bytes(MediaBuffer(place.payload))
      packet.flags.insert(.isReference)
    }
    let (number, beginning, update) = try formats.describe(sample, timeBase: base)
    packet.sampleDescriptionIndex = number
    packet.pts = try ticks(sample.time)
    if packet.dts != nil, sample.decodeTime.isNumeric {
      packet.dts = try ticks(sample.decodeTime)
    } else {
      packet.dts = packet.pts
    }
    if sample.duration.isNumeric, let pts = packet.pts {
      // Metadata without a duration gets the shortest one: otherwise it would have no end in the file.
      packet.duration = max(
        (hint ?? sample.format).track.isTimedMetadata ? 1 : 0,
        try ticks(sample.time + sample.duration) &- pts)
    }
    if sample.timeBase != base {
      packet.trimStart = sample.timeBase.convert(packet.trimStart, to: base)
      packet.trimEnd = sample.timeBase.convert(packet.trimEnd, to: base)
    }
    return .packet(packet, beginning: beginning, update: update)
  }

  /// Returns a time of the source as a time of the movie, in the track's time base.
  private func ticks(_ time: MediaTime) throws(MediaError) -> Int64 {
    let time = time - origin
    guard let ticks = time.ticks(timeBase.chosen) else {
      throw MediaError(.invalidArgument, "a sample has no valid time")
    }
    let latest = Packet.latest(in: timeBase.chosen)
    guard (-latest...latest).contains(ticks) else {
      throw MediaError(
        .invalidArgument,
        "a sample at \(time.seconds) s is more than \(Packet.latestSecond) s from the start")
    }
    return ticks
  }

  private func makeCaptions() throws(MediaError) -> CaptionTrackWriter {
    guard !isEncoded, let hint, let format = CaptionFormat(hint.track), hint.codec != "ass",
      hint.codec != "ssa"
    else {
      throw MediaError(
        .invalidArgument,
        "captions need an input whose format hint is text: mov_text, subrip or webvtt")
    }
    let base = timeBase.announced(of: hint.track)
    return CaptionTrackWriter(format, startingAt: origin) {
      [unowned self] (coded: CodedCaption) throws(MediaError) in
      guard let packet = coded.packet(in: base) else {
        throw MediaError(.invalidArgument, "a caption has no valid time")
      }
      try append(
        SampleBuffer(
          .packet(packet), format: hint, timeBase: base,
          timing: SampleTiming(
            duration: coded.timeRange.duration, presentationTimeStamp: coded.timeRange.start)))
    }
  }
}
