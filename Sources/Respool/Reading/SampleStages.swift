import RespoolMedia

/// A time range in units of a track's time base, for comparison with every packet.
struct TickRange {
  /// The unit nearest to the start, the first one at or after it, and the last one at or before it.
  let start, startUp, startDown: Int64
  /// The unit nearest to the end, and the first one after the range.
  ///
  /// `Int64.max` if the range has no end.
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

/// Converts packets of a track into stored samples: all that are needed to decode a range.
final class StoredSampleStage: Stage {
  private let source: FileSource
  private let range: TickRange
  private let isAudio: Bool
  private let isVideo: Bool
  private let lasts: Bool
  /// `true` if the segment is placed on a composition's time line.
  private let isPlaced: Bool
  /// Duration of the audio before the range that must be decoded, in the track's time base.
  private let audioLead: Int64
  private let keepsRanges: Bool
  /// End of the track.
  ///
  /// `nil` if unknown.
  private let trackEnd: Int64?
  private let readLimit: ReadLimit
  private let end: SampleEnd
  /// Packets that may be needed to decode the start of the range: all since the last sync sample.
  private var lead: [Packet] = []
  private var hasBegun: Bool
  /// Presentation time of the sync sample at which decoding begins before the range.
  private var firstShown: Int64?

  /// Creates a stage.
  ///
  /// If `keepsRanges` is true, packets that are ranges of the file are not read.
  ///
  /// `lead` is the duration of the audio before the range that exact decoding needs.
  init(
    _ feed: TrackFeed, keepsRanges: Bool, lead: MediaTime, readLimit: ReadLimit, to end: SampleEnd
  ) {
    source = feed.source
    audioLead = lead.ticks(feed.track.timeBase, rounding: .up) ?? 0
    isPlaced = feed.clip.target != nil
    self.keepsRanges = keepsRanges
    range = TickRange(feed.clip.source, feed.track.timeBase)
    isAudio = feed.track.kind == .audio
    isVideo = feed.track.kind == .video
    lasts = feed.track.isTimedMetadata || feed.track.kind == .subtitle
    trackEnd = feed.clip.track.timeRange.end.ticks(feed.track.timeBase)
    self.readLimit = readLimit
    self.end = end
    hasBegun = range.startUp <= 0
  }

  func consume(_ packet: Packet) throws(MediaError) {
    let time = packet.dts ?? packet.pts
    if let time, time >= range.endUp {
      readLimit.isPast = true
      return
    }
    guard !hasBegun else { return try give(packet) }
    if packet.flags.contains(.key), let shown = packet.pts ?? packet.dts,
      shown <= range.startDown.subtractingReportingOverflow(audioLead).partialValue
    {
      lead = []
    }
    lead.append(packet)
    if let time, time >= range.startUp { try begin() }
  }

  func finish() throws(MediaError) {
    if beginsAfterAll { lead = [] }
    try begin()
  }

  /// `true` if the range begins after the end of the track and of all samples read.
  private var beginsAfterAll: Bool {
    guard let trackEnd, trackEnd <= range.startDown else { return false }
    return lead.allSatisfy { packet in
      (packet.pts ?? packet.dts ?? 0).addingReportingOverflow(packet.duration).partialValue
        <= range.startDown
    }
  }

  private func begin() throws(MediaError) {
    hasBegun = true
    if isVideo, let first = lead.first, first.flags.contains(.key), let shown = first.pts,
      shown <= range.startDown
    {
      firstShown = shown
    }
    for packet in lead { try give(packet) }
    lead = []
  }

