import DequeModule
package import RespoolMedia

/// State that an interleaver keeps for one track.
struct InterleavedTrack {
  /// A packet, or a mark that there is no packet before a time.
  struct Item {
    var packet: Packet?
    var seconds: Double
  }

  var description: TrackDescription?
  /// Description that the track will have if it gets packets.
  var announced: TrackDescription?
  /// Returns ``announced``, for descriptions that take work to find out.
  var announcer: (() throws(MediaError) -> TrackDescription)?
  /// `true` if its packets are written before those of all other tracks, which wait.
  var isFirst = false
  var finished = false
  var items = Deque<Item>()
  var timeBase = Rational.unknown
  /// Index of the track in the output file.
  ///
  /// `nil` if it is not in the file.
  var outputIndex: Int?
  var lastDTS: Int64?
  /// The track as it was given to the muxer; `nil` before its first packet.
  var written: WrittenTrack?
  /// Digest of the frames of which the packets are made; `nil` if they are copied.
  var digest: TrackDigest?
  var isEmpty: Bool { items.isEmpty }
}

extension Packet {
  /// Returns the packet with times converted to another time base.
  package func converted(from: Rational, to: Rational) -> Packet {
    guard from != to else { return self }
    var packet = self
    let end = pts.map { from.convert($0 &+ duration, to: to) }
    packet.pts = pts.map { from.convert($0, to: to) }
    packet.dts = dts.map { from.convert($0, to: to) }
    // Rounded at its end, so that durations add up on the timeline.
    packet.duration =
      packet.pts.flatMap { pts in end.map { $0 &- pts } } ?? from.convert(duration, to: to)
    packet.trimStart = from.convert(trimStart, to: to)
    packet.trimEnd = from.convert(trimEnd, to: to)
    return packet
  }
}
