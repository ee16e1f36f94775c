import RespoolPlugin

/// A track's description and its reading position.
struct TrackReader {
  var description: TrackDescription
  var trackID: UInt32
  var index = SampleIndex()
  var timeline: EditedTimeline
  /// Offset added to the times of fragments: edits of a fragmented movie only shift them.
  var fragmentShift: Int64 = 0
  /// Maximum amount by which a composition time of the fragments lies below its decoding time.
  ///
  /// Decoding times are reported that much earlier. Covers only the fragments that were scanned.
  var fragmentDecodeShift: Int64 = 0
  /// Presentation time in fragments before which nothing is shown.
  var fragmentTrim: Int64 = 0
  /// Media time in fragments after which nothing is shown.
  var fragmentEnd: Int64 = .max
  /// Mapping of the shifted times in fragments to the presentation.
  var fragmentPace = EditPace()
  /// The cover, if the track is one.
  ///
  /// It is the only packet of the track.
  var cover: MetadataReader.Cover?
  var isSelected = true
  /// Index in the track's sample descriptions of each entry of `stsd`, from 0.
  ///
  /// Entries that are missing use the first one.
  var sampleDescriptions: [Int: Int] = [:]
  /// Index for samples whose sample description cannot be read.
  static let unreadable = -1
  /// Error that is thrown once when the track is read.
  var failure: MediaError?
  /// `true` for chapter tracks: their samples are returned as chapters, not as packets.
  var isSilent = false
  /// `true` if the end of the last edit trims the last packet.
  ///
  /// Audio only.
  var trimsEnd = false

  var segment = 0
  var sample = 0
  private(set) var queue: [Packet] = []
  private var queueStart = 0

  init(description: TrackDescription, trackID: UInt32, timeline: EditedTimeline) {
    self.description = description
    self.trackID = trackID
    self.timeline = timeline
  }

  var isQueueEmpty: Bool { queueStart >= queue.count }

  mutating func enqueue(_ packet: Packet) {
    if queueStart > 0, queueStart == queue.count {
      queue.removeAll(keepingCapacity: true)
      queueStart = 0
    }
    queue.append(packet)
  }

  mutating func clearQueue() {
    queue = []
    queueStart = 0
  }

  /// Decoding time and file offset of the next packet.
  ///
  /// `nil` if no packet is available yet.
  var next: (time: Int64, offset: Int64)? {
    if let cover { return (.min, cover.offset) }
    if segment < timeline.segments.count {
      let entry = index.samples[sample]
      let part = timeline.segments[segment]
      return (part.pace.time(entry.decodeTime + part.decodeShift), entry.offset)
    }
    guard !isQueueEmpty, case .range(let offset, _) = queue[queueStart].payload else { return nil }
    return (queue[queueStart].dts ?? 0, offset)
  }

  /// Queued packets of fragments.
  var queued: ArraySlice<Packet> { queue[queueStart...] }

  /// `true` if samples of the movie box itself remain.
  var isInTable: Bool { segment < timeline.segments.count }

  /// Skips the samples of the movie box.
  mutating func skipTable() { segment = timeline.segments.count }

  mutating func rewind() {
    segment = 0
    sample = timeline.segments.first?.samples.lowerBound ?? 0
  }

  /// Removes and returns the packet that `next` describes.
  mutating func take(track: Int) -> Packet? {
    if let cover {
      self.cover = nil
      return Packet(
        track: track, pts: 0, dts: 0, flags: .key,
        payload: .range(offset: cover.offset, length: cover.length))
    }
    guard segment < timeline.segments.count else {
      guard !isQueueEmpty else { return nil }
      queueStart += 1
      return queue[queueStart - 1]
    }
    let packet = packet(track: track, segment: timeline.segments[segment], sample)
    advance()
    return packet
  }

  private mutating func advance() {
    sample += 1
    guard sample >= timeline.segments[segment].samples.upperBound else { return }
    segment += 1
    if segment < timeline.segments.count {
      sample = timeline.segments[segment].samples.lowerBound
    }
  }

  /// Advances to the next sample within a file of `size` bytes.
  ///
  /// Returns the number of samples skipped.
  ///
  /// A wrong sample size moves the samples after it, up to the next chunk, whose offset is stored (ISO/IEC
  /// 14496-12 8.7.5).
  mutating func skipOutside(_ size: Int64) -> Int {
    func isOutside(_ offset: Int64, _ length: Int64) -> Bool {
      offset < 0 || offset > size || length > size - offset
    }
    var count = 0
    while segment < timeline.segments.count {
      let entry = index.samples[sample]
      guard isOutside(entry.offset, Int64(entry.size)) else { return count }
      advance()
      count += 1
    }
    while !isQueueEmpty, case .range(let offset, let length) = queue[queueStart].payload,
      isOutside(offset, length)
    {
      queueStart += 1
      count += 1
    }
    return count
  }

