import RespoolPlugin

/// Collects the tables of one track while its packets are written.
struct TrackWriter {
  /// How samples are coded and where they lie: what a sample description tells.
  struct Entry: Hashable {
    /// Of the track's formats.
    var format = 0
    /// Nil: the file that is written.
    var file: AliasRecord?
  }

  var track: TrackDescription
  let flavor: Flavor
  /// Units of the track's times in a second.
  let timeScale: Int64
  let trackID: UInt32
  /// Bytes of one instant of PCM; 0: not PCM.
  let soundFrameSize: Int
  let options: TrackOptions
  /// Presentation time behind which nothing is shown; nil: everything is.
  private(set) var end: Int64?

  // What waits to become a chunk.
  private(set) var pending: [Packet] = []
  private(set) var pendingBytes = 0
  var pendingStart: Int64 = 0
  private var pendingSamples = 0
  /// The same that lies in another file.
  var lent: MediaReference?

  // The tables.
  private(set) var times = TimeToSampleBox(runs: [])
  private(set) var offsets = CompositionOffsetBox(runs: [])
  private(set) var sizes: [UInt32] = []
  private(set) var soundSamples: Int64 = 0
  private(set) var sync: [UInt32] = []
  private(set) var chunkOffsets: [UInt64] = []
  /// How samples are coded and where they lie, in the order of first use.
  private(set) var entries: [Entry] = []
  /// Of each chunk the entry, from 0.
  private(set) var chunkEntries: [UInt16] = []
  private(set) var chunks = SampleToChunkBox(runs: [])
  private(set) var byteCount: Int64 = 0
  private(set) var largestSample: UInt32 = 0

  // The time line.
  private var lastTime: Int64?
  private var lastDuration: Int64 = 0
  /// When the last sample is shown.
  private var lastPresentation: Int64 = 0
  private(set) var firstTime: Int64 = 0
  /// Composition times of the samples less their decoding times, run by run, before the origin of
  /// the media is known.
  private(set) var lowestShown: Int64?
  private(set) var lowestPresentation: Int64 = .max
  /// End of what is presented last, shown or not.
  private var highestEnd: Int64 = 0
  private(set) var shownEnd: Int64 = 0
  /// The last sample is metadata that does not say how long it holds.
  private(set) var isOpen = false
  /// Sum of the durations.
  private(set) var mediaDuration: Int64 = 0

  /// What is shown of what, where the track comes in pieces.
  private(set) var joined: JoinedPieces

  /// By format; set from the first packet where the track itself does not tell.
  private(set) var configurations: [CodecConfiguration]

  init(
    _ track: TrackDescription, flavor: Flavor, trackID: UInt32,
    options: TrackOptions = TrackOptions()
  ) {
    self.track = track
    self.flavor = flavor
    self.trackID = trackID
    self.options = options
    let told = track.kind == .audio ? nil : options.timeScale
    timeScale = told ?? Self.timeScale(for: track)
    let linear = LinearSound(codec: track.codec)
    let bits = linear?.bits ?? (["pcm_mulaw", "pcm_alaw"].contains(track.codec) ? 8 : 0)
    joined = JoinedPieces(
      track.edits, in: track.timeBase, media: Rational(1, Int32(clamping: timeScale)))
    soundFrameSize = track.kind == .audio ? bits / 8 * track.channelLayout.channelCount : 0
    configurations = track.formats.map { CodecConfiguration($0) }
  }

  /// A scale that tells the times of the source exactly where 32 bits allow it.
  private static func timeScale(for track: TrackDescription) -> Int64 {
    if track.kind == .audio, track.sampleRate > 0 {
      return track.codec == "opus" ? 48000 : Int64(track.sampleRate)
    }
    let base = track.timeBase
    guard base.isPositive else { return 90000 }
    let (numerator, denominator) = (Int64(base.numerator), Int64(base.denominator))
    var scale = denominator % numerator == 0 ? denominator / numerator : denominator
    // Beyond that a gap of an hour between two samples does not fit into stts.
    if scale > 1_000_000 { return scale % 90000 == 0 ? 90000 : 1_000_000 }
    // A small scale could not tell the times of frames that a filter adds.
    while scale < 10_000 { scale *= 2 }
    return scale
  }

  var timeBase: Rational { Rational(1, Int32(clamping: timeScale)) }
  var sampleCount: Int64 { soundFrameSize > 0 ? soundSamples : Int64(sizes.count) }
  var isEmpty: Bool { sampleCount == 0 }

