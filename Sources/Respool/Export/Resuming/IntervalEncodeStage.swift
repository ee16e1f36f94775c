import RespoolMedia

/// Encodes frames in independent parts, which are stored in a journal.
///
/// A part ends before the first frame that is at least `PartLength` after the part's start. The frames of a part
/// therefore depend only on their times. Frames of parts that are already in the journal are not encoded: their
/// packets are read from there.
final class IntervalEncodeStage: Stage {
  private let journal: ExportJournal
  private let timeBase: Rational
  private let output: TrackOutput
  private let open: (Frame) throws(MediaError) -> EncoderInstance
  /// Description of the output track; the same for all parts.
  private var track: TrackDescription?
  private var part: (encoder: EncoderInstance, start: Int64, count: Int)?

  /// Creates a stage; `timeBase` is the time base of the frames.
  init(
    journal: ExportJournal, timeBase: Rational, to output: TrackOutput,
    open: @escaping (Frame) throws(MediaError) -> EncoderInstance
  ) {
    self.journal = journal
    self.timeBase = timeBase
    self.output = output
    self.open = open
  }

  func consume(_ frame: Frame) throws(MediaError) {
    guard let time = frame.pts else {
      throw MediaError(.internal, "a frame has no time, so it cannot be assigned to a part")
    }
    if track == nil {
      let encoder = try begin(with: frame)
      if journal.resumePoint == nil { part = (encoder, time, 0) }
    }
    if let point = journal.resumePoint, time < point.next { return }
    if let part, part.count >= journal.parts.frames, isOver(part.start, at: time) {
      try close(next: time)
    }
    let encoder: EncoderInstance
    if let part { encoder = part.encoder } else { encoder = try opened(for: frame) }
    part = (encoder, part?.start ?? time, (part?.count ?? 0) + 1)
    try encoder.encode(frame, take)
  }

  func skip(to nanoseconds: Int64) throws(MediaError) { try output.skip(to: nanoseconds) }

  func finish() throws(MediaError) {
    if part != nil { try close(next: .max) }
    guard track != nil || journal.resumePoint == nil else {
      throw MediaError(.internal, "the source has no frames where the last part began")
    }
    try output.finish()
  }

  private func isOver(_ start: Int64, at time: Int64) -> Bool {
    Rational(1, 1).convert(journal.parts.seconds, to: timeBase) <= time - start
  }

  /// Begins the track with the description of an unused encoder, and passes on the packets of the journal.
  private func begin(with frame: Frame) throws(MediaError) -> EncoderInstance {
    let encoder = try open(frame)
    track = encoder.track
    try output.begin(encoder.track)
    try journal.replay { (packet) throws(MediaError) in try output.consume(packet) }
    return encoder
  }

  private func opened(for frame: Frame) throws(MediaError) -> EncoderInstance {
    let encoder = try open(frame)
    try check(encoder)
    return encoder
  }

  private func take(_ packet: Packet) throws(MediaError) {
    try journal.append(packet)
    try output.consume(packet)
  }

  private func close(next: Int64) throws(MediaError) {
    guard let (encoder, start, _) = part else { return }
    part = nil
    try encoder.encode(nil, take)
    try check(encoder)
    try journal.closePart(start: start, next: next)
  }

  /// Throws `unsupported` if the encoder's track description differs between parts: they cannot be joined.
  private func check(_ encoder: EncoderInstance) throws(MediaError) {
    guard encoder.track != track else { return }
    throw MediaError(
      .unsupported,
      "\(encoder.factory.label) makes parts that cannot be joined; export without resuming")
  }
}
