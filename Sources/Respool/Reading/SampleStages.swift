import RespoolMedia

/// A range in units of a track: what is compared with every packet.
struct TickRange {
  /// The unit next to its start, the first at or after it, and the last at or before it.
  let start, startUp, startDown: Int64
  /// The unit next to its end, and the first that is not in it; the highest there is for no end.
  let end, endUp: Int64

  init(_ range: TimeRange, _ base: Rational) {
    start = range.start.ticks(base) ?? 0
    startUp = range.start.ticks(base, rounding: .up) ?? 0
    startDown = range.start.ticks(base, rounding: .down) ?? 0
    let last = range.duration.isNumeric ? range.end : .positiveInfinity
    endUp = last.ticks(base, rounding: .up) ?? .max
    end = last.ticks(base) ?? .max
  }
}

/// Packets of a track on their way to become stored samples: what is needed to decode a range.
final class StoredSampleStage: Stage {
  private let source: FileSource
  private let range: TickRange
  private let isSound: Bool
  private let isPicture: Bool
  private let lasts: Bool
  /// Whether it is put elsewhere than where it is, among other pieces.
  private let isPlaced: Bool
  /// How much before the range sound has to be decoded.
  private let soundLead: Int64
  private let keepsRanges: Bool
  /// Where the track ends; nil where that is not known.
  private let trackEnd: Int64?
  private let reach: Reach
  private let end: SampleEnd
  /// What may be needed to decode the start of the range: all since the last packet where decoding can
  /// begin.
  private var lead: [Packet] = []
  private var hasBegun: Bool
  /// When the picture is shown with which decoding begins before the range.
  private var firstShown: Int64?

  /// `keepsRanges`: packets that are ranges of the file are not read; `lead`: how much sound comes before the
  /// range so that it can be decoded exactly.
  init(
    _ feed: TrackFeed, keepsRanges: Bool, lead: MediaTime, reach: Reach, to end: SampleEnd
  ) {
    source = feed.source
    soundLead = lead.ticks(feed.track.timeBase, rounding: .up) ?? 0
    isPlaced = feed.piece.target != nil
    self.keepsRanges = keepsRanges
    range = TickRange(feed.piece.source, feed.track.timeBase)
    isSound = feed.track.kind == .audio
    isPicture = feed.track.kind == .video
    lasts = feed.track.isTimedMetadata || feed.track.kind == .subtitle
    trackEnd = feed.piece.track.timeRange.end.ticks(feed.track.timeBase)
    self.reach = reach
    self.end = end
    hasBegun = range.startUp <= 0
  }

  func consume(_ packet: Packet) throws(MediaError) {
    let time = packet.dts ?? packet.pts
    if let time, time >= range.endUp {
      reach.isPast = true
      return
    }
    guard !hasBegun else { return try give(packet) }
    if packet.flags.contains(.key), let shown = packet.pts ?? packet.dts,
      shown <= range.startDown.subtractingReportingOverflow(soundLead).partialValue
    {
      lead = []
    }
    lead.append(packet)
    if let time, time >= range.startUp { try begin() }
  }

  func finish() throws(MediaError) {
    if isBehindAll { lead = [] }
    try begin()
  }

  /// Whether the range begins where neither the track nor a sample that has been read has anything left.
  private var isBehindAll: Bool {
    guard let trackEnd, trackEnd <= range.startDown else { return false }
    return lead.allSatisfy { packet in
      (packet.pts ?? packet.dts ?? 0).addingReportingOverflow(packet.duration).partialValue
        <= range.startDown
    }
  }

  private func begin() throws(MediaError) {
    hasBegun = true
    if isPicture, let first = lead.first, first.flags.contains(.key), let shown = first.pts,
      shown <= range.startDown
    {
      firstShown = shown
    }
    for packet in lead { try give(packet) }
    lead = []
  }

  private func give(_ packet: Packet) throws(MediaError) {
    // Of an open group of pictures those that are shown before its first one need the group before (ISO/IEC
    // 13818-2 6.3.8). None is in the range, and none that is needs them.
    if let firstShown, let shown = packet.pts, shown < firstShown { return }
    var packet = keepsRanges ? packet : try source.bytes(of: packet)
    if let start = packet.pts {
      // Decoded for the sake of others, but not shown.
      if start >= range.endUp { packet.flags.insert(.discard) }
      let (last, overflow) = start.addingReportingOverflow(packet.duration)
      if isSound, start < range.endUp, !overflow, last > range.end, packet.trimEnd == 0 {
        packet.trimEnd = last - range.end
      }
      // What holds for a time, or is shown, is not read for longer than the range, nor for earlier
      // where something else is.
      if lasts, isPlaced, !packet.cut(before: range.startUp) { return }
      if lasts, let start = packet.pts, start < range.end, !overflow, last > range.end {
        packet.duration = range.end - start
      }
    }
    try end.give(packet)
  }
}

