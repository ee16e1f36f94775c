import RespoolPlugin

/// Finds where a track of timed metadata has nothing, which a sample without values has to say: each sample
/// holds until the next one (ISO/IEC 14496-12 12.9).
struct MetadataGaps {
  /// By track, when its last sample ends; none where that is not told.
  private var ends: [Int: Int64] = [:]

  /// What is to be written before a packet of the movie's track `number`; nil where nothing is.
  mutating func gap(before packet: Packet, _ number: Int, of track: TrackDescription) -> Packet? {
    guard track.isTimedMetadata else { return nil }
    let time = packet.pts ?? packet.dts ?? 0
    let end = ends[number]
    // What does not say how long it holds does so until the next.
    ends[number] = packet.duration > 0 ? time.addingClamped(packet.duration) : nil
    guard let end, time > end else { return nil }
    return Packet(
      track: packet.track, pts: end, dts: end, duration: time.subtractingClamped(end), flags: .key,
      payload: .bytes(MediaBuffer(MetadataSample().bytes)))
  }
}
