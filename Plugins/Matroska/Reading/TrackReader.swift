import RespoolPlugin

/// A track's reading state, which makes packets from its blocks.
struct TrackReader {
  let entry: TrackEntry
  let index: Int
  var description: TrackDescription
  /// `true` for codecs whose packets may depend on others.
  private var needsOthers: Bool {
    description.kind == .video || ["truehd", "mlp"].contains(description.codec)
  }
  let form: CodecIdentifier.Form
  private let tick: Rational
  /// Ticks that are added to all timestamps.
  private let offset: Int64
  private let delay: Int64
  /// `true` for audio whose ticks are coarser than samples: times then count in samples, as blocks are
  /// rounded to milliseconds.
  private let countsSamples: Bool
  /// Rounding error of a timestamp, in units of the time base.
  private let tolerance: Int64
  private var lengths: AudioLength
  private var decoding: DecodeTimes
  /// The display order of frames whose blocks have decoding times.
  private var order: DisplayOrder?
  private let bidirectionalFrames: BidirectionalFrames?
  /// Expected presentation time of the next packet, from the number of samples so far.
  private var expected: Int64?
  /// Timestamp of the track's first block.
  private let firstTime: Int64?
  private let startsAfterEncoderDelay: Bool
  var isSelected = true
  /// Error that is thrown once when the track is read.
  var failure: MediaError?
  /// Packets before this time are skipped after a seek.
  var skipsUntil: Int64?
  /// Packets before this block position are skipped after a seek.
  var skipsBefore: Int64?

  /// Codecs with large frames that all muxers copy from a range of the source.
  private static let codecsAsRanges: Set<String> = [
    "h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mjpeg",
  ]

  init(
    _ entry: TrackEntry, index: Int, _ description: TrackDescription, _ identifier: CodecIdentifier,
    tick: Rational, offset: Int64, firstTime: Int64?, startsAfterEncoderDelay: Bool
  ) {
    (self.entry, self.index, self.form, self.tick) = (entry, index, identifier.form, tick)
    (self.offset, self.firstTime, self.startsAfterEncoderDelay) = (
      offset, firstTime, startsAfterEncoderDelay
    )
    delay = Rational.nanoseconds.convert(Int64(clamping: entry.codecDelay), to: tick)
    var description = description
    let rate = description.sampleRate
    let isAudio = description.kind == .audio && rate > 0
    let isExact =
      isAudio && Int64(tick.denominator) % (Int64(tick.numerator) * Int64(rate)) == 0
    countsSamples = isAudio && !isExact
    if countsSamples { description.timeBase = Rational(1, Int32(clamping: rate)) }
    tolerance = countsSamples ? tick.convert(1, to: description.timeBase, rounding: .up) : 0
    lengths = AudioLength(description)
    let frame =
      description.frameRate.isPositive
      ? description.frameRate.inverse.convert(1, to: description.timeBase) : 1
    bidirectionalFrames = identifier.bidirectionalFrames
    let isOrdered = bidirectionalFrames != nil
    if isOrdered { order = DisplayOrder(depth: description.reorderDepth) }
    decoding = DecodeTimes(
      depth: description.kind == .video && !isOrdered ? description.reorderDepth : 0, step: frame)
    failure = entry.encoding.failure
    if let firstTime {
      let start = firstTime.subtractingClamped(delay).addingClamped(offset)
      description.start = max(0, tick.convert(start, to: description.timeBase))
    }
    self.description = description
  }

  /// Duration of a timestamp tick in seconds.
  var timeline: Rational { tick }

  mutating func reset() {
    expected = nil
    decoding.reset()
    if order != nil { order = DisplayOrder(depth: description.reorderDepth) }
    lengths.reset()
    (skipsUntil, skipsBefore) = (nil, nil)
  }

  /// Converts a timestamp to the presentation time line, in the time base of the track.
  func presentation(_ time: Int64) -> Int64 {
    tick.convert(time.subtractingClamped(delay).addingClamped(offset), to: description.timeBase)
  }

  /// Returns the timestamp for a presentation time, rounded down.
  func timestamp(_ presentation: Int64) -> Int64 {
    description.timeBase.convert(presentation, to: tick, rounding: .down)
      .subtractingClamped(offset).addingClamped(delay)
  }

