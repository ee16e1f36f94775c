import RespoolMedia

/// Reads single samples of a track, in any order.
///
/// For one thread at a time.
final class SampleFetcher {
  private let track: AssetTrack
  private let index: SampleIndex
  private var packets: TrackPackets
  /// The sample that `packets` returns next.
  ///
  /// `nil` if unknown.
  private var next: Int? = 0

  init(_ track: AssetTrack, _ index: SampleIndex) throws(MediaError) {
    self.track = track
    self.index = index
    packets = try TrackPackets(track)
  }

  /// Returns the sample with its bytes.
  ///
  /// Throws `malformed` if the file has changed since the index was made.
  func packet(_ number: Int) throws(MediaError) -> Packet {
    let entry = index.entries[number]
    if entry.offset >= 0 {
      var packet = Packet(
        track: track.index, pts: entry.presentation, dts: entry.decode, duration: entry.duration,
        flags: Packet.Flags(rawValue: UInt32(entry.flags)),
        payload: .range(offset: entry.offset, length: Int64(entry.size)))
      packet.sampleDescriptionIndex = Int(entry.format)
      if let trim = index.trims[number] { (packet.trimStart, packet.trimEnd) = trim }
      return try packets.source.bytes(of: packet)
    }
    if next == number, let packet = try search(number) { return packet }
    try packets.seek(to: entry.presentation)
    if let packet = try search(number) { return packet }
    packets = try TrackPackets(track)
    if let packet = try search(number) { return packet }
    throw MediaError(
      .malformed,
      "a sample is not at its former offset: the file has changed", file: track.asset?.path)
  }

  /// Reads forward to the sample; `nil` at the end or after a packet that is decoded later.
  private func search(_ number: Int) throws(MediaError) -> Packet? {
    let entry = index.entries[number]
    next = nil
    while let packet = try packets.next() {
      let decode = packet.dts ?? packet.pts ?? .min
      if decode == entry.decode, (packet.pts ?? decode) == entry.presentation,
        packet.size == Int(entry.size), packet.digest == entry.digest
      {
        next = number + 1
        return try packets.source.bytes(of: packet)
      }
      guard decode <= entry.decode else { return nil }
    }
    return nil
  }
}
