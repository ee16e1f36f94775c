package import RespoolMedia

/// What an interleaver holds of one track.
struct InterleavedTrack {
  /// A packet, or the word that there is none before a time.
  struct Item {
    var packet: Packet?
    var seconds: Double
  }

  var description: TrackDescription?
  /// What it will carry if anything comes.
  var announced: TrackDescription?
  /// Finds that out where it takes work.
  var announcer: (() throws(MediaError) -> TrackDescription)?
  /// Its packets come before those of all others, which wait.
  var isFirst = false
  var finished = false
  var items = Backlog<Item>()
  var timeBase = Rational.unknown
  /// Its place in the file; nil: it is not in it.
  var outputIndex: Int?
  var lastDTS: Int64?
  var isEmpty: Bool { items.isEmpty }
}

extension Packet {
  /// With times in another unit.
  package func converted(from: Rational, to: Rational) -> Packet {
    guard from != to else { return self }
    var packet = self
    let end = pts.map { from.convert($0 &+ duration, to: to) }
    packet.pts = pts.map { from.convert($0, to: to) }
    packet.dts = dts.map { from.convert($0, to: to) }
    // Rounded as an end, so that durations add up to the time line.
    packet.duration =
      packet.pts.flatMap { pts in end.map { $0 &- pts } } ?? from.convert(duration, to: to)
    packet.trimStart = from.convert(trimStart, to: to)
    packet.trimEnd = from.convert(trimEnd, to: to)
    return packet
  }
}
