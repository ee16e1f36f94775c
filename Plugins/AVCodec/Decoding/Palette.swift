import CAVCodec
import RespoolPlugin

/// The color palette of a track whose codec does not store one itself.
///
/// AVI stores up to 256 entries of four bytes (blue, green, red and one unused) after its BITMAPINFOHEADER.
/// FFmpeg uses them as extradata.
struct Palette {
  /// 256 colors, each 0xAARRGGBB in the byte order of the machine, as in libavcodec's packet side data.
  private let colors: [UInt32]

  private static let codecs: Set<String> = [
    "rawvideo", "msrle", "msvideo1", "cinepak", "qtrle", "smc", "8bps", "tscc",
  ]

  /// Returns `nil` if the track has no such palette.
  init?(_ track: TrackDescription) {
    guard Self.codecs.contains(track.codec), (1...8).contains(track.bitsPerSample),
      !track.extradata.isEmpty, track.extradata.count % 4 == 0, track.extradata.count <= 1024
    else { return nil }
    var colors = [UInt32](repeating: 0xFF00_0000, count: 256)
    for index in 0..<track.extradata.count / 4 {
      let entry = track.extradata[index * 4..<index * 4 + 3]
      colors[index] |= entry.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    self.colors = colors
  }

  func attach(to packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) {
    guard let memory = av_packet_new_side_data(packet, AV_PKT_DATA_PALETTE, colors.count * 4) else {
      throw MediaError(.limitExceeded, "there is no memory for a palette")
    }
    UnsafeMutableRawPointer(memory).copyMemory(from: colors, byteCount: colors.count * 4)
  }
}
