import RespoolPlugin

/// A track as the demuxer reads it: its description and where it stands.
struct TrackReader {
  var description: TrackDescription
  var trackID: UInt32
  var index = SampleIndex()
  var timeline: EditedTimeline
  /// Added to the times of fragments: edits of a fragmented movie only shift.
  var fragmentShift: Int64 = 0
  /// Greatest amount by which a composition time of the fragments lies below its decoding time.
  ///
  /// Decoding times are reported that much earlier, as far as the fragments have been looked at.
  var fragmentDecodeShift: Int64 = 0
  /// Presentation times below are not shown (fragments).
  var fragmentTrim: Int64 = 0
  /// Media time of fragments behind which nothing is shown.
  var fragmentEnd: Int64 = .max
  /// A cover: the one packet of the track.
  var cover: MetadataReader.Cover?
  var isWanted = true
  /// Formats by sample descriptions, from 0; what is not in it is the track's own.
  var formats: [Int: Int] = [:]
  /// Stands for the format of samples whose description cannot be read.
  static let unreadable = -1
  /// Thrown once when the track is read.
  var failure: MediaError?
  /// Chapters are given as chapters, not as packets.
  var isSilent = false
  /// Sound: whether the end of the last edit cuts the last packet.
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

  /// Decoding time and place of the next packet, nil where there is none at hand.
  var next: (time: Int64, offset: Int64)? {
    if let cover { return (.min, cover.offset) }
    if segment < timeline.segments.count {
      let entry = index.samples[sample]
      return (entry.decodeTime + timeline.segments[segment].decodeShift, entry.offset)
    }
    guard !isQueueEmpty, case .range(let offset, _) = queue[queueStart].payload else { return nil }
    return (queue[queueStart].dts ?? 0, offset)
  }

  /// Packets of fragments that wait.
  var queued: ArraySlice<Packet> { queue[queueStart...] }

  /// Whether samples of the movie box itself are still to come.
  var isInTable: Bool { segment < timeline.segments.count }

  /// Goes behind the samples of the movie box.
  mutating func skipTable() { segment = timeline.segments.count }

  mutating func rewind() {
    segment = 0
    sample = timeline.segments.first?.samples.lowerBound ?? 0
  }

  /// Takes the packet that `next` told of.
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

  /// Goes on to the next sample that lies within a file of `size` bytes; how many are left out.
  ///
  /// A wrong size moves the samples behind it, up to the next chunk, whose place is told (ISO/IEC 14496-12
  /// 8.7.5).
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
    let length = index.duration(number)
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
      // An edit may end while its last picture is shown; what rounding makes of it is left alone.
      let excess = composition.addingClamped(length).subtractingClamped(part.shown.upperBound)
      if excess > length / 2, excess < length { packet.duration = length - excess }
    }
    if let cut = part.cutPicture, description.kind == .video, composition == cut.lowerBound {
      // The rest of it is shown.
      packet.pts = part.shown.lowerBound + part.presentationShift
      packet.duration = cut.upperBound - part.shown.lowerBound
      packet.flags.remove(.discard)
    }
    if description.kind != .audio, description.kind != .video,
      composition < part.shown.lowerBound,
      composition.addingClamped(length) > part.shown.lowerBound
    {
      // A text or a piece of data that begins before the edit is shown from its start on.
      let late = part.shown.lowerBound - composition
      packet.pts = composition + late + part.presentationShift
      packet.dts = packet.pts
      packet.duration = length - late
      packet.flags.remove(.discard)
    }
    if description.isTimedMetadata, !packet.flags.contains(.discard), let pts = packet.pts {
      // What holds for a time does so until the edit ends.
      let end = part.shown.upperBound.addingClamped(part.presentationShift)
      packet.duration = max(0, min(packet.duration, end.subtractingClamped(pts)))
    }
    if part.trimsEnd || trimsEnd, !packet.flags.contains(.discard) {
      // Writers make the last sample as short as what is shown of it, and it decodes to a whole frame.
      let isLast = number + 1 == index.samples.count
      let isCounted = description.timeBase == Rational(1, Int32(clamping: description.sampleRate))
      let isWhole = isLast && isCounted && !Self.codecsOfAnyLength.contains(description.codec)
      let whole = isWhole ? max(length, Int64(description.frameSize)) : length
      let end = min(
        part.shown.upperBound, isLast ? composition.addingClamped(length) : Int64.max)
      let excess = composition.addingClamped(whole).subtractingClamped(end)
      if excess > 0, excess < whole { (packet.duration, packet.trimEnd) = (whole, excess) }
    }
    if !index.descriptions.isEmpty { packet.format = formats[index.description(number)] ?? 0 }
    if segment > 0, number == part.samples.lowerBound { packet.flags.insert(.discontinuity) }
    return packet
  }

  /// Codecs whose frames say themselves how many samples they have: the last one may be short.
  static let codecsOfAnyLength: Set<String> = ["alac", "flac", "vorbis"]

  /// Goes to the key sample from which `time` can be shown.
  mutating func seek(to time: Int64) {
    var found: (segment: Int, sample: Int)?
    for (number, part) in timeline.segments.enumerated() {
      // Composition times are not in order: the last key sample at or before the time counts.
      var best = part.samples.lowerBound
      for sample in part.samples {
        let shownAt = index.compositionTime(sample) + part.presentationShift
        if index.samples[sample].isKey, shownAt <= time { best = sample }
        if index.samples[sample].decodeTime + part.decodeShift > time { break }
      }
      if number == 0 || shownStart(of: part) <= time { found = (number, best) }
    }
    guard let found else { return }
    (segment, sample) = found
    if description.kind == .audio, description.frameSize > 0 || !description.codec.hasPrefix("pcm_")
    {
      // A packet before, so that what overlaps is exact.
      sample = max(timeline.segments[segment].samples.lowerBound, sample - 1)
    }
  }

  private func shownStart(of part: TimelineSegment) -> Int64 {
    part.shown.lowerBound == .min
      ? .min : part.shown.lowerBound.addingClamped(part.presentationShift)
  }
}
