package import RespoolMedia

/// Reads a file from start to end and passes every packet to the stage of its track.
package struct DemuxLoop {
  package let demuxer: DemuxerInstance
  package let source: FileSource
  /// One stage for each track.
  ///
  /// `nil`: the packets of the track are not read.
  package let stages: [(any Stage<Packet>)?]
  /// Offset subtracted from the times of each track, in its time base.
  private let offsets: [Int64]
  /// `false` for a file of subtitles alone, whose packets count for the end of the media.
  private let hasAudioOrVideo: Bool
  /// Returns `true` to end the loop before the end of the file.
  ///
  /// Called before every packet.
  package var isComplete: (() -> Bool)?
  /// Track and time at which to begin, on the timeline that the stages receive.
  ///
  /// `nil`: at the start.
  package var beginning: (track: Int, time: MediaTime)?

  /// Bytes of other tracks after which the loop reports that a track without packets lags.
  ///
  /// They are counted here, in file order, and not where packets are written. The order of writing must not
  /// depend on which thread was faster.
  private static let maximumSilence = 24 << 20
  private var silence: [Int]

  /// Errors in the file after which reading continued.
  ///
  /// Each states the presentation times between which media is missing.
  package private(set) var damage: [MediaError] = []
  /// Presentation times between which media is missing, in seconds, for each error in ``damage``.
  package private(set) var damageTimes: [ClosedRange<Double>] = []
  /// Damage that no packet has followed yet.
  private struct OpenDamage {
    /// Index of its first error in ``damage``.
    var index: Int
    /// Latest time read before the damage, in seconds.
    var start: Double
    /// Path of the first error, without times.
    var path: String?
  }
  private var open: OpenDamage?
  /// Latest end of a packet that was read, in seconds on the timeline that the stages receive.
  package private(set) var reachedSeconds = 0.0
  /// Number of packets read from each track that has a stage.
  package private(set) var packetCounts: [Int]

  /// Creates a loop whose times count from the earliest start of the tracks that `present` marks.
  ///
  /// `present` has one value for each track. `nil`: the tracks that have a stage.
  package init(
    demuxer: DemuxerInstance, source: FileSource, stages: [(any Stage<Packet>)?],
    startingWith present: [Bool]? = nil
  ) {
    self.demuxer = demuxer
    self.source = source
    self.stages = stages
    silence = Array(repeating: 0, count: stages.count)
    packetCounts = silence
    hasAudioOrVideo = demuxer.media.tracks.contains { $0.kind == .audio || $0.isMovingPicture }
    offsets = Self.startOffsets(
      demuxer.media.tracks, isSelected: present ?? stages.map { $0 != nil })
  }

  /// Returns the earliest start of the selected audio and video tracks, in the time base of each track.
  ///
  /// A file may start after 0, for example a part cut from a broadcast. The output starts at 0 and keeps the
  /// offsets between its tracks. Zero if the earliest start is at or before 0.
  package static func startOffsets(_ tracks: [TrackDescription], isSelected: [Bool]) -> [Int64] {
    guard let first = firstStart(tracks, isSelected: isSelected) else {
      return tracks.map { _ in 0 }
    }
    return tracks.map { first.base.convert(first.time, to: $0.timeBase) }
  }

  /// Returns the earliest start of the selected audio and video tracks, in nanoseconds.
  package static func startOffset(_ tracks: [TrackDescription], isSelected: [Bool]) -> Int64 {
    firstStart(tracks, isSelected: isSelected).map {
      $0.base.convert($0.time, to: .nanoseconds)
    } ?? 0
  }

  /// Returns the earliest start of the selected audio and video tracks.
  ///
  /// `nil` unless it is after 0.
  private static func firstStart(_ tracks: [TrackDescription], isSelected: [Bool]) -> (
    time: Int64, base: Rational
  )? {
    let starts = zip(tracks, isSelected).compactMap { track, isSelected -> (Int64, Rational)? in
      guard isSelected, track.kind == .video || track.kind == .audio,
        !track.disposition.contains(.attachedPicture), let start = track.start
      else { return nil }
      return (start, track.timeBase)
    }
    let first = starts.min {
      Double($0.0) * $0.1.doubleValue < Double($1.0) * $1.1.doubleValue
    }
    guard let first, first.0 > 0 else { return nil }
    return (first.0, first.1)
  }

  /// Reads to the end and finishes every stage.
  ///
  /// Errors in the file are stored in ``damage``, and reading continues after them until 16 consecutive
  /// errors. Throws errors of storage and of stages. If no packet could be read, throws the first damage.
  package mutating func run() throws(MediaError) {
    try demuxer.select(stages.map { $0 != nil })
    if let (track, time) = beginning {
      try demuxer.seekIfPossible(track: track, to: time, plus: offsets[track])
    }
    var reader = DamageTolerantReader(demuxer)
    while isComplete?() != true, var packet = try reader.next(note: { note($0) }) {
      guard packet.track < stages.count, let stage = stages[packet.track] else { continue }
      packet.pts = packet.pts.map { $0 &- offsets[packet.track] }
      packet.dts = packet.dts.map { $0 &- offsets[packet.track] }
      if source.isCancelled { throw MediaError(.cancelled, "stopped") }
      advance(to: packet)
      try stage.consume(packet)
      try listen(packet)
      packetCounts[packet.track] += 1
    }
    if source.isCancelled { throw MediaError(.cancelled, "stopped") }
    if packetCounts.allSatisfy({ $0 == 0 }), let first = damage.first { throw first }
    for stage in stages { try stage?.finish() }
  }

  /// Error that ended the source because it was truncated.
  ///
  /// `nil` if the source was not truncated.
  package var cut: MediaError? {
    guard open != nil, let last = damage.last, last.detail == .endsEarly else { return nil }
    return last
  }

  /// Adds damage, with the time after which media is missing.
  private mutating func note(_ error: MediaError) {
    var error = error
    if open == nil {
      open = OpenDamage(index: damage.count, start: reachedSeconds, path: error.path)
      error.path = Self.place("after \(reachedSeconds.decimalText) s", in: error.path)
    }
    damage.append(error)
    damageTimes.append(reachedSeconds...reachedSeconds)
  }

  private static func place(_ message: String, in path: String?) -> String {
    path.map { "\($0), \(message)" } ?? message
  }

  /// Adds the time of the packet that follows the damage.
  ///
  /// That time may be earlier than times read before, because tracks may be out of step.
  private mutating func endDamage(at time: Double) {
    guard let open else { return }
    for index in open.index..<damage.count {
      damageTimes[index] = min(open.start, max(0, time))...max(open.start, time)
    }
    let end = max(0, time).decimalText
    if time > open.start, end != open.start.decimalText {
      let last = damage.count - 1
      damage[last].path = Self.place("before \(end) s", in: damage[last].path)
    } else {
      damage[open.index].path = Self.place("near \(end) s", in: open.path)
    }
    self.open = nil
  }

  /// Updates the latest time read, and ends damage if there is any.
  private mutating func advance(to packet: Packet) {
    let track = demuxer.media.tracks[packet.track]
    guard let pts = packet.pts ?? packet.dts,
      track.kind == .audio || track.isMovingPicture
        || track.kind == .subtitle && !hasAudioOrVideo
    else { return }
    let base = track.timeBase.doubleValue
    endDamage(at: Double(pts) * base)
    var length = packet.duration - packet.trimEnd
    if packet.duration <= 0, track.frameRate.isPositive {
      length = track.frameRate.inverse.convert(1, to: track.timeBase)
    }
    reachedSeconds = max(reachedSeconds, Double(pts) * base + Double(max(0, length)) * base)
  }

  /// Reports the current time to the stages of tracks that have had no packets for long.
  private mutating func listen(_ packet: Packet) throws(MediaError) {
    silence[packet.track] = 0
    for (index, stage) in stages.enumerated() where index != packet.track {
      guard let stage else { continue }
      silence[index] += packet.size
      guard silence[index] > Self.maximumSilence, let time = packet.dts ?? packet.pts else {
        continue
      }
      silence[index] = 0
      let base = demuxer.media.tracks[packet.track].timeBase
      try stage.skip(to: base.convert(time, to: .nanoseconds))
    }
  }
}

extension DemuxerInstance {
  /// Seeks to a time or near before it; if the demuxer cannot seek, reading starts at the current position.
  ///
  /// `offset` is added in the time base of the track. A time at or before 0 needs no seeking.
  package func seekIfPossible(track: Int, to time: MediaTime, plus offset: Int64 = 0)
    throws(MediaError)
  {
    guard time > .zero,
      let ticks = time.ticks(media.tracks[track].timeBase, rounding: .down)
    else { return }
    do throws(MediaError) {
      try seek(track: track, to: ticks &+ offset)
    } catch  where error.code == .unsupported {}
  }
}
