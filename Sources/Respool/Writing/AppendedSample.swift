import RespoolMedia

/// Sample that an input has accepted, as it was when it was appended.
///
/// Later changes to the sample buffer or to the contents of its image buffer do not affect it.
enum AppendedSample: Sendable {
  /// A frame to encode, with times in `timeBase`; `source` describes the first frame of a track.
  case frame(Frame, source: TrackDescription, timeBase: Rational)
  /// A packet to write. If `beginning` is set, the track begins with it. If `update` is set, the track's
  /// description changes to `update` from this packet on.
  case packet(Packet, beginning: TrackDescription?, update: TrackDescription?)

  /// Size of the sample's data in memory, in bytes.
  var cost: Int {
    switch self {
    case .frame(let frame, _, _): frame.byteCount
    case .packet(let packet, _, _): packet.buffer == nil ? 0 : packet.size
    }
  }
}
