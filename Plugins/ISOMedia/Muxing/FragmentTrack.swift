import RespoolPlugin

/// One track of a fragmented movie.
struct FragmentTrack {
  /// One packet.
  ///
  /// A packet of PCM holds many samples.
  struct Sample {
    var packet: Packet
    var decodeTime: Int64
    var duration: Int64
  }

  /// Holds the time scale, the codec configuration and, from the first fragment, the start of the track.
  private(set) var writer: TrackWriter
  /// Entries of the random access index.
  private(set) var entries: [TrackFragmentRandomAccessBox.Entry] = []
  private(set) var pendingBytes = 0

  private var pending: [Packet] = []
  private var origin: Int64?
  /// `true` if the time origin does not depend on the first packet.
  private var isZeroFixed = false
  private var start: Int64 = 0
  /// Decoding time after the last written sample, in the track's time base.
  private var writtenEnd: Int64?
  private var lastDuration: Int64 = 0
  private var shownEnd: Int64 = 0
  /// Presentation time after which nothing is shown.
  ///
  /// `nil` if everything is shown.
  private var end: Int64?

  init(_ writer: TrackWriter) { self.writer = writer }

  /// Seconds from the first to the last pending packet.
  var pendingSeconds: Double {
    guard let first = pending.first?.dts, let last = pending.last?.dts else { return 0 }
    return Double(last - first) / Double(writer.timeScale)
  }

  mutating func append(_ packet: Packet) throws(MediaError) {
    var packet = packet
    if origin == nil {
      // The first fragment determines the start of the track; the writer's tables are needed only for it.
      _ = try writer.append(packet)
      guard let adapted = writer.pending.last, writer.pending.count > pending.count else { return }
      packet.payload = adapted.payload
    } else {
      packet.payload = try writer.adapt(packet)
      guard packet.size > 0 else { return }
    }
    let last = pending.last?.dts
    var time = packet.dts ?? packet.pts ?? last.map { $0 + lastDuration } ?? 0
    if let last, time <= last, writer.audioFrameSize == 0 { time = last + 1 }
    packet.dts = time
    if packet.duration > 0 { lastDuration = packet.duration }
    pending.append(packet)
    pendingBytes += packet.size
  }

  /// Fixes the start of the track before the movie box is written.
  mutating func settle() {
    origin = writer.isEmpty ? 0 : writer.origin
    start = writer.isEmpty ? 0 : writer.start
    if writer.audioFrameSize > 0, let first = pending.first?.dts { origin = min(first, start) }
    _ = writer.takeChunk(at: 0)
  }

  /// Fixes the movie's 0 at `seconds` after the 0 of the media, independent of the first packet.
  ///
  /// Throws `unsupported` if a sample is decoded before the media's 0, which a file cannot express.
  mutating func settle(withZeroAt seconds: Int64) throws(MediaError) {
    (origin, start, isZeroFixed) = (-seconds * writer.timeScale, 0, true)
    _ = writer.takeChunk(at: 0)
    guard let origin, let first = pending.first?.dts, first < origin else { return }
    let early = Double(origin - first) / Double(writer.timeScale)
    let limit =
      seconds > 0
      ? "the start of the media, \(seconds) s before the movie" : "0, which needs an edit list"
    throw MediaError(
      .unsupported,
      "the first sample is decoded \(early) s before \(limit): the session has to start that much later"
    )
  }

  /// Returns the edit list.
  ///
  /// Empty if the movie shows the media from its start.
  ///
  /// In fragments, an edit with duration 0 covers all media that follows (14496-12 8.6.6).
  func edits(movieScale: Int64) -> [EditListBox.Entry] {
    let mediaStart = start - (origin ?? 0)
    var shown: UInt64 = 0
    if let end {
      guard end > start else {
        return [.init(duration: UInt64(max(1, writer.scaled(end, movieScale))), mediaTime: -1)]
      }
      shown = UInt64(max(0, writer.scaled(min(end, shownEnd) - start, movieScale)))
    }
    guard start > 0 || mediaStart > 0 || shown > 0 || writer.storedRate != EditListBox.normalRate
    else { return [] }
    var entries: [EditListBox.Entry] = []
    let empty = writer.scaledDown(start, movieScale)
    if empty > 0 { entries.append(.init(duration: UInt64(clamping: empty), mediaTime: -1)) }
    entries.append(.init(duration: shown, mediaTime: mediaStart, rate: writer.storedRate))
    return entries
  }

  /// Ends the presentation at `end` and extends the last frame until then.
  ///
  /// Call before the last packets are taken.
  mutating func end(at end: Int64) {
    self.end = end
    guard writer.track.kind == .video, let last = pending.indices.last else { return }
    let begin = pending[last].pts ?? pending[last].dts ?? 0
    let known = pending.map { ($0.pts ?? 0) &+ $0.duration }.max() ?? 0
    guard end > max(known, shownEnd) else { return }
    // A sample's duration has 32 bits.
    pending[last].duration = min(end &- begin, Int64(UInt32.max))
  }

  /// Hides the padding of the last audio packet.
  ///
  /// Call after the last packet.
  mutating func close() {
    guard writer.track.kind == .audio, end == nil, let writtenEnd, shownEnd < writtenEnd else {
      return
    }
    end = shownEnd
  }

  /// End of the track in nanoseconds, from its packets' durations.
  ///
  /// `nil` if the last packet has no duration.
  var statedEnd: Int64? {
    let ends = pending.lazy.map { ($0.pts ?? $0.dts ?? 0).addingClamped($0.duration) }
    guard !isOpen, let end = ends.max() else { return nil }
    return writer.timeBase.convert(max(end, shownEnd), to: .nanoseconds)
  }