/// Cuts decoded media to the range that is read.
final class RangeStage: Stage {
  private let range: TickRange
  private let timeBase: Rational
  private let pictureEnd: Int64?
  private let reach: Reach
  private let next: any Stage<Frame>
  /// The last picture before the range, which is shown in it until the next one comes.
  private var held: Frame?

  /// Cuts to `range`, on the time line of the frames.
  ///
  /// `pictureEnd`: a picture is shown until the next one, and the last until then, however short its duration
  /// is said to be. Most containers only tell a usual duration, or none, and MP4 those from one decoding time to
  /// the next. Nil: only as long as it says.
  init(
    _ range: TimeRange, timeBase: Rational, pictureEnd: MediaTime? = nil, reach: Reach,
    to next: any Stage<Frame>
  ) {
    // To the nearest unit: of sound that is the nearest sample.
    self.range = TickRange(range, timeBase)
    self.timeBase = timeBase
    self.pictureEnd = pictureEnd.flatMap { $0.ticks(timeBase) }
    self.reach = reach
    self.next = next
  }

  func consume(_ frame: Frame) throws(MediaError) {
    guard let pts = frame.pts else { return try next.consume(frame) }
    var cut = frame
    if pts >= range.start { try showHeld(until: pts) }
    if pts >= range.end {
      reach.isPast = true
      return
    }
    let (last, overflow) = pts.addingReportingOverflow(frame.duration)
    let front = max(0, range.start &- pts)
    let back = overflow ? 0 : max(0, last &- range.end)
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
      guard front == 0 || front < frame.duration else {
        if pictureEnd != nil { held = frame }
        return
      }
      held = nil
      cut.pts = pts + front
      cut.duration = frame.duration - front - back
    }
    try next.consume(cut)
  }

  func finish() throws(MediaError) {
    if let pictureEnd { try showHeld(until: pictureEnd) }
    try next.finish()
  }

  private func showHeld(until end: Int64) throws(MediaError) {
    guard var held else { return }
    self.held = nil
    held.pts = range.start
    held.duration = min(end, range.end) - range.start
    if held.duration > 0 { try next.consume(held) }
  }
}

/// Packets and frames become samples on the time line of whoever reads.
final class SampleEnd: Stage {
  private let queue: SampleQueue
  private let piece: TrackPiece
  private var hasGivenPacket = false
  /// Of the frames' times.
  var timeBase: Rational
  /// Whether frames get memory of their own.
  var copies: Bool
  /// Whether packets have no bytes and say where these lie.
  var givesReferences = false
  private var format: FormatDescription?
  /// Of stored samples.
  private lazy var formats = piece.track.formatDescriptions

  init(_ queue: SampleQueue, piece: TrackPiece, copies: Bool) {
    self.queue = queue
    self.piece = piece
    self.copies = copies
    timeBase = piece.track.description.timeBase
  }

  func give(_ packet: Packet) throws(MediaError) {
    let plain = SampleBuffer(
      .packet(packet), format: formats[packet.format], timeBase: piece.track.description.timeBase)
    let sample = piece.target.map { placed(plain, at: $0) } ?? plain
    if !hasGivenPacket {
      hasGivenPacket = true
      sample.state.withLock { $0.startedPiece = piece.target }
    }
    if givesReferences { try refer(sample, to: packet) }
    try queue.put(sample)
  }

  private func refer(_ sample: SampleBuffer, to packet: Packet) throws(MediaError) {
    guard case .range(let offset, _) = packet.payload, let path = piece.track.asset?.path else {
      throw MediaError(.unsupported, "samples of the track do not lie in the file as they are")
    }
    sample.state.withLock { $0.reference = SampleReference(path: path, byteOffset: offset) }
  }

  func consume(_ frame: Frame) throws(MediaError) {
    let frame = copies ? frame.copied() ?? frame : frame
    let plain = SampleBuffer(
      .frame(frame), format: description(of: frame), timeBase: timeBase)
    // Sound has been put in its place by the sample.
    guard let target = piece.target, frame.kind == .video else { return try queue.put(plain) }
    try queue.put(placed(plain, at: target))
  }

  func finish() {}

  private func placed(_ sample: SampleBuffer, at target: TimeRange) -> SampleBuffer {
    let start = sample.presentationTimeStamp
    let shown = start.mapped(from: piece.source, to: target)
    let end = (start + sample.duration).mapped(from: piece.source, to: target)
    return SampleBuffer(
      sample.content, format: sample.formatDescription, timeBase: timeBase,
      timing: SampleTiming(
        duration: end.isNumeric && shown.isNumeric ? end - shown : .invalid,
        presentationTimeStamp: shown,
        decodeTimeStamp: sample.decodeTimeStamp.isNumeric
          ? sample.decodeTimeStamp.mapped(from: piece.source, to: target) : .invalid))
  }

  /// Made anew only where the frames change.
  private func description(of frame: Frame) -> FormatDescription {
    var track = piece.track.description
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
