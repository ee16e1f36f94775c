public import RespoolPlugin

/// A demuxer for MP4, MOV, M4A and 3GP files.
///
/// Packets are ranges of the source: the demuxer does not read the media itself. Covers are the exception.
public final class ISOMediaDemuxer: Demuxer {
  public static let description: FactoryDescription = {
    var description = FactoryDescription(
      kind: .demuxer, name: "mp4", longName: "ISO base media and QuickTime (MP4, MOV, M4A, 3GP)")
    description.tier = .preferred
    description.aliases = ["mov", "m4a", "3gp", "3g2", "mj2", "ipod", "mov,mp4,m4a,3gp,3g2,mj2"]
    description.extensions = [
      "mp4", "m4v", "m4a", "mov", "qt", "m4b", "m4p", "m4r", "3gp", "3g2", "3gpp", "f4v", "f4a",
      "mj2", "ismv", "isma",
    ]
    description.mimeTypes = [
      "video/mp4", "audio/mp4", "video/quicktime", "audio/x-m4a", "video/3gpp", "audio/3gpp",
      "video/x-m4v",
    ]
    description.magics = [.init(Array("ftyp".utf8), at: 4), .init(Array("moov".utf8), at: 4)]
    description.flags = .exactEnd
    return description
  }()

  public static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    ISOMediaProbe.score(bytes, name: name)
  }

  public let media: MediaDescription
  private let source: ByteSource
  private var tracks: [TrackReader]
  private let extends: [UInt32: TrackExtendsBox]
  private let fragmentsStart: Int64
  /// Number of tracks before the covers.
  private let movieTrackCount: Int
  /// File offset at which the demuxer looks for the next fragment.
  ///
  /// `nil` if there are no more.
  private var nextFragment: Int64?
  private var fragmentTimes: [UInt32: Int64] = [:]

  public init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    self.source = source
    let layout = try FileLayout(source)
    guard let movieBox = layout.movie else {
      throw MediaError(.internal, "the movie box was not read")
    }
    let movie = try Movie(from: movieBox, isQuickTime: layout.isQuickTime)
    let builder = MovieDescriber(
      movie: movie, layout: layout, source: source,
      trimsEnd: settings.timing.contains(.exactEnd))
    var (media, tracks) = try builder.describe()
    guard !tracks.isEmpty else {
      throw MediaError(.malformed, "the movie has no tracks", path: "moov")
    }
    if let first = tracks.first(where: { $0.description.codec == "dvvideo" })?.next {
      let size = DVRecordingDate.sequenceSize
      media.addRecordingDate(ofDVFrame: try source.read(at: max(0, first.offset), count: size))
    }
    self.media = media
    self.tracks = tracks
    movieTrackCount = movie.tracks.count
    extends = movie.extends
    fragmentsStart = layout.fragmentsStart
    nextFragment = movie.isFragmented ? layout.fragmentsStart : nil
    resetFragmentTimes()
  }

  public func select(_ isSelected: [Bool]) throws(MediaError) {
    try TrackDescription.check(selection: isSelected, trackCount: tracks.count)
    for track in tracks.indices { tracks[track].isSelected = isSelected[track] }
  }

  public func read() throws(MediaError) -> Packet? {
    while true {
      for track in tracks.indices where tracks[track].isSelected {
        if var failure = tracks[track].failure {
          tracks[track].failure = nil
          failure.track = track
          throw failure
        }
      }
      guard let track = nextTrack() else {
        guard try readFragment() else { return nil }
        continue
      }
      guard let packet = tracks[track].take(track: track) else { return nil }
      guard packet.sampleDescriptionIndex != TrackReader.unreadable else { continue }
      guard case .range(let offset, let length) = packet.payload else { return packet }
      if tracks[track].description.disposition.contains(.attachedPicture), track >= movieTrackCount
      {
        return try cover(packet, offset, length)
      }
      // A sample without bytes repeats the one before it (8.7.3), so no packet is returned for it.
      guard length > 0 else { continue }
      if let size = source.size, offset < 0 || offset > size || length > size - offset {
        let more = tracks[track].skipOutside(size)
        let isLast = tracks[track].next == nil && nextFragment == nil
        let isPossible = offset < .max
        let words =
          isLast
          ? ": the file is cut off"
          : " and is left out" + (more > 0 ? " with \(more.counting("sample")) after it" : "")
        let failure = MediaError(
          .malformed,
          "a sample of \(isPossible ? "" : "more than ")\(length.counting("byte")) is outside "
            + "the file of \(size.counting("byte"))"
            + words, track: track, offset: isPossible ? offset : nil,
          detail: isLast ? .endsEarly : nil)
        guard let part = try part(of: packet, at: offset, size - offset) else { throw failure }
        tracks[track].failure = failure
        return part
      }
      return packet
    }
  }

  /// Returns what can be decoded of the first `count` bytes of a packet, at `offset`; `nil` if nothing can.
  ///
  /// That are whole audio samples of PCM, and what there is of a frame of MP3.
  private func part(of packet: Packet, at offset: Int64, _ count: Int64) throws(MediaError)
    -> Packet?
  {
    let description = tracks[packet.track].description
    var part = packet
    if description.codec == "mp3", count >= Int64(MPEGAudioHeader.byteCount) {
      let bytes = try source.read(at: offset, count: Int(clamping: count))
      part.payload = .bytes(MediaBuffer(bytes))
      return part
    }
    let block = Int64(description.blockAlign)
    guard description.codec.hasPrefix("pcm_"), block > 0, count >= block, packet.size >= block
    else { return nil }
    let samples = count / block
    part.payload = .range(offset: offset, length: samples * block)
    part.duration = packet.duration * samples / (Int64(packet.size) / block)
    part.trimEnd = max(0, packet.trimEnd - (packet.duration - part.duration))
    return part
  }

  /// Returns a cover as bytes: it is written into other boxes, into which a range cannot be copied.
  private func cover(_ packet: Packet, _ offset: Int64, _ length: Int64) throws(MediaError)
    -> Packet
  {
    let bytes = try source.read(at: offset, count: Int(clamping: length))
    var packet = packet
    packet.payload = .bytes(MediaBuffer(bytes))
    return packet
  }

  /// Returns the track with the next packet: the lowest file offset, unless the tracks drift apart by more
  /// than a second.
  private func nextTrack() -> Int? {
    var best: (track: Int, time: Double, offset: Int64)?
    for track in tracks.indices where tracks[track].isSelected && !tracks[track].isSilent {
      guard let next = tracks[track].next else { continue }
      let time = Double(next.time) * tracks[track].description.timeBase.doubleValue
      guard let current = best else {
        best = (track, time, next.offset)
        continue
      }
      if abs(time - current.time) <= 1
        ? next.offset < current.offset : time < current.time
      {
        best = (track, time, next.offset)
      }
    }
    return best?.track
  }

  // MARK: Fragments

  private func resetFragmentTimes() {
    fragmentTimes = [:]
    for track in tracks where track.cover == nil { fragmentTimes[track.trackID] = track.index.end }
  }

  /// Reads the next fragment into the queues; returns `false` at the end.
  private func readFragment() throws(MediaError) -> Bool {
    while let offset = nextFragment {
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      nextFragment = nil
      guard let box = try source.boxHeader(at: offset) else { return false }
      if let size = box.size {
        let (next, overflow) = offset.addingReportingOverflow(size)
        if !overflow { nextFragment = next }
      }
      guard box.type == "moof" else { continue }
      let start = offset + box.headerSize
      let size = min((box.size ?? Int64(Movie.largest)) - box.headerSize, Int64(Movie.largest))
      let reader = ByteReader(try source.read(at: start, count: Int(size)), origin: start)
      let runs = try FragmentReader.read(
        reader, start: offset, extends: extends, times: fragmentTimes)
      for run in runs { enqueue(run) }
      return true
    }
    return false
  }

  private func enqueue(_ run: FragmentReader.Run) {
    fragmentTimes[run.trackID] = run.end
    guard let track = tracks.firstIndex(where: { $0.trackID == run.trackID && $0.cover == nil })
    else { return }
    guard tracks[track].isSelected, !tracks[track].isSilent else { return }
    let lowest = run.samples.lazy.map { -Int64($0.compositionOffset) }.max() ?? 0
    let shift = max(tracks[track].fragmentDecodeShift, lowest)
    tracks[track].fragmentDecodeShift = shift
    let isAudio = tracks[track].description.kind == .audio
    func composition(_ number: Int) -> Int64 {
      run.samples[number].decodeTime + Int64(run.samples[number].compositionOffset)
    }
    let isReordered = run.samples.contains { $0.compositionOffset != 0 }
    for (number, sample) in run.samples.enumerated() {
      let media = composition(number)
      let length =
        isReordered
        ? FrameSpacing.duration(
          of: number, count: run.samples.count, decodeTime: { run.samples[$0].decodeTime },
          compositionTime: composition, storedDuration: { Int64(run.samples[$0].duration) })
        : Int64(sample.duration)
      var packet = Packet(
        track: track, pts: media + tracks[track].fragmentShift,
        dts: sample.decodeTime - shift + tracks[track].fragmentShift, duration: length,
        flags: sample.isKey || isAudio ? .key : [],
        payload: .range(offset: sample.offset, length: Int64(sample.size)))
      packet.sampleDescriptionIndex = tracks[track].sampleDescriptions[run.description] ?? 0
      if media < tracks[track].fragmentTrim {
        if isAudio, media + length > tracks[track].fragmentTrim {
          packet.trimStart = tracks[track].fragmentTrim - media
        } else {
          packet.flags.insert(.discard)
        }
      }
      if media + length > tracks[track].fragmentEnd { cutAtEnd(&packet, media, tracks[track]) }
      tracks[track].fragmentPace.apply(to: &packet)
      tracks[track].enqueue(packet)
    }
  }

  /// Trims or discards a packet at `media` that reaches beyond the end of the edit of a fragmented movie.
  private func cutAtEnd(_ packet: inout Packet, _ media: Int64, _ track: TrackReader) {
    let excess = media + packet.duration - track.fragmentEnd
    let isWhole = excess >= packet.duration
    switch track.description.kind {
    case .audio:
      guard track.trimsEnd else { return }
      if isWhole { packet.flags.insert(.discard) } else { packet.trimEnd = excess }
    default:
      if isWhole { packet.flags.insert(.discard) }
      // A small excess at the end of a frame comes from rounding and is ignored.
      if !isWhole, excess > packet.duration / 2 { packet.duration -= excess }
    }
  }

  // MARK: Seeking

  public func seek(track: Int, to time: Int64) throws(MediaError) {
    guard tracks.indices.contains(track) else {
      throw MediaError(.invalidArgument, "there is no track \(track) of \(tracks.count)")
    }
    let base = tracks[track].description.timeBase
    // The other tracks seek to the time at which the chosen one can start, so that all begin together.
    tracks[track].seek(to: time)
    let reached = min(time, tracks[track].next.map { max($0.time, 0) } ?? time)
    for other in tracks.indices where other != track && tracks[other].cover == nil {
      tracks[other].seek(to: base.convert(reached, to: tracks[other].description.timeBase))
    }
    for index in tracks.indices { tracks[index].clearQueue() }
    guard !extends.isEmpty else { return }
    try seekFragment(track: track, to: time)
  }

  /// Finds the last fragment in which `track` has a sync sample at or before `time`.
  private func seekFragment(track: Int, to time: Int64) throws(MediaError) {
    nextFragment = fragmentsStart
    resetFragmentTimes()
    let isSelected = tracks.map(\.isSelected)
    for index in tracks.indices { tracks[index].isSelected = index == track }
    defer { for index in tracks.indices { tracks[index].isSelected = isSelected[index] } }
    var best: (offset: Int64?, times: [UInt32: Int64]) = (fragmentsStart, fragmentTimes)
    while let offset = nextFragment {
      let times = fragmentTimes
      guard try readFragment() else { break }
      let hasKey = tracks[track].queued.contains {
        $0.flags.contains(.key) && ($0.pts ?? .max) <= time
      }
      let hasPassedTime = tracks[track].queued.contains { ($0.dts ?? .min) > time }
      if hasKey {
        best = (offset, times)
        if !tracks[track].timeline.segments.isEmpty { tracks[track].skipTable() }
      }
      tracks[track].clearQueue()
      if hasPassedTime { break }
    }
    if !tracks[track].isInTable {
      for index in tracks.indices where index != track { tracks[index].skipTable() }
    }
    nextFragment = best.offset
    fragmentTimes = best.times
  }
}
