import RespoolPlugin

/// Hidden audio at the starts of streams that were chained in one Ogg file (RFC 3533 4), after the first.
///
/// Matroska has one stream, of which CodecDelay hides the start. DiscardPadding hides those of the others.
struct ChainedAudio {
  private let codec: String
  private let samples: Rational
  private var lengths: AudioLength
  private var hasBegun = false
  /// `true` until a packet of a stream after the first is presented.
  private var isAtStart = false

  init(_ track: TrackDescription) {
    codec = track.kind == .audio ? track.codec : ""
    samples = Rational(1, Int32(clamping: max(1, track.sampleRate)))
    lengths = codec == "vorbis" ? AudioLength(track) : .unknown
  }

  /// Returns the duration to hide at the start of a packet, in units of `timeBase`.
  ///
  /// 0 for the first stream.
  mutating func hiddenStart(of packet: Packet, in timeBase: Rational) -> Int64 {
    guard !codec.isEmpty else { return 0 }
    var decoded = packet.duration
    if let head = packet.buffer?.readOnly.prefix(AudioLength.headSize), codec == "vorbis" {
      decoded = samples.convert(
        Int64(lengths.samples(Array(head)[...], size: packet.size)), to: timeBase)
    }
    let isFirst = packet.flags.contains(.discontinuity)
    defer { hasBegun = true }
    if isFirst { isAtStart = hasBegun }
    guard isAtStart else { return 0 }
    // The first packet of Vorbis gives no audio (Vorbis I 4.3.8), unless another stream is before it.
    if packet.flags.contains(.discard) || isFirst && codec == "vorbis" { return decoded }
    isAtStart = false
    return min(max(0, packet.trimStart), max(0, decoded))
  }
}
