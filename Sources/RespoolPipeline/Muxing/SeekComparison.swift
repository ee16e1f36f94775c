import RespoolHost
import RespoolMedia

/// A check that seeking in a written file leads to its sync samples, so that its table for seeking is right.
struct SeekComparison {
  private let demuxer: DemuxerInstance
  private let track: TrackReadback

  /// Number of sync samples that are sought.
  private static let placeCount = 3
  /// Maximum number of packets that are read at a place.
  private static let packetLimit = 2048

  /// Chooses the first track of video, or else of audio, that has been read; `nil` if none has several sync samples.
  init?(_ demuxer: DemuxerInstance, _ tracks: [TrackReadback]) {
    func first(_ kind: TrackDescription.Kind) -> TrackReadback? {
      tracks.first {
        $0.track.kind == kind && !$0.repeatsPackets && $0.syncSamples.samples.count > 1
      }
    }
    guard let track = first(.video) ?? first(.audio) else { return nil }
    (self.demuxer, self.track) = (demuxer, track)
  }

  /// Returns the first place to which a seek does not lead, as part of a sentence; `nil` if there is none.
  ///
  /// A demuxer that cannot seek has none.
  func difference() throws(MediaError) -> String? {
    let times = track.syncSamples.samples.compactMap(\.pts)
    guard times.count > 1 else { return nil }
    for place in 1...Self.placeCount {
      let time = times[(times.count - 1) * place / Self.placeCount]
      let seconds = track.seconds(time, track.track.timeBase)
      do throws(MediaError) {
        try demuxer.seek(track: track.index, to: time)
      } catch {
        if error.code == .unsupported { return nil }
        throw error
      }
      guard let reached = try firstTime(expecting: time) else {
        return "seeking to \(seconds.decimalText) s in \(track.name) leads to no packet"
      }
      let found = track.seconds(reached, track.track.timeBase)
      // A seek may lead to an earlier packet, from which more has to be decoded.
      if found > seconds + track.tolerance {
        return "seeking to \(seconds.decimalText) s in \(track.name) leads to "
          + "\(found.decimalText) s"
      }
    }
    return nil
  }

  /// Returns the presentation time of the track's next packet, or `time` if that is far away; `nil` if there is none.
  private func firstTime(expecting time: Int64) throws(MediaError) -> Int64? {
    for _ in 0..<Self.packetLimit {
      guard let packet = try demuxer.read() else { return nil }
      if packet.track == track.index { return packet.pts ?? packet.dts }
    }
    return time
  }
}
