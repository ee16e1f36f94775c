import RespoolHost
import RespoolMedia

/// Hash of all bytes of a track's packets, without the limits between the packets.
struct TrackContent {
  /// Bytes of a range that are read at a time, whatever length a file states for it.
  private static let partSize: Int64 = 1 << 20

  private var hash = XXH64()
  /// `true` for text, of which containers leave out or add what shows nothing.
  private let skipsEmptyText: Bool

  init(of track: TrackDescription) { skipsEmptyText = track.codec == "mov_text" }

  var byteCount: UInt64 { hash.byteCount }
  var value: UInt64 { hash.value }

  /// Adds the bytes of a packet after its first `header` bytes; they may be a range of `source`.
  mutating func add(_ packet: Packet, of source: FileSource?, after header: Int = 0)
    throws(MediaError)
  {
    // The place of nothing in text of MP4 has a length of 0 (3GPP TS 26.245 5.17.1.1).
    if skipsEmptyText, packet.size <= 2 { return }
    switch packet.payload {
    case .bytes(let buffer):
      buffer.withBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0.dropFirst(header))) }
    case .range(let offset, let length):
      guard let source else { return }
      var (place, rest) = (offset + Int64(header), length - Int64(header))
      while rest > 0 {
        let part = try source.bytes(at: place, count: min(rest, Self.partSize))
        part.withUnsafeBytes { hash.update($0) }
        (place, rest) = (place + Int64(part.count), rest - Int64(part.count))
      }
    }
  }
}