  /// Takes a packet; true when a chunk is full.
  mutating func append(_ packet: Packet) throws(MediaError) -> Bool {
    if packet.flags.contains(.startsPiece) {
      joined.start(
        packet, behind: isEmpty ? 0 : mediaEnd, holds: soundFrameSize == 0,
        isSound: track.kind == .audio)
      // A piece without media.
      guard packet.size > 0 else { return false }
    }
    var packet = joined.placed(packet)
    packet.payload = try adapt(packet)
    guard packet.size > 0 else { return false }
    guard packet.size <= Int(IndexedSample.largestSize) else {
      throw MediaError(
        .unsupported, "a packet of \(packet.size) bytes; \(IndexedSample.largestSize) is the most",
        track: packet.track)
    }
    try closeReference()
    if pending.isEmpty { pendingStart = packet.dts ?? 0 }
    try place(packet)
    pending.append(packet)
    return count(packet)
  }

  /// Whether what waits has to be a chunk before a packet is taken: all of a chunk is coded alike.
  func isChunkOver(before packet: Packet) -> Bool {
    packet.size > 0 && pending.last.map { $0.format != packet.format } ?? false
  }

  /// Takes packets of a format that is only told when the file is finished.
  mutating func admit(_ format: Int) {
    guard format == configurations.count, format < Int(UInt16.max) else { return }
    var later = track
    (later.extradata, later.furtherFormats) = ([], [])
    configurations.append(CodecConfiguration(later))
  }

  /// The payload in the form of the container.
  mutating func adapt(_ packet: Packet) throws(MediaError) -> Packet.Payload {
    guard configurations.indices.contains(packet.format) else {
      throw MediaError(
        .invalidArgument, "a packet of the format \(packet.format) of \(configurations.count)",
        track: packet.track)
    }
    return try configurations[packet.format].adapt(packet)
  }

  /// Counts a packet that waits; true when a chunk is full.
  mutating func count(_ packet: Packet) -> Bool {
    pendingBytes += packet.size
    byteCount += Int64(packet.size)
    let isLong = (packet.dts ?? 0) - pendingStart >= chunkLength
    return isLong || options.chunkSeconds == nil && pendingBytes >= 1 << 20
  }

  /// How much lies in one piece.
  private var chunkLength: Int64 {
    guard let seconds = options.chunkSeconds else { return timeScale / 2 }
    return Int64(min(seconds, 3600) * Double(timeScale))
  }

  mutating func place(_ packet: Packet) throws(MediaError) {
    if soundFrameSize > 0 {
      placeSound(packet)
      return
    }
    guard sizes.count < Int(UInt32.max) else {
      throw MediaError(.limitExceeded, "a track has at most 4294967295 samples")
    }
    var time = packet.dts ?? packet.pts ?? (lastTime ?? 0) + lastDuration
    let length = length(of: packet)
    if let last = lastTime {
      let expected = last + lastDuration
      if track.kind == .audio, abs(time - expected) <= roundingSlack {
        time = expected
      } else if time <= last {
        time = last + 1
      }
      guard let step = UInt32(exactly: time - last) else {
        throw MediaError(
          .unsupported, "\(time - last) units between two packets do not fit into 32 bits",
          track: packet.track)
      }
      times.append(step)
      mediaDuration += Int64(step)
    } else {
      firstTime = time
    }
    let shift = packet.dts.map { time - $0 } ?? 0
    let presentation = track.kind == .audio ? (packet.pts ?? time) + shift : packet.pts ?? time
    note(presentation, length, packet)
    guard let offset = Int32(exactly: presentation - time) else {
      throw MediaError(
        .unsupported, "a packet is shown \(presentation - time) units after it is decoded",
        track: packet.track)
    }
    offsets.append(offset)
    let size = UInt32(packet.size)
    largestSample = max(largestSample, size)
    sizes.append(size)
    pendingSamples += 1
    if packet.flags.contains(.key) { sync.append(UInt32(sizes.count)) }
    lastTime = time
    lastDuration = length
    lastPresentation = presentation
    isOpen = track.isTimedMetadata && packet.duration <= 0
  }

  private mutating func placeSound(_ packet: Packet) {
    let count = packet.size / soundFrameSize
    let time = packet.pts ?? packet.dts ?? firstTime + soundSamples
    if soundSamples == 0 { firstTime = time }
    // A gap cannot be told where every instant has a sample; the edit list tells the start.
    let begin = firstTime + soundSamples
    note(begin, Int64(count), packet)
    soundSamples += Int64(count)
    pendingSamples += count
    mediaDuration = soundSamples
  }

