import RespoolPlugin

/// Detection of damage in an image whose decoder conceals it without a sign.
///
/// The decoder reports damage as an error at first. Then another one, which conceals it, decodes the same packets.
struct DamageConcealment {
  /// Packets so far, and `nil` for the end.
  private(set) var inputs: [Packet?] = []
  /// `true` if the image has been given to the decoder that conceals damage.
  private(set) var hasConcealed = false
  private let open: () throws(MediaError) -> CodecContext

  /// `open` opens the decoder that conceals damage.
  init(open: @escaping () throws(MediaError) -> CodecContext) { self.open = open }

  /// Returns `true` for still images of codecs without marks of damage in their frames.
  static func isNeeded(for track: TrackDescription) -> Bool {
    track.disposition.contains(.stillImage) && track.codec == "mjpeg"
  }

  /// Remembers a packet of an image.
  mutating func note(_ input: Packet?) {
    if !hasConcealed { inputs.append(input) }
  }

  /// Returns the function that opens the decoder that conceals damage, once.
  mutating func takeOpening() -> (() throws(MediaError) -> CodecContext)? {
    guard !hasConcealed else { return nil }
    hasConcealed = true
    inputs = []
    return open
  }
}
