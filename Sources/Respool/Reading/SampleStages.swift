import RespoolMedia

/// Packets of a track become stored samples of an output.
final class StoredSampleStage: Stage {
  private unowned let output: AssetReaderTrackOutput
  private let source: FileSource
  private let range: TimeRange
  /// What may be needed to decode the start of the range: all since the last packet where decoding can
  /// begin.
  private var lead: [Packet] = []
  private var hasBegun: Bool

  init(_ output: AssetReaderTrackOutput, _ source: FileSource, _ range: TimeRange) {
    self.output = output
    self.source = source
    self.range = range
    hasBegun = range.start <= .zero
  }

  func consume(_ packet: Packet) throws(MediaError) {
    let base = output.track.description.timeBase
    let time = MediaTime(packet.dts ?? packet.pts, base)
    if time.isNumeric, range.duration.isNumeric, time >= range.end {
      output.isPastEnd = true
      return try finish()
    }
    guard !hasBegun else { return try give(packet) }
    let isKey = packet.flags.contains(.key)
    if isKey, MediaTime(packet.pts ?? packet.dts, base) <= range.start { lead = [] }
    lead.append(packet)
    if time.isNumeric, time >= range.start { try begin() }
  }

  func finish() throws(MediaError) { try begin() }

  private func begin() throws(MediaError) {
    hasBegun = true
    for packet in lead { try give(packet) }
    lead = []
  }

  private func give(_ packet: Packet) throws(MediaError) {
    let format = output.track.formatDescription
    let packet = try source.bytes(of: packet)
    output.ready.append(
      SampleBuffer(.packet(packet), format: format, timeBase: format.track.timeBase))
  }
}

/// Cuts decoded media to the range that is read.
final class RangeStage: Stage {
  private unowned let output: AssetReaderTrackOutput
  private let range: TimeRange
  private let timeBase: Rational
  private let next: any Stage<Frame>

  init(
    _ output: AssetReaderTrackOutput, _ range: TimeRange, timeBase: Rational,
    to next: any Stage<Frame>
  ) {
    self.output = output
    self.range = range
    self.timeBase = timeBase
    self.next = next
  }

  func consume(_ frame: Frame) throws(MediaError) {
    guard let pts = frame.pts else { return try next.consume(frame) }
    var cut = frame
    let start = ticks(range.start)
    let end = range.duration.isNumeric ? ticks(range.end) : .max
    if pts >= end {
      output.isPastEnd = true
      return
    }
    let (last, overflow) = pts.addingReportingOverflow(frame.duration)
    let front = max(0, start &- pts)
    let back = overflow ? 0 : max(0, last &- end)
    guard front > 0 || back > 0 else { return try next.consume(frame) }
    switch frame.kind {
    case .audio:
      guard front < frame.sampleCount,
        let part = frame.droppingSamples(
          front: Int(front), back: Int(min(back, Int64(frame.sampleCount) - front)),
          timeBase: timeBase)
      else { return }
      cut = part
    case .video:
      guard front == 0 || front < frame.duration else { return }
      cut.pts = pts + front
      cut.duration = frame.duration - front - back
    }
    try next.consume(cut)
  }

  func finish() throws(MediaError) { try next.finish() }

  /// To the nearest unit: of sound that is the nearest sample.
  private func ticks(_ time: MediaTime) -> Int64 {
    guard time.isNumeric, time.timescale > 0 else { return 0 }
    return Rational(1, time.timescale).convert(time.value, to: timeBase)
  }
}

/// Frames become decoded samples of an output.
final class DecodedSampleStage: Stage {
  private unowned let output: AssetReaderTrackOutput
  let timeBase: Rational
  private var format: FormatDescription?

  init(_ output: AssetReaderTrackOutput, timeBase: Rational) {
    self.output = output
    self.timeBase = timeBase
  }

  func consume(_ frame: Frame) {
    output.ready.append(
      SampleBuffer(.frame(frame), format: description(of: frame), timeBase: timeBase))
  }

  func finish() {}

  /// Made anew only where the frames change.
  private func description(of frame: Frame) -> FormatDescription {
    var track = output.track.description
    track.timeBase = timeBase
    track.extradata = []
    switch frame.kind {
    case .video:
      track.codec = "rawvideo"
      (track.width, track.height) = (frame.width, frame.height)
      (track.pixelFormat, track.color) = (frame.pixelFormat, frame.color)
    case .audio:
      track.codec = "pcm"
      (track.sampleRate, track.channelLayout) = (frame.sampleRate, frame.channelLayout)
      track.sampleFormat = frame.sampleFormat
    }
    if let format, format.track == track { return format }
    let fresh = FormatDescription(track)
    format = fresh
    return fresh
  }
}