  private mutating func note(_ presentation: Int64, _ length: Int64, _ packet: Packet) {
    lowestPresentation = min(lowestPresentation, presentation)
    highestEnd = max(highestEnd, presentation.addingClamped(length))
    guard !packet.flags.contains(.discard) else { return }
    let start = presentation + packet.trimStart
    lowestShown = min(lowestShown ?? start, start)
    let told = packet.duration > 0 ? min(packet.duration, length) : length
    shownEnd = max(shownEnd, presentation + min(told, max(0, length - packet.trimEnd)))
    joined.note(from: presentation, to: presentation.addingClamped(length))
  }

  private func length(of packet: Packet) -> Int64 {
    let frameSize = configurations[packet.format].track.frameSize
    if track.kind == .audio, frameSize > 0, Int64(track.sampleRate) == timeScale {
      let isShort = packet.duration > 0 && packet.duration < Int64(frameSize)
      let isAsTold = isShort && TrackReader.codecsOfAnyLength.contains(track.codec)
      return isAsTold ? packet.duration : Int64(frameSize)
    }
    if packet.duration > 0 { return packet.duration }
    if lastDuration > 0 { return lastDuration }
    return track.frameRate.isPositive ? track.frameRate.inverse.convert(1, to: timeBase) : 1
  }

  /// How far the source's time base may have moved the times of packets.
  private var roundingSlack: Int64 {
    guard track.frameSize > 0, track.timeBase.isPositive else { return 0 }
    return track.timeBase.convert(1, to: timeBase, rounding: .up)
  }

  /// Behind everything that has been taken, in decoding and in showing.
  private var mediaEnd: Int64 {
    soundFrameSize > 0
      ? firstTime + soundSamples : max(highestEnd, (lastTime ?? 0).addingClamped(lastDuration))
  }

  /// Has what waits be a chunk.
  mutating func addChunk(at offset: UInt64, _ entry: Entry) {
    let number = entries.firstIndex(of: entry) ?? entries.count
    if number == entries.count { entries.append(entry) }
    chunkOffsets.append(offset)
    chunkEntries.append(UInt16(clamping: number))
    let (count, index) = (UInt32(pendingSamples), UInt32(number + 1))
    if chunks.runs.last.map({ ($0.samplesPerChunk, $0.descriptionIndex) != (count, index) }) ?? true
    {
      chunks.runs.append(
        .init(
          firstChunk: UInt32(chunkOffsets.count), samplesPerChunk: count, descriptionIndex: index))
    }
    (pendingBytes, pendingSamples) = (0, 0)
  }

  /// Takes what waits, as a chunk that begins at `offset`.
  mutating func takeChunk(at offset: Int64) -> [Packet] {
    guard let format = pending.last?.format else { return [] }
    addChunk(at: UInt64(max(0, offset)), Entry(format: format))
    defer { pending = [] }
    return pending
  }

  /// Lets nothing be shown from `end` on, and the last picture until then.
  ///
  /// Where pictures are stored in another order, it is the one that is stored last whose duration reaches
  /// until then: the edit list tells how long the track is, and players show a picture until the next.
  mutating func end(at end: Int64) {
    self.end = end
    if track.kind == .video || isOpen { extend(to: end) }
  }

  /// Has the last sample last until a time of the movie, in nanoseconds, where it ends before.
  mutating func last(until end: Int64) {
    extend(to: Rational(1, 1_000_000_000).convert(end, to: timeBase))
  }

  private mutating func extend(to end: Int64) {
    guard lastTime != nil, end > shownEnd else { return }
    // A sample's duration has 32 bits.
    let (wanted, overflow) = end.subtractingReportingOverflow(lastPresentation)
    let longest = Int64(UInt32.max)
    lastDuration = max(lastDuration, overflow ? longest : min(wanted, longest))
    shownEnd = max(shownEnd, min(end, lastPresentation + lastDuration))
  }

  /// Completes the tables behind the last packet.
  mutating func close() throws(MediaError) {
    try closeReference()
    if soundFrameSize > 0 {
      times = TimeToSampleBox(
        runs: soundSamples > 0
          ? [.init(count: UInt32(clamping: soundSamples), duration: 1)] : [])
    } else if lastTime != nil {
      let last = UInt32(clamping: max(1, lastDuration))
      times.append(last)
      mediaDuration += Int64(last)
    }
  }
}
