import RespoolPlugin

/// Finds where a track of texts or of timed metadata has nothing, which a sample without content has to say:
/// each sample lasts until the next one (14496-17 5.2; 14496-12 12.9).
struct GapFilling {
  /// By track, when its last sample ends; none where that is not told.
  private var ends: [Int: Int64] = [:]

  /// What is to be written before a packet of the movie's track `number`; nil where nothing is.
  mutating func gap(before packet: Packet, _ number: Int, of codec: String) -> Packet? {
    let content: [UInt8]
    switch codec {
    case "mov_text": content = [0, 0]
    case "mebx": content = MetadataSample().bytes
    default: return nil
    }
    let time = packet.pts ?? packet.dts ?? 0
    let end = ends[number]
    // Metadata that does not say how long it holds does so until the next.
    let isOpen = codec == "mebx" && packet.duration <= 0
    ends[number] = isOpen ? nil : time.addingClamped(max(0, packet.duration))
    guard let end, time > end else { return nil }
    return Packet(
      track: packet.track, pts: end, dts: end, duration: time.subtractingClamped(end), flags: .key,
      payload: .bytes(MediaBuffer(content)))
  }
}
