package import RespoolMedia

extension Frame {
  /// Returns a planar block of 32-bit floating-point audio with the values of `channels`.
  package static func planar(
    _ channels: [[Float]], _ layout: ChannelLayout, rate: Int, pts: Int64?
  ) throws(MediaError) -> Frame {
    let count = channels.first?.count ?? 0
    guard
      var frame = Frame(
        sampleFormat: .fltp, channelLayout: layout, sampleRate: rate, sampleCount: count, pts: pts)
    else { throw MediaError(.internal, "no memory for \(count) audio samples") }
    for (plane, channel) in zip(frame.planes, channels) {
      channel.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress {
          plane.base.copyMemory(from: base, byteCount: bytes.count)
        }
      }
    }
    frame.duration = Int64(count)
    return frame
  }
}
