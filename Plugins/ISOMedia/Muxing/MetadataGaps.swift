import RespoolPlugin

/// Detection of gaps in timed metadata tracks.
///
/// A gap requires a sample without values, because each sample is valid until the next one (ISO/IEC 14496-12
/// 12.9).
struct MetadataGaps {
  /// End of the last sample by track.
  ///
  /// Missing if unknown.
  private var ends: [Int: Int64] = [:]

  /// Returns the sample to write before a packet of the movie's track `number`.
  ///
  /// `nil` if there is no gap.
  mutating func gap(before packet: Packet, _ number: Int, of track: TrackDescription) -> Packet? {
    guard track.isTimedMetadata else { return nil }
    let time = packet.pts ?? packet.dts ?? 0
    let end = ends[number]
    // A packet without a duration is valid until the next one.
    ends[number] = packet.duration > 0 ? time.addingClamped(packet.duration) : nil
    guard let end, time > end else { return nil }
    return Packet(
      track: packet.track, pts: end, dts: end, duration: time.subtractingClamped(end), flags: .key,
      payload: .bytes(MediaBuffer(MetadataSample().bytes)))
  }
}
