import RespoolMedia

/// Check of the key flag of packets whose codec or bitstream shows where decoding can start.
struct KeyFlagCheck {
  let track: TrackDescription
  let packets: [Packet]

  /// Codecs of video whose packets are all sync samples.
  private static let intraCodecs: Set<String> = [
    "mjpeg", "prores", "dnxhd", "dvvideo", "png", "rawvideo", "v210", "huffyuv", "utvideo",
    "jpeg2000",
  ]
  /// Codecs of audio whose packets may depend on others.
  private static let dependentCodecs: Set<String> = ["truehd", "mlp"]
  /// Profile of USAC, as FFmpeg numbers it, whose frames may depend on others.
  private static let extendedHEAAC: Int32 = 41

  func run() throws(Finding) {
    guard let first = packets.first else { return }
    guard packets.contains(where: { $0.flags.contains(.key) }) else {
      throw finding("no packet has the key flag, so decoding can start nowhere")
    }
    for (index, packet) in packets.enumerated() {
      guard let isKey = isKey(packet), isKey != packet.flags.contains(.key) else { continue }
      throw finding(
        isKey
          ? "packet \(index) is a sync sample of \(track.codec), but has no key flag"
          : "packet \(index) has the key flag, but is no sync sample of \(track.codec)")
    }
    if track.kind == .audio, !mayDepend, !first.flags.contains(.key) {
      throw finding("the first packet has no key flag, but decoding begins there")
    }
  }

  private func finding(_ words: String) -> Finding {
    Finding(words, cause: "key flags are wrong")
  }

  private var mayDepend: Bool {
    Self.dependentCodecs.contains(track.codec) || track.profile == Self.extendedHEAAC
  }

  /// `true` or `false` if the packet shows whether it is a sync sample; `nil` if not.
  private func isKey(_ packet: Packet) -> Bool? {
    if track.kind == .audio { return isIndependentAudio ? true : nil }
    if Self.intraCodecs.contains(track.codec) { return true }
    let bytes = packet.bytes
    switch track.codec {
    case "h264": return unitTypes(bytes) { $0 & 0x1F }.contains(5) ? true : nil
    case "hevc":
      return unitTypes(bytes) { $0 >> 1 & 0x3F }.contains { (19...20).contains($0) } ? true : nil
    // Frame tag (RFC 6386 9.1): 0 is a key frame.
    case "vp8": return bytes.first.map { $0 & 1 == 0 }
    case "vp9": return Self.isVP9Key(bytes)
    default: return nil
    }
  }

  /// `true` for codecs of audio that are known to have no dependent packets.
  private var isIndependentAudio: Bool {
    let known: Set<String> = ["aac", "opus", "vorbis", "flac", "mp3", "mp2", "ac3", "eac3", "alac"]
    return !mayDepend && (track.codec.hasPrefix("pcm_") || known.contains(track.codec))
  }

  /// Types of the NAL units, in the framing that the configuration record states.
  private func unitTypes(_ bytes: [UInt8], _ type: (UInt8) -> UInt8) -> [UInt8] {
    guard let size = PacketFraming.lengthSize(of: track) else {
      return bytes.withUnsafeBytes { raw in AnnexB.units(in: raw).map { type(raw[$0.lowerBound]) } }
    }
    return LengthPrefixedUnits(bytes, size)?.units.compactMap { $0.first.map(type) } ?? []
  }

  /// The first byte of `uncompressed_header` (VP9 bitstream specification 6.2); `nil` for a shown existing frame.
  private static func isVP9Key(_ bytes: [UInt8]) -> Bool? {
    guard let first = bytes.first, first >> 6 == 2 else { return nil }
    // frame_marker, profile_low_bit, profile_high_bit, and a reserved bit in profile 3.
    let shift: UInt8 = first >> 4 & 3 == 3 ? 1 : 0
    let isRepeated = first >> (3 - shift) & 1 == 1
    return isRepeated ? nil : first >> (2 - shift) & 1 == 0
  }
}
