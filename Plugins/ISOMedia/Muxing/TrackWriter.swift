import RespoolPlugin

/// A collector of one track's sample tables while its packets are written.
struct TrackWriter {
  /// The sample description and the file of samples, which select an entry of `stsd`.
  struct Entry: Hashable {
    /// Index into the track's sample descriptions.
    var sampleDescription = 0
    /// The other file.
    ///
    /// `nil` for the file that is written.
    var file: AliasRecord?
  }

  var track: TrackDescription
  let flavor: Flavor
  /// Units per second of the media's times.
  let timeScale: Int64
  /// Speed at which the edit list plays the media.
  let rate: Rational
  let trackID: UInt32
  /// Bytes of one PCM frame: an audio sample of each channel.
  ///
  /// 0 if the track is not PCM.
  let audioFrameSize: Int
  let settings: MuxerSettings.Track
  /// Presentation time after which nothing is shown.
  ///
  /// `nil` if everything is shown.
  private(set) var end: Int64?

  // Packets pending for the next chunk.
  private(set) var pending: [Packet] = []
  private(set) var pendingBytes = 0
  var pendingStart: Int64 = 0
  private var pendingSamples = 0
  /// The pending chunk in another file.
  var lent: MediaReference?

  // The tables.
  private(set) var times = TimeToSampleBox(runs: [])
  private(set) var offsets = CompositionOffsetBox(runs: [])
  private(set) var sizes: [UInt32] = []
  private(set) var audioSampleCount: Int64 = 0
  private(set) var sync: [UInt32] = []
  private(set) var chunkOffsets: [UInt64] = []
  /// Entries of `stsd`, in order of first use.
  private(set) var entries: [Entry] = []
  /// Entry index of each chunk, from 0.
  private(set) var chunkEntries: [UInt16] = []
  private(set) var chunks = SampleToChunkBox(runs: [])
  private(set) var byteCount: Int64 = 0
  private(set) var largestSample: UInt32 = 0

  // The time line.
  private var lastTime: Int64?
  private var lastDuration: Int64 = 0
  /// Presentation time of the last sample.
  private var lastPresentation: Int64 = 0
  private(set) var firstTime: Int64 = 0
  /// Earliest presentation time that is shown.
  ///
  /// `nil` if nothing is shown yet.
  private(set) var lowestShown: Int64?
  private(set) var lowestPresentation: Int64 = .max
  /// Latest end of a sample in presentation time, shown or not.
  private var highestEnd: Int64 = 0
  private(set) var shownEnd: Int64 = 0
  /// `true` if the last sample is timed metadata without a duration.
  private(set) var isOpen = false
  /// Sum of the durations.
  private(set) var mediaDuration: Int64 = 0

  /// The clips of a track that is joined from several.
  private(set) var joined: JoinedSegments

  /// Codec configuration by sample description.
  ///
  /// Taken from the first packet if the track does not have it.
  private(set) var configurations: [CodecConfiguration]

  init(
    _ track: TrackDescription, flavor: Flavor, trackID: UInt32,
    settings: MuxerSettings.Track = .init(), movieDuration: Int64? = nil
  ) {
    self.track = track
    self.flavor = flavor
    self.trackID = trackID
    self.settings = settings
    let stated = track.kind == .audio ? nil : settings.timeScale.map { Int64($0) }
    rate = Self.rate(of: track)
    var media = track
    if rate != EditPace.normal {
      media.timeBase = Rational(
        reducing: Int64(track.timeBase.numerator) * Int64(rate.numerator),
        Int64(track.timeBase.denominator) * Int64(rate.denominator))
    }
    timeScale = stated ?? Self.timeScale(for: media, movieDuration: movieDuration)
    let linear = LinearPCM(codec: track.codec)
    let bits = linear?.bits ?? (["pcm_mulaw", "pcm_alaw"].contains(track.codec) ? 8 : 0)
    joined = JoinedSegments(
      track.edits, in: track.timeBase, media: Rational(1, Int32(clamping: timeScale)))
    audioFrameSize = track.kind == .audio ? bits / 8 * track.channelLayout.channelCount : 0
    configurations = track.sampleDescriptions.map { CodecConfiguration($0) }
  }

  /// Returns the rate at which the only edit of a copied track plays its media; 1 for other tracks.
  ///
  /// A frame that is held lasts as long as its edit, at normal speed.
  private static func rate(of track: TrackDescription) -> Rational {
    let shown = track.edits.filter { $0.mediaStart != nil }
    guard shown.count == 1, (0.0001..<32768).contains(shown[0].rate) else { return EditPace.normal }
    return Rational(reducing: Int64((shown[0].rate * 65536).rounded()), 65536)
  }

