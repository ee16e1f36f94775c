import RespoolMedia

/// Converts packets of a text track to packets of another format.
final class CaptionStage: Stage {
  private let track: TrackDescription
  private let source: FileSource?
  private let port: TrackOutput
  private let output: TrackDescription
  private let (from, to): (CaptionFormat, CaptionFormat)
  private var reader = CaptionTrackReader()
  private var hasBegun = false
  private lazy var writer = CaptionTrackWriter(to, startingAt: .zero) {
    [unowned self] (coded: CodedCaption) throws(MediaError) in
    try begin()
    if let packet = coded.packet(in: output.timeBase) { try port.consume(packet) }
  }
  private var lastStart = MediaTime.negativeInfinity
  private var skipped: Set<String> = []

  var damagedPackets: Int { reader.damagedPackets }
  var firstDamage: MediaError? { reader.firstDamage }
  /// Names of parts that the output format cannot store.
  var losses: [String] { skipped.sorted() }

  /// Throws `unsupported` if one of the formats cannot be read or written.
  init(
    _ track: TrackDescription, to codec: String, of source: FileSource?, port: TrackOutput
  ) throws(MediaError) {
    var output = track
    (output.codec, output.codecTag, output.extradata, output.bitRate) = (codec, 0, [], 0)
    guard let from = CaptionFormat(track), let to = CaptionFormat(output) else {
      throw MediaError(.unsupported, "\(track.codec) text cannot be converted to \(codec)")
    }
    if case .subStation = to { output.extradata = Array(SubStation.header(aspect: 4 / 3.0).utf8) }
    (self.track, self.output, self.source, self.port) = (track, output, source, port)
    (self.from, self.to) = (from, to)
    if case .subStation = from, SubStation.hasStyles(track.extradata) {
      skipped = ["its styles (font, size, color and position of whole lines)"]
    }
    if case .timedText(let text) = from { skipped.formUnion(text.styles) }
    if case .webVTT = from { skipped.formUnion(WebVTT.parts(ofHeader: track.extradata)) }
    port.announce(output)
  }

  private func begin() throws(MediaError) {
    guard !hasBegun else { return }
    hasBegun = true
    try port.begin(output)
  }

  func consume(_ packet: Packet) throws(MediaError) {
    guard let time = packet.pts ?? packet.dts, !packet.flags.contains(.discard) else { return }
    let bytes = try source?.bytes(of: packet).buffer ?? packet.buffer
    let start = MediaTime(time, track.timeBase)
    let readings = reader.read(
      bytes.map { Array($0.readOnly) } ?? [], sideData: packet.sideData, as: from,
      over: TimeRange(start: start, duration: MediaTime(packet.duration, track.timeBase)))
    try write(readings)
    // Moves the output's time on, so that other tracks do not wait for a caption that is held until the next packet.
    if to.isContinuous, let time = start.ticks(.nanoseconds) {
      try port.skip(to: time)
    }
  }

  private func write(_ readings: [CaptionReading]) throws(MediaError) {
    for reading in readings {
      skipped.formUnion(reading.skipped.prefix(max(0, 16 - skipped.count)))
      var caption = reading.caption
      if !to.hasStrikeThrough, caption.styled.has(.lineThrough) { skipped.insert("strike-through") }
      if to.isContinuous, caption.region != nil || caption.textAlignment != nil {
        skipped.insert("position")
      }
      // A packet that is out of order keeps its end, but starts with the caption before it.
      if caption.timeRange.start < lastStart {
        let end = max(lastStart, caption.timeRange.end)
        caption.timeRange = TimeRange(start: lastStart, end: end)
      }
      lastStart = caption.timeRange.start
      try writer.append(caption)
    }
  }

  func skip(to nanoseconds: Int64) throws(MediaError) {
    let time = MediaTime(value: nanoseconds, timescale: 1_000_000_000)
    lastStart = max(lastStart, time)
    // Starts the track now, so that other tracks are not held until the first text comes.
    try begin()
    try writer.skip(to: time)
    try port.skip(to: nanoseconds)
  }

  func finish() throws(MediaError) {
    let end = track.duration.map { (track.start ?? 0) &+ $0 }
    try write(reader.finish(at: MediaTime(end, track.timeBase)))
    try writer.finish()
    try port.finish()
  }
}

extension CodedCaption {
  /// Returns the packet with its times in `base`; `nil` if they cannot be expressed in it.
  func packet(in base: Rational) -> Packet? {
    guard let start = timeRange.start.ticks(base), let end = timeRange.end.ticks(base) else {
      return nil
    }
    var packet = Packet(
      track: 0, pts: start, dts: start, duration: max(0, end &- start), flags: .key,
      payload: .bytes(MediaBuffer(bytes)))
    packet.sideData = sideData
    return packet
  }
}
