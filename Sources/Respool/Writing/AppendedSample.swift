import RespoolMedia

/// A sample that an input has accepted, as it was when it was appended.
///
/// What is said about the sample buffer afterwards, or drawn into its image buffer, does not change it.
enum AppendedSample: Sendable {
  /// A frame to encode, with times in `timeBase`; `source` describes the first frame of a track.
  case frame(Frame, source: TrackDescription, timeBase: Rational)
  /// A packet to write. Its track begins with it if `beginning` is set, and has another description from it on
  /// if `update` is set.
  case packet(Packet, beginning: TrackDescription?, update: TrackDescription?)

  /// Bytes that wait with it.
  var cost: Int {
    switch self {
    case .frame(let frame, _, _): frame.byteCount
    case .packet(let packet, _, _): packet.buffer == nil ? 0 : packet.size
    }
  }
}