  private func give(_ packet: Packet) throws(MediaError) {
    // In an open GOP, frames that are presented before its first frame need the GOP before (ISO/IEC 13818-2
    // 6.3.8). None of them is in the range, and no frame in the range needs them.
    if let firstShown, let shown = packet.pts, shown < firstShown { return }
    var packet = keepsRanges ? packet : try source.bytes(of: packet)
    if let start = packet.pts {
      // Decoded because other frames need it, but not shown.
      if start >= range.endUp { packet.flags.insert(.discard) }
      let (last, overflow) = start.addingReportingOverflow(packet.duration)
      if isAudio, start < range.endUp, !overflow, last > range.end, packet.trimEnd == 0 {
        packet.trimEnd = last - range.end
      }
      // Timed metadata and subtitles end with the range. In a composition they also begin with the range,
      // because another clip is shown before.
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
  private let videoEnd: Int64?
  private let readLimit: ReadLimit
  private let next: any Stage<Frame>
  /// The last frame before the range, which is shown in it until the next one comes.
  private var held: Frame?

  /// Creates a stage that cuts to `range`, on the time line of the frames.
  ///
  /// With `videoEnd`, a frame is shown until the next one, and the last one until `videoEnd`, even if its
  /// duration is shorter. Most containers state only a default duration or none, and MP4 states differences
  /// of decoding times. `nil`: a frame is shown for its stated duration.
  init(
    _ range: TimeRange, timeBase: Rational, videoEnd: MediaTime? = nil, readLimit: ReadLimit,
    to next: any Stage<Frame>
  ) {
    // Rounded to the nearest unit: for audio this is the nearest audio sample.
    self.range = TickRange(range, timeBase)
    self.timeBase = timeBase
    self.videoEnd = videoEnd.flatMap { $0.ticks(timeBase) }
    self.readLimit = readLimit
    self.next = next
  }

  func consume(_ frame: Frame) throws(MediaError) {
    guard let pts = frame.pts else { return try next.consume(frame) }
    var cut = frame
    if pts >= range.start { try showHeld(until: pts) }
    if pts >= range.end {
      readLimit.isPast = true
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
        if videoEnd != nil { held = frame }
        return
      }
      held = nil
      cut.pts = pts + front
      cut.duration = frame.duration - front - back
    }
    try next.consume(cut)
  }

  func finish() throws(MediaError) {
    if let videoEnd { try showHeld(until: videoEnd) }
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

/// Converts packets and frames into samples on the reader's time line.
final class SampleEnd: Stage {
  private let queue: SampleQueue
  private let clip: TrackRange
  private var hasGivenPacket = false
  /// Time base of the frames.
  var timeBase: Rational
  /// `true` if frames get memory of their own.
  var copies: Bool
  /// `true` if samples refer to the bytes in the file instead of containing them.
  var givesReferences = false
  private var format: FormatDescription?
  /// Sample descriptions of stored samples.
  private lazy var formats = clip.track.formatDescriptions

  init(_ queue: SampleQueue, clip: TrackRange, copies: Bool) {
    self.queue = queue
    self.clip = clip
    self.copies = copies
    timeBase = clip.track.description.timeBase
  }

  func give(_ packet: Packet) throws(MediaError) {
    let plain = SampleBuffer(
      .packet(packet), format: formats[packet.sampleDescriptionIndex],
      timeBase: clip.track.description.timeBase)
    let sample = clip.target.map { placed(plain, at: $0) } ?? plain
    if !hasGivenPacket {
      hasGivenPacket = true
      sample.state.withLock { $0.startedPiece = clip.target }
    }
    if givesReferences { try refer(sample, to: packet) }
    try queue.put(sample)
  }

  private func refer(_ sample: SampleBuffer, to packet: Packet) throws(MediaError) {
    guard case .range(let offset, _) = packet.payload, let path = clip.track.asset?.path else {
      throw MediaError(.unsupported, "samples of the track are not stored unchanged in the file")
    }
    sample.state.withLock { $0.reference = SampleReference(path: path, byteOffset: offset) }
  }

  func consume(_ frame: Frame) throws(MediaError) {
    let frame = copies ? frame.copied() ?? frame : frame
    let plain = SampleBuffer(
      .frame(frame), format: description(of: frame), timeBase: timeBase)
    // `PlacedAudioStage` has already placed audio, exact to the audio sample.
    guard let target = clip.target, frame.kind == .video else { return try queue.put(plain) }
    try queue.put(placed(plain, at: target))
  }

  func finish() {}

  private func placed(_ sample: SampleBuffer, at target: TimeRange) -> SampleBuffer {
    let start = sample.presentationTimeStamp
    let shown = start.mapped(from: clip.source, to: target)
    let end = (start + sample.duration).mapped(from: clip.source, to: target)
    return SampleBuffer(
      sample.content, format: sample.formatDescription, timeBase: timeBase,
      timing: SampleTiming(
        duration: end.isNumeric && shown.isNumeric ? end - shown : .invalid,
        presentationTimeStamp: shown,
        decodeTimeStamp: sample.decodeTimeStamp.isNumeric
          ? sample.decodeTimeStamp.mapped(from: clip.source, to: target) : .invalid))
  }

  /// Returns the format description of a frame; creates one only if the format changes.
  private func description(of frame: Frame) -> FormatDescription {
    var track = clip.track.description
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
