import RespoolMedia

/// Joins many small packets that are adjacent in the file into one large packet.
///
/// Uncompressed audio comes in packets of a few kilobytes. Reading and decoding each one separately takes
/// longer than everything else. Packets with more properties than their position and time pass unchanged.
final class PacketJoiner: Stage {
  /// Bytes of a joined packet; fits into the second-level cache of a core.
  private static let size = 256 << 10

  private let sampleBytes: Int64
  private let next: any Stage<Packet>
  private var pending: Packet?
  private var start: Int64 = 0
  private var length: Int64 = 0

  /// Returns `nil` for codecs whose packet boundaries matter.
  init?(_ track: TrackDescription, to next: any Stage<Packet>) {
    guard let bytes = Self.sampleBytes[track.codec], track.channelLayout.channelCount > 0 else {
      return nil
    }
    sampleBytes = Int64(bytes * track.channelLayout.channelCount)
    self.next = next
  }

  /// Bytes of one audio sample, for the PCM codecs whose packets can be joined.
  private static let sampleBytes = [
    "pcm_u8": 1, "pcm_s8": 1, "pcm_alaw": 1, "pcm_mulaw": 1, "pcm_s16le": 2, "pcm_s16be": 2,
    "pcm_s24le": 3, "pcm_s24be": 3, "pcm_s32le": 4, "pcm_s32be": 4, "pcm_f32le": 4, "pcm_f32be": 4,
    "pcm_f64le": 8, "pcm_f64be": 8,
  ]

  /// Returns `true` if the packets of the track's codec can be joined at any audio sample.
  static func joins(_ track: TrackDescription) -> Bool { sampleBytes[track.codec] != nil }

  func consume(_ packet: Packet) throws(MediaError) {
    guard case .range(let offset, let count) = packet.payload, isPlain(packet) else {
      try flush()
      return try next.consume(packet)
    }
    if var joined = pending, offset == start + length, length % sampleBytes == 0,
      let time = joined.pts, packet.pts == time &+ joined.duration
    {
      length += count
      joined.duration += packet.duration
      pending = joined
    } else {
      try flush()
      pending = packet
      (start, length) = (offset, count)
    }
    if length >= Self.size { try flush() }
  }

  func finish() throws(MediaError) {
    try flush()
    try next.finish()
  }

  private func isPlain(_ packet: Packet) -> Bool {
    packet.flags.isSubset(of: .key) && packet.trimStart == 0 && packet.trimEnd == 0
      && packet.pts != nil && packet.duration > 0
  }

  private func flush() throws(MediaError) {
    guard var packet = pending else { return }
    pending = nil
    packet.payload = .range(offset: start, length: length)
    try next.consume(packet)
  }
}