  /// Returns a scale that expresses the times of the source exactly if 32 bits allow it.
  ///
  /// `movieDuration` is in nanoseconds; `nil` if unknown.
  private static func timeScale(for track: TrackDescription, movieDuration: Int64?) -> Int64 {
    if track.kind == .audio, track.sampleRate > 0 {
      return track.codec == "opus" ? 48000 : Int64(track.sampleRate)
    }
    let base = track.timeBase
    guard base.isPositive else { return 90000 }
    let (numerator, denominator) = (Int64(base.numerator), Int64(base.denominator))
    var scale = denominator % numerator == 0 ? denominator / numerator : denominator
    // With a larger scale, a gap of an hour between two samples does not fit into `stts`.
    if scale > 1_000_000 { return scale % 90000 == 0 ? 90000 : 1_000_000 }
    // A larger scale could not express the offsets of frames that last long.
    let most = Self.mostScale(track, movieDuration: movieDuration)
    for factor in [10, 2] as [Int64] {
      while scale > most, scale % factor == 0 { scale /= factor }
    }
    // A smaller scale could not express the times of frames that a filter inserts.
    while scale < 10_000, scale <= most / 2 { scale *= 2 }
    return scale
  }

  /// Seconds from which on video of an unknown frame rate may have frames that last hours.
  private static let longUnstated = 86_400.0

  /// Returns the largest scale in which the offsets from decoding to presentation times are small enough for FFmpeg.
  ///
  /// FFmpeg ignores all offsets of a track if one exceeds 2^28 units.
  private static func mostScale(_ track: TrackDescription, movieDuration: Int64?) -> Int64 {
    guard track.kind == .video else { return .max }
    // H.264 and HEVC reorder up to 16 frames.
    var longest = track.frameRate.isPositive ? 20 / track.frameRate.doubleValue : 0
    if longest == 0, let movieDuration {
      // Rates below a frame in a few hours are not stated.
      let seconds = Double(movieDuration) / 1e9
      longest = seconds > longUnstated ? seconds : 0
    }
    guard longest > 0 else { return .max }
    return Int64(max(1, min(Double(1 << 28) / longest, 1e15)))
  }

  /// Unit of the media's times in the presentation: shorter than the media's own if it plays faster.
  var timeBase: Rational {
    rate == EditPace.normal
      ? Rational(1, Int32(clamping: timeScale))
      : Rational(reducing: Int64(rate.denominator), timeScale * Int64(rate.numerator))
  }
  var sampleCount: Int64 { audioFrameSize > 0 ? audioSampleCount : Int64(sizes.count) }
  var isEmpty: Bool { sampleCount == 0 }

  /// Adds a packet.
  ///
  /// Returns `true` if a chunk is full.
  mutating func append(_ packet: Packet) throws(MediaError) -> Bool {
    if packet.flags.contains(.startsPiece) {
      joined.start(
        packet, after: isEmpty ? 0 : mediaEnd, holds: audioFrameSize == 0,
        isAudio: track.kind == .audio)
      // An empty clip.
      guard packet.size > 0 else { return false }
    }
    var packet = joined.placed(packet)
    packet.payload = try adapt(packet)
    guard packet.size > 0 else { return false }
    guard packet.size <= Int(IndexedSample.largestSize) else {
      throw MediaError(
        .unsupported, "a packet has \(packet.size) bytes; the most is \(IndexedSample.largestSize)",
        track: packet.track)
    }
    try closeReference()
    if pending.isEmpty { pendingStart = packet.dts ?? 0 }
    try place(packet)
    pending.append(packet)
    return count(packet)
  }

  /// Returns `true` if the pending packets have another sample description than `packet`: a chunk has only one.
  func isChunkOver(before packet: Packet) -> Bool {
    packet.size > 0
      && pending.last.map { $0.sampleDescriptionIndex != packet.sampleDescriptionIndex } ?? false
  }

  /// Accepts packets of a sample description that is known only at the end.
  mutating func admit(_ sampleDescription: Int) {
    guard sampleDescription == configurations.count, sampleDescription < Int(UInt16.max) else {
      return
    }
    var later = track
    (later.extradata, later.furtherSampleDescriptions) = ([], [])
    configurations.append(CodecConfiguration(later))
  }

  /// Returns the payload in the form that the container stores.
  mutating func adapt(_ packet: Packet) throws(MediaError) -> Packet.Payload {
    guard configurations.indices.contains(packet.sampleDescriptionIndex) else {
      throw MediaError(
        .invalidArgument,
        "a packet has sample description \(packet.sampleDescriptionIndex); there are \(configurations.count)",
        track: packet.track)
    }
    return try configurations[packet.sampleDescriptionIndex].adapt(packet)
  }

  /// Counts a pending packet.
  ///
  /// Returns `true` if a chunk is full.
  mutating func count(_ packet: Packet) -> Bool {
    pendingBytes += packet.size
    byteCount += Int64(packet.size)
    let isLong = (packet.dts ?? 0) - pendingStart >= chunkLength
    return isLong || settings.chunkDuration == nil && pendingBytes >= 1 << 20
  }