  /// `true` if the last packet is timed metadata without a duration.
  private var isOpen: Bool {
    writer.track.isTimedMetadata && pending.last.map { $0.duration <= 0 } ?? false
  }

  /// Extends timed metadata without a duration until a time of the movie, in nanoseconds.
  mutating func last(until end: Int64) {
    guard isOpen, let time = pending.last?.dts else { return }
    let end = Rational.nanoseconds.convert(end, to: writer.timeBase)
    pending[pending.count - 1].duration = max(0, end.subtractingClamped(time))
  }

  /// Removes the packets that can be written: all, or all but the last, whose duration depends on the next
  /// packet.
  mutating func take(all: Bool) -> [Sample] {
    let count = all ? pending.count : pending.count - 1
    guard count > 0 else { return [] }
    var samples: [Sample] = []
    samples.reserveCapacity(count)
    for index in 0..<count {
      let packet = pending[index]
      let time = packet.dts ?? 0
      let duration: Int64
      if writer.audioFrameSize > 0 {
        duration = Int64(packet.size / writer.audioFrameSize)
      } else if index + 1 < pending.count, let next = pending[index + 1].dts {
        duration = next - time
      } else {
        duration = max(1, packet.duration > 0 ? packet.duration : lastDuration)
      }
      samples.append(Sample(packet: packet, decodeTime: time, duration: duration))
      let length = packet.duration > 0 ? packet.duration : duration
      shownEnd = max(shownEnd, (packet.pts ?? time) + length - packet.trimEnd)
    }
    pending.removeFirst(count)
    pendingBytes = pending.reduce(0) { $0 + $1.size }
    if writer.audioFrameSize > 0, let first = samples.first {
      // Samples of a fragment are contiguous in time, so a gap within it cannot be expressed.
      var time = writtenEnd ?? first.decodeTime
      let slack = writer.track.timeBase.convert(1, to: writer.timeBase, rounding: .up)
      if isZeroFixed, first.decodeTime > time + slack { time = first.decodeTime }
      for index in samples.indices {
        samples[index].decodeTime = time
        time += samples[index].duration
      }
    }
    writtenEnd = samples.last.map { $0.decodeTime + $0.duration } ?? writtenEnd
    return samples
  }

  /// Adds the first sync sample of a fragment at offset `place` to the random access index.
  mutating func index(_ samples: [Sample], at place: Int64, trackNumber: Int) {
    guard let number = samples.firstIndex(where: { isKey($0.packet) }) else { return }
    let sample = samples[number]
    let time = (sample.packet.pts ?? sample.decodeTime) - (origin ?? 0)
    let isLinear = writer.audioFrameSize > 0
    entries.append(
      .init(
        time: UInt64(clamping: time), offset: UInt64(clamping: place),
        trackNumber: UInt32(clamping: trackNumber),
        runNumber: isLinear ? UInt32(number + 1) : 1,
        sampleNumber: isLinear ? 1 : UInt32(number + 1)))
  }

  private func isKey(_ packet: Packet) -> Bool {
    writer.track.kind != .video || packet.flags.contains(.key)
  }

  /// Writes the content of a `traf` box.
  func write(_ samples: [Sample], firstByte: Int32, to traf: inout BoxWriter) {
    var header = TrackFragmentHeaderBox(trackID: writer.trackID)
    header.otherFlags = TrackFragmentHeaderBox.baseIsMovieFragment
    if writer.audioFrameSize > 0 {
      header.duration = 1
      header.size = UInt32(writer.audioFrameSize)
    }
    // sample_depends_on = 2: does not depend on other samples (14496-12 8.8.3.1).
    if writer.track.kind != .video { header.flags = 0x200_0000 }
    traf.write(header)
    let begin = (samples.first?.decodeTime ?? 0) - (origin ?? 0)
    traf.write(TrackFragmentDecodeTimeBox(decodeTime: UInt64(clamping: begin)))
    if writer.audioFrameSize > 0 {
      writeSound(samples, firstByte: firstByte, to: &traf)
    } else {
      traf.write(run(of: samples, firstByte: firstByte))
    }
  }

  private func run(of samples: [Sample], firstByte: Int32) -> TrackRunBox {
    let isVideo = writer.track.kind == .video
    let isShifted =
      isVideo && samples.contains { ($0.packet.pts ?? $0.decodeTime) != $0.decodeTime }
    var fields: TrackRunBox.Fields = [.duration, .size]
    if isVideo { fields.insert(.flags) }
    if isShifted { fields.insert(.compositionOffset) }
    var run = TrackRunBox(
      fields: fields,
      samples: samples.map { sample in
        let offset = (sample.packet.pts ?? sample.decodeTime) - sample.decodeTime
        return .init(
          duration: UInt32(clamping: sample.duration), size: UInt32(sample.packet.size),
          // Depends on other samples, and is not a sync sample.
          flags: isVideo ? (sample.packet.flags.contains(.key) ? 0x200_0000 : 0x101_0000) : nil,
          compositionOffset: isShifted ? Int32(clamping: offset) : nil)
      })
    run.dataOffset = firstByte
    return run
  }

  /// Writes a run without sample fields for each packet: its samples all have the same size and duration.
  private func writeSound(_ samples: [Sample], firstByte: Int32, to traf: inout BoxWriter) {
    var place = Int(firstByte)
    for sample in samples {
      let count = sample.packet.size / writer.audioFrameSize
      traf.box("trun") {
        $0.versionAndFlags(0, 1)
        $0.u32(UInt32(clamping: count))
        $0.i32(Int32(clamping: place))
      }
      place += sample.packet.size
    }
  }

  /// Returns the end of the track in the movie.
  func movieEnd(scale: Int64) -> Int64 {
    let end = min(shownEnd, end ?? .max)
    return writer.scaledDown(end, scale)
  }
}