  // MARK: Packets

  /// Returns the packets of a block of this track.
  mutating func packets(of block: Block, _ window: SourceWindow) throws(MediaError) -> [Packet] {
    if let skipsBefore, block.position < skipsBefore { return [] }
    var result: [Packet] = []
    let count = Int64(block.frames.count)
    let lasts = blockDuration(block)
    for (number, frame) in block.frames.enumerated() {
      let isLast = number == block.frames.count - 1
      var time: Int64?
      if number == 0 {
        time = block.time
      } else if let lasts {
        time = block.time.addingClamped(tick(lasts * Double(number) / Double(count)))
      }
      let duration = lasts.map { tick($0 / Double(count)) } ?? 0
      let size = frame.upperBound - frame.lowerBound
      guard size > 0 || !block.additions.isEmpty else { continue }
      let packet = try packet(
        frame, time: time, duration: duration, block, isLast: isLast, window)
      if order != nil {
        let isBidirectional = try isBidirectional(packet, window)
        order?.add(packet, isBidirectional: isBidirectional, to: &result)
      } else {
        result.append(packet)
      }
    }
    return shown(result)
  }

  /// Returns the packets that wait for the next frame, at the end of the file.
  mutating func remainingPackets() -> [Packet] {
    var result: [Packet] = []
    order?.finish(to: &result)
    return shown(result)
  }

  /// Returns the packets that are not skipped after a seek.
  private func shown(_ packets: [Packet]) -> [Packet] {
    guard let skipsUntil else { return packets }
    return packets.filter { packet in
      packet.pts.map { $0.addingClamped(packet.duration) >= skipsUntil } ?? true
    }
  }

  private func isBidirectional(_ packet: Packet, _ window: SourceWindow) throws(MediaError)
    -> Bool
  {
    let count = min(packet.size, BidirectionalFrames.headSize)
    switch packet.payload {
    case .range(let offset, _):
      let head = Array(try window.bytes(at: offset, count: count))
      return bidirectionalFrames?.contains(head) ?? false
    default:
      let head = packet.buffer.map { Array($0.readOnly.prefix(count)) } ?? []
      return bidirectionalFrames?.contains(head) ?? false
    }
  }

  private func tick(_ value: Double) -> Int64 {
    value.magnitude < 9e18 ? Int64(value.rounded()) : 0
  }

  /// Returns the total duration of a block's frames in ticks.
  ///
  /// `nil` if unknown.
  private func blockDuration(_ block: Block) -> Double? {
    if let duration = block.duration { return Double(duration) }
    guard let frame = entry.defaultDuration else { return nil }
    return Double(frame) / 1e9 / tick.doubleValue * Double(block.frames.count)
  }

  private mutating func packet(
    _ frame: Range<Int64>, time: Int64?, duration: Int64, _ block: Block, isLast: Bool,
    _ window: SourceWindow
  ) throws(MediaError) -> Packet {
    var packet = Packet(
      track: index, pts: nil, dts: nil, duration: duration,
      flags: block.isKey || !needsOthers ? .key : [],
      payload: .range(offset: frame.lowerBound, length: frame.upperBound - frame.lowerBound))
    var sideData: [UInt8] = block.additions.first(where: { $0.id == 1 })?.bytes ?? []
    let isRange =
      form == .plain && !entry.encoding.changesFrames
      && Self.codecsAsRanges.contains(description.codec) && window.source.isSeekable
    if !isRange {
      let bytes = try payload(frame, &sideData, window)
      packet.payload = .bytes(MediaBuffer(bytes))
    }
    packet.sideData = sideData
    if description.kind == .audio {
      placeAudio(&packet, time, block, isLast: isLast)
    } else {
      packet.pts = time.map(presentation)
      if description.kind == .video {
        packet.dts = packet.pts.map { decoding.next($0) }
        if packet.duration == 0, description.frameRate.isPositive {
          packet.duration = description.frameRate.inverse.convert(1, to: description.timeBase)
        }
      } else {
        packet.dts = packet.pts
        if entry.codecID == "S_TEXT/WEBVTT", let pts = packet.pts, let buffer = packet.buffer {
          let start = description.timeBase.convert(pts, to: Rational(1, 1000))
          packet.payload = .bytes(
            MediaBuffer(CueTimestamps.moved(Array(buffer.readOnly), by: start)))
        }
      }
    }
    return packet
  }