  /// Duration of a chunk.
  private var chunkLength: Int64 {
    guard let seconds = settings.chunkDuration else { return timeScale / 2 }
    return Int64(min(seconds, 3600) * Double(timeScale))
  }

  mutating func place(_ packet: Packet) throws(MediaError) {
    if audioFrameSize > 0 {
      placeAudio(packet)
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
        .unsupported,
        "\(presentation - time) units from decode to presentation time do not fit into 32 bits",
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

  private mutating func placeAudio(_ packet: Packet) {
    let count = packet.size / audioFrameSize
    let time = packet.pts ?? packet.dts ?? firstTime + audioSampleCount
    if audioSampleCount == 0 { firstTime = time }
    // Audio samples are contiguous, so a gap cannot be expressed; the edit list stores the start.
    let begin = firstTime + audioSampleCount
    note(begin, Int64(count), packet)
    audioSampleCount += Int64(count)
    pendingSamples += count
    mediaDuration = audioSampleCount
  }

  private mutating func note(_ presentation: Int64, _ length: Int64, _ packet: Packet) {
    lowestPresentation = min(lowestPresentation, presentation)
    highestEnd = max(highestEnd, presentation.addingClamped(length))
    guard !packet.flags.contains(.discard) else { return }
    let start = presentation + packet.trimStart
    lowestShown = min(lowestShown ?? start, start)
    let stated = packet.duration > 0 ? min(packet.duration, length) : length
    shownEnd = max(shownEnd, presentation + min(stated, max(0, length - packet.trimEnd)))
    joined.note(from: presentation, to: presentation.addingClamped(length))
  }

  private func length(of packet: Packet) -> Int64 {
    let frameSize = configurations[packet.sampleDescriptionIndex].track.frameSize
    if track.kind == .audio, frameSize > 0, Int64(track.sampleRate) == timeScale {
      let isShort = packet.duration > 0 && packet.duration < Int64(frameSize)
      let isAsStated = isShort && TrackReader.codecsOfAnyLength.contains(track.codec)
      return isAsStated ? packet.duration : Int64(frameSize)
    }
    if packet.duration > 0 { return packet.duration }
    if lastDuration > 0 { return lastDuration }
    return track.frameRate.isPositive ? track.frameRate.inverse.convert(1, to: timeBase) : 1
  }

  /// Maximum error of packet times caused by rounding in the source's time base.
  private var roundingSlack: Int64 {
    guard track.frameSize > 0, track.timeBase.isPositive else { return 0 }
    return track.timeBase.convert(1, to: timeBase, rounding: .up)
  }

  /// End of all media that has been added, in decoding and presentation time.
  private var mediaEnd: Int64 {
    audioFrameSize > 0
      ? firstTime + audioSampleCount : max(highestEnd, (lastTime ?? 0).addingClamped(lastDuration))
  }

  /// Adds the pending samples as a chunk.
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

  /// Removes the pending packets and adds them as a chunk that begins at `offset`.
  mutating func takeChunk(at offset: Int64) -> [Packet] {
    guard let last = pending.last else { return [] }
    addChunk(
      at: UInt64(max(0, offset)), Entry(sampleDescription: last.sampleDescriptionIndex))
    defer { pending = [] }
    return pending
  }

  /// Ends the presentation at `end` and extends the last frame until then.
  ///
  /// With reordered frames, the last stored frame is extended. The edit list defines the duration of the
  /// track, and players show a frame until the next.
  mutating func end(at end: Int64) {
    self.end = end
    if track.kind == .video || isOpen { extend(to: end) }
  }

  /// Extends the last sample until a time of the movie, in nanoseconds, if it ends earlier.
  mutating func last(until end: Int64) {
    extend(to: Rational.nanoseconds.convert(end, to: timeBase))
  }

  private mutating func extend(to end: Int64) {
    guard lastTime != nil, end > shownEnd else { return }
    // A sample's duration has 32 bits.
    let (wanted, overflow) = end.subtractingReportingOverflow(lastPresentation)
    let longest = Int64(UInt32.max)
    lastDuration = max(lastDuration, overflow ? longest : min(wanted, longest))
    shownEnd = max(shownEnd, min(end, lastPresentation + lastDuration))
  }

  /// Completes the tables after the last packet.
  mutating func close() throws(MediaError) {
    try closeReference()
    if audioFrameSize > 0 {
      times = TimeToSampleBox(
        runs: audioSampleCount > 0
          ? [.init(count: UInt32(clamping: audioSampleCount), duration: 1)] : [])
    } else if lastTime != nil {
      let last = UInt32(clamping: max(1, lastDuration))
      times.append(last)
      mediaDuration += Int64(last)
    }
  }
}
