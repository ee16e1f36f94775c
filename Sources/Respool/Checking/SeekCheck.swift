import RespoolMedia

/// A check that seeking leads to the media that was read before, so that the index of a file is right.
struct SeekCheck {
  private let demuxer: DemuxerInstance
  /// Index of the track to seek in, and its sync samples.
  private let index: Int
  private let times: [Int64]
  private let offset: Int64

  /// Number of places.
  private static let placeCount = 6
  /// Maximum number of packets that are read at a place.
  private static let packetLimit = 2048
  /// Seconds by which the media at a place may begin later than requested.
  private static let tolerance = 1.0

  /// Chooses the first track of video, or else of audio, with sync samples.
  init(_ demuxer: DemuxerInstance, _ tracks: [CheckedTrack]) {
    self.demuxer = demuxer
    let moving = tracks.firstIndex { $0.track.isMovingPicture && $0.syncTimes.count > 1 }
    let found =
      moving ?? tracks.firstIndex { $0.track.kind == .audio && $0.syncTimes.count > 1 } ?? 0
    index = found
    times = tracks.indices.contains(found) ? tracks[found].syncTimes.sorted() : []
    let media = demuxer.media
    let start = DemuxLoop.startOffset(media.tracks, isSelected: media.tracks.map { _ in true })
    offset =
      media.tracks.indices.contains(found)
      ? Rational.nanoseconds.convert(start, to: media.tracks[found].timeBase) : 0
  }

  /// Returns the first place to which a seek does not lead; `nil` if there is none or the demuxer cannot seek.
  func fault() throws(MediaError) -> FileCheck.Finding? {
    guard times.count > 1 else { return nil }
    let track = demuxer.media.tracks[index]
    let unit = track.timeBase.doubleValue
    for place in 1...Self.placeCount {
      let time = times[(times.count - 1) * place / Self.placeCount]
      let seconds = Double(time) * unit
      func fault(_ words: String) -> FileCheck.Finding {
        FileCheck.Finding(
          .damage, track: TrackNumber(index: index), times: seconds...seconds,
          "seeking to \(seconds.decimalText) s \(words), so that the index of the file is damaged")
      }
      do throws(MediaError) {
        try demuxer.seek(track: index, to: time &+ offset)
        guard let found = try first(of: index) else { return fault("leads to no media") }
        let reached = Double(found &- offset) * unit
        if reached > seconds + Self.tolerance { return fault("leads to \(reached.decimalText) s") }
      } catch {
        switch error.code {
        case .unsupported: return nil
        case .malformed, .limitExceeded: return fault("fails: \(error.message)")
        default: throw error
        }
      }
    }
    return nil
  }

  /// Returns the presentation time of the next packet of a track; `nil` if there is none.
  private func first(of track: Int) throws(MediaError) -> Int64? {
    var reader = DamageTolerantReader(demuxer)
    for _ in 0..<Self.packetLimit {
      guard let packet = try reader.next(note: { _ in }) else { return nil }
      if packet.track == track, let time = packet.pts ?? packet.dts { return time }
    }
    // Other tracks are far ahead; nothing is known.
    return offset
  }
}