  /// Returns the bytes of a frame in the form of the pipeline.
  private func payload(
    _ frame: Range<Int64>, _ sideData: inout [UInt8], _ window: SourceWindow
  ) throws(MediaError) -> [UInt8] {
    let count = Int(clamping: frame.upperBound - frame.lowerBound)
    let stored = try window.bytes(at: frame.lowerBound, count: count)
    guard stored.count == count else {
      throw MediaError(
        .malformed,
        "a frame has \(count.counting("byte")), but the file ends after \(stored.count)",
        track: index, offset: frame.lowerBound)
    }
    let bytes = entry.encoding.changesFrames ? try entry.encoding.decode(stored) : Array(stored)
    switch form {
    case .plain: return bytes
    case .proRes:
      // The file omits the size of the frame and `icpf` (SMPTE RDD 36 5.1).
      let total = UInt32(clamping: bytes.count + 8)
      return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: total >> $0) } + Array("icpf".utf8)
        + bytes
    case .cue: return Self.cue(bytes, &sideData)
    case .wavPack: return WavPackBlocks.restored(bytes, version: entry.codecPrivate)
    }
  }

  /// Moves identifier and settings from the start of a cue to its side data.
  private static func cue(_ bytes: [UInt8], _ sideData: inout [UInt8]) -> [UInt8] {
    let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3 else { return bytes }
    func line(_ text: ArraySlice<UInt8>) -> [UInt8] {
      Array(text.last == 0x0D ? text.dropLast() : text)
    }
    let (identifier, settings) = (line(lines[0]), line(lines[1]))
    if !identifier.isEmpty || !settings.isEmpty { sideData = settings + [0x0A] + identifier }
    var text = lines[2]
    while text.last == 0x0A || text.last == 0x0D { text = text.dropLast() }
    return Array(text)
  }

  // MARK: Audio

  private mutating func placeAudio(
    _ packet: inout Packet, _ time: Int64?, _ block: Block, isLast: Bool
  ) {
    let base = description.timeBase
    let samples = Rational(1, Int32(clamping: max(1, description.sampleRate)))
    var length = 0
    if let bytes = packet.buffer?.readOnly {
      length = lengths.samples(Array(bytes.prefix(AudioLength.headSize))[...], size: bytes.count)
    }
    let unrounded = time.map(presentation)
    if let first = firstTime, time == first, block.time == first {
      packet.trimStart = samples.convert(firstTrim(unrounded), to: base)
    }
    if isLast, block.discardPadding > 0 {
      packet.trimEnd = samples.convert(
        Rational.nanoseconds.convert(block.discardPadding, to: samples), to: base)
    } else if isLast, block.discardPadding < 0 {
      // A negative value trims the start (RFC 9559 5.1.3.5.7).
      packet.trimStart = max(
        packet.trimStart,
        samples.convert(
          Rational.nanoseconds.convert(
            Int64(clamping: block.discardPadding.magnitude), to: samples),
          to: base))
    }
    packet.duration =
      length > 0
      ? samples.convert(Int64(length), to: base) : tick.convert(packet.duration, to: base)
    packet.pts = unrounded ?? expected
    if countsSamples, let pts = unrounded {
      if let expected, (expected - pts).magnitude <= tolerance {
        packet.pts = expected
      } else if packet.trimStart > 0, pts.addingClamped(packet.trimStart).magnitude <= tolerance {
        // The audio after the trimmed part begins at 0 apart from the rounding error.
        packet.pts = -packet.trimStart
      }
    }
    packet.dts = packet.pts
    expected = packet.duration > 0 ? packet.pts.map { $0.addingClamped(packet.duration) } : nil
  }

  /// Returns the number of samples to trim from the start of the track.
  private func firstTrim(_ pts: Int64?) -> Int64 {
    if description.codec == "opus", let head = try? OpusConfiguration(head: description.extradata),
      head.preSkip > 0
    {
      return Int64(head.preSkip)
    }
    // FFmpeg does not trim the CodecDelay of other codecs.
    guard startsAfterEncoderDelay, let pts, pts < 0 else { return 0 }
    return Int64(description.initialPadding)
  }
}
