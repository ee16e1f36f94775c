import RespoolMedia

/// Reads the packets of one track of a file, from its start.
///
/// For one thread at a time.
final class TrackPackets {
  let source: FileSource
  private let demuxer: DemuxerInstance
  private let track: Int

  /// Throws if the file cannot be read or no longer has the track.
  init(_ track: AssetTrack) throws(MediaError) {
    let feed = try TrackFeed(TrackRange(track: track, source: .invalid, target: nil), copies: true)
    source = feed.source
    demuxer = feed.demuxer
    self.track = track.index
    try demuxer.select(demuxer.media.tracks.indices.map { $0 == track.index })
  }

  /// Returns the next packet; `nil` at the end.
  func next() throws(MediaError) -> Packet? {
    do throws(MediaError) {
      while let packet = try demuxer.read() { if packet.track == track { return packet } }
      return nil
    } catch { throw error.inFile(source.path) }
  }

  /// Seeks to a position at or before a time of the track, if the demuxer can.
  func seek(to time: Int64) throws(MediaError) {
    do throws(MediaError) {
      try demuxer.seek(track: track, to: time)
    } catch  where error.code == .unsupported || error.code == .malformed {
      // If the sample is not found from here, the caller reads from the start.
    } catch { throw error.inFile(source.path) }
  }
}
