import RespoolPlugin

/// Space reserved for the movie box in front of the media, so that the media need not be moved at the end.
///
/// The estimate follows from the descriptions of the tracks. If the size is unknown, the box is inserted at
/// the end. If the estimate is too large, a free box fills the rest.
enum MovieRoom {
  /// Media size in bytes below which inserting the box takes a negligible time.
  private static let leastMedia = 16.0 * 1024 * 1024
  /// Maximum size in bytes.
  ///
  /// A film of two hours needs as much; a damaged description may claim anything.
  private static let most = 4.0 * 1024 * 1024

  /// Returns the bytes to reserve, in whole blocks of 4,096.
  ///
  /// 0 if unknown or not worth it.
  static func size(for media: MediaDescription) -> Int64 {
    guard let duration = media.duration, duration > 0 else { return 0 }
    let seconds = Double(duration) / 1e9
    let bits = media.tracks.reduce(0.0) { $0 + Double(max(0, $1.bitRate)) }
    guard bits * seconds / 8 >= leastMedia else { return 0 }
    var bytes = 16_384.0
    for track in media.tracks {
      guard let rate = tableRate(of: track) else { return 0 }
      bytes += rate * seconds
    }
    let records = media.sideData + media.tracks.flatMap(\.sideData)
    bytes += records.reduce(0.0) { $0 + Double($1.bytes.count) + 8 }
    for entry in media.metadata { bytes += Double(entry.value.utf8.count) }
    for tag in media.nativeTags { bytes += Double(tag.key.utf8.count + tag.value.utf8.count) }
    let blocks = (min(bytes * 1.03, most) / 4096).rounded(.up)
    return Int64(blocks) * 4096
  }

  /// Returns the bytes per second that a track adds to its tables (ISO/IEC 14496-12 8.6 and 8.7).
  ///
  /// `nil` if unknown.
  private static func tableRate(of track: TrackDescription) -> Double? {
    // Two chunks per second; each has a 64-bit offset and an `stsc` run.
    let chunks = 2.0 * (8 + 12)
    switch track.kind {
    case .video:
      guard track.isMovingPicture, track.frameRate.isPositive else { return nil }
      // Sample size, composition offset, and the duration if durations vary.
      var sample = 4.0
      if track.reorderDepth > 0 { sample += 8 }
      if track.baseFrameRate.isPositive, track.baseFrameRate != track.frameRate { sample += 8 }
      return chunks + sample * track.frameRate.doubleValue
    case .audio:
      if LinearPCM(codec: track.codec) != nil { return chunks }
      guard track.frameSize > 0, track.sampleRate > 0 else { return nil }
      return chunks + 4 * Double(track.sampleRate) / Double(track.frameSize)
    case .data:
      guard let count = track.packetCount, let duration = track.duration, duration > 0 else {
        return nil
      }
      // Sample size, and the duration, which varies.
      return chunks + 12 * Double(count) / (Double(duration) * track.timeBase.doubleValue)
    default: return chunks + 2 * 12
    }
  }
}
