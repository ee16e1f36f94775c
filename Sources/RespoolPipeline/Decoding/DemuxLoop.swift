package import RespoolMedia

/// Reads a file from its start to its end and gives every packet to the stage of its track.
package struct DemuxLoop {
  package let demuxer: DemuxerInstance
  package let source: FileSource
  /// One stage to a track; nil: its packets are not wanted.
  package let stages: [(any Stage<Packet>)?]
  /// What is taken off the times of each track, in its time base.
  private let offsets: [Int64]
  /// Ends the loop before the file does; asked before every packet.
  package var isComplete: (() -> Bool)?
  /// Where to begin, on the time line that the stages get; nil: at the start.
  package var beginning: (track: Int, time: MediaTime)?

  /// Bytes of other tracks after which a track that gives nothing is not waited for.
  ///
  /// Counted here, where the order is that of the file, and not where packets are written: what is
  /// written in which order must not hang on which thread was faster.
  private static let patience = 24 << 20
  private var silence: [Int]

  /// What was wrong with the file, where its undamaged rest could be read; each with the presentation times
  /// between which media is missing.
  package private(set) var damage: [MediaError] = []
  /// Damage behind which no packet has come yet.
  private struct OpenDamage {
    /// The first of it in ``damage``.
    var index: Int
    /// Seconds that had been reached.
    var start: Double
    /// Its path without times.
    var path: String?
  }
  private var open: OpenDamage?
  /// Latest end of a packet that was read, in seconds on the time line that the stages get.
  package private(set) var reachedSeconds = 0.0
  /// How many packets of each track were read, of those that are wanted.
  package private(set) var packetCounts: [Int]

  /// Times count from where the first of the tracks starts that `present` names; nil: of the wanted ones.
  package init(
    demuxer: DemuxerInstance, source: FileSource, stages: [(any Stage<Packet>)?],
    startingWith present: [Bool]? = nil
  ) {
    self.demuxer = demuxer
    self.source = source
    self.stages = stages
    silence = Array(repeating: 0, count: stages.count)
    packetCounts = silence
    offsets = Self.startOffsets(
      demuxer.media.tracks, wanted: present ?? stages.map { $0 != nil })
  }

  /// The time at which the first of the wanted tracks starts, in the time base of each.
  ///
  /// A file need not start at 0: a stream is cut out of a broadcast, sound is taken out of a movie
  /// where it sets in late. What is made of it starts at 0, and its tracks keep their distances.
  package static func startOffsets(_ tracks: [TrackDescription], wanted: [Bool]) -> [Int64] {
    guard let first = firstStart(tracks, wanted: wanted) else { return tracks.map { _ in 0 } }
    return tracks.map { first.base.convert(first.time, to: $0.timeBase) }
  }

  /// The same in nanoseconds.
  package static func startOffset(_ tracks: [TrackDescription], wanted: [Bool]) -> Int64 {
    firstStart(tracks, wanted: wanted).map {
      $0.base.convert($0.time, to: Rational(1, 1_000_000_000))
    } ?? 0
  }

  /// The start of the first of the wanted tracks; `nil` if none starts after 0.
  private static func firstStart(_ tracks: [TrackDescription], wanted: [Bool]) -> (
    time: Int64, base: Rational
  )? {
    let starts = zip(tracks, wanted).compactMap { track, isWanted -> (Int64, Rational)? in
      guard isWanted, track.kind == .video || track.kind == .audio,
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

  /// Runs to the end and finishes every stage.
  ///
  /// Damage inside the file is noted and what lies behind it read on; 16 errors in a row end it. An
  /// error of the storage, or of a stage, is thrown.
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

  /// The error that the source ended with because it was cut off; `nil` if it was not, or states so otherwise.
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
  }

  private static func place(_ words: String, in path: String?) -> String {
    path.map { "\($0), \(words)" } ?? words
  }

  /// Completes damage by the time of the packet behind it.
  ///
  /// That may be earlier than what was read before, where tracks are not in step.
  private mutating func endDamage(at time: Double) {
    guard let open else { return }
    let end = max(0, time).decimalText
    if time > open.start, end != open.start.decimalText {
      let last = damage.count - 1
      damage[last].path = Self.place("before \(end) s", in: damage[last].path)
    } else {
      damage[open.index].path = Self.place("near \(end) s", in: open.path)
    }
    self.open = nil
  }

  /// Moves the time that has been reached, and ends damage where a packet follows.
  private mutating func advance(to packet: Packet) {
    let track = demuxer.media.tracks[packet.track]
    guard let pts = packet.pts ?? packet.dts, track.kind == .audio || track.isMovingPicture else {
      return
    }
    let base = track.timeBase.doubleValue
    endDamage(at: Double(pts) * base)
    var length = packet.duration - packet.trimEnd
    if packet.duration <= 0, track.frameRate.isPositive {
      length = track.frameRate.inverse.convert(1, to: track.timeBase)
    }
    reachedSeconds = max(reachedSeconds, Double(pts) * base + Double(max(0, length)) * base)
  }

  /// Tells the stages of tracks that have been silent for long how far the others are.
  private mutating func listen(_ packet: Packet) throws(MediaError) {
    silence[packet.track] = 0
    for (index, stage) in stages.enumerated() where index != packet.track {
      guard let stage else { continue }
      silence[index] += packet.size
      guard silence[index] > Self.patience, let time = packet.dts ?? packet.pts else { continue }
      silence[index] = 0
      let base = demuxer.media.tracks[packet.track].timeBase
      try stage.skip(to: base.convert(time, to: Rational(1, 1_000_000_000)))
    }
  }
}

extension DemuxerInstance {
  /// Goes near a time, at or before it; where the demuxer cannot, everything before it is read over.
  ///
  /// `offset` is added in the time base of the track. A time that is not after 0 needs no seeking.
  package func seekIfPossible(track: Int, to time: MediaTime, plus offset: Int64 = 0)
    throws(MediaError)
  {
    guard time > .zero,
      let ticks = time.ticks(media.tracks[track].timeBase, rounding: .down)
    else { return }
    do throws(MediaError) {
      try seek(track: track, to: ticks &+ offset)
    } catch  where error.code == .unsupported {
    } catch { throw error }
  }
}