  private func packet(track: Int, segment part: TimelineSegment, _ number: Int) -> Packet {
    let entry = index.samples[number]
    let composition = index.compositionTime(number)
    let length = index.shownDuration(number)
    var packet = Packet(
      track: track, pts: composition + part.presentationShift,
      dts: entry.decodeTime + part.decodeShift, duration: length,
      flags: entry.isKey ? .key : [],
      payload: .range(offset: entry.offset, length: Int64(entry.size)))
    if !part.shown.contains(composition) {
      if part.trimsStart, composition < part.shown.lowerBound,
        composition.addingClamped(length) > part.shown.lowerBound
      {
        packet.trimStart = part.shown.lowerBound - composition
      } else {
        packet.flags.insert(.discard)
      }
    }
    if description.kind == .video, !packet.flags.contains(.discard) {
      // An edit may end while its last frame is shown; a small excess comes from rounding and is ignored.
      let excess = composition.addingClamped(length).subtractingClamped(part.shown.upperBound)
      if excess > length / 2, excess < length { packet.duration = length - excess }
    }
    if let cut = part.cutPicture, description.kind == .video, composition == cut.lowerBound {
      // The rest of the cut frame is shown.
      packet.pts = part.shown.lowerBound + part.presentationShift
      packet.duration = cut.upperBound - part.shown.lowerBound
      packet.flags.remove(.discard)
    }
    if description.kind != .audio, description.kind != .video,
      composition < part.shown.lowerBound,
      composition.addingClamped(length) > part.shown.lowerBound
    {
      // A text or data sample that begins before the edit is shown from the start of the edit.
      let late = part.shown.lowerBound - composition
      packet.pts = composition + late + part.presentationShift
      packet.dts = packet.pts
      packet.duration = length - late
      packet.flags.remove(.discard)
    }
    if description.isTimedMetadata, !packet.flags.contains(.discard), let pts = packet.pts {
      // Timed metadata is valid until the edit ends.
      let end = part.shown.upperBound.addingClamped(part.presentationShift)
      packet.duration = max(0, min(packet.duration, end.subtractingClamped(pts)))
    }
    if part.trimsEnd || trimsEnd, !packet.flags.contains(.discard) {
      // Some writers shorten the last sample to its shown part, though it decodes to a whole frame.
      let isLast = number + 1 == index.samples.count
      let units = Int64(clamping: description.sampleRate) * timeline.multiple
      let isCounted = description.timeBase == Rational(1, Int32(clamping: units))
      let isWhole = isLast && isCounted && !Self.codecsOfAnyLength.contains(description.codec)
      let whole = isWhole ? max(length, Int64(description.frameSize)) : length
      let end = min(
        part.shown.upperBound, isLast ? composition.addingClamped(length) : Int64.max)
      let excess = composition.addingClamped(whole).subtractingClamped(end)
      if excess > 0, excess < whole { (packet.duration, packet.trimEnd) = (whole, excess) }
    }
    if !index.descriptions.isEmpty {
      packet.sampleDescriptionIndex =
        sampleDescriptions[index.descriptionIndex(ofSample: number)] ?? 0
    }
    if segment > 0, number == part.samples.lowerBound { packet.flags.insert(.discontinuity) }
    if let held = part.held, !packet.flags.contains(.discard) { packet.duration = held }
    part.pace.apply(to: &packet)
    return packet
  }

  /// Codecs whose frames store their number of audio samples: the last frame may be short.
  static let codecsOfAnyLength: Set<String> = ["alac", "flac", "vorbis"]

  /// Seeks to the sync sample from which `time` can be shown.
  mutating func seek(to time: Int64) {
    var found: (segment: Int, sample: Int)?
    for (number, part) in timeline.segments.enumerated() {
      // Composition times are not in order: the last sync sample at or before the time is used.
      var best = part.samples.lowerBound
      for sample in part.samples {
        let shownAt = part.pace.time(index.compositionTime(sample) + part.presentationShift)
        if index.samples[sample].isKey, shownAt <= time { best = sample }
        let decodedAt = part.pace.time(index.samples[sample].decodeTime + part.decodeShift)
        if decodedAt > time { break }
      }
      if number == 0 || presentationStart(of: part) <= time { found = (number, best) }
    }
    guard let found else { return }
    (segment, sample) = found
    if description.kind == .audio, description.frameSize > 0 || !description.codec.hasPrefix("pcm_")
    {
      // Starts one packet earlier, so that codecs with overlap decode exactly.
      sample = max(timeline.segments[segment].samples.lowerBound, sample - 1)
    }
  }

  private func presentationStart(of part: TimelineSegment) -> Int64 {
    part.shown.lowerBound == .min
      ? .min : part.pace.time(part.shown.lowerBound.addingClamped(part.presentationShift))
  }
}
