import RespoolMedia

extension PluginRegistry {
  /// Packets of a track after which it counts as one that gives no picture.
  private static let packetLimit = 64

  /// Returns `media` with the pixel formats that a container leaves open, of the video tracks that the
  /// muxer `container` does not carry: what they are encoded as depends on it.
  ///
  /// The first picture of each such track is decoded. A track that gives none stays as it is, because the
  /// conversion itself tells why. Throws `io`.
  package func withPixelFormats(
    _ media: MediaDescription, of source: FileSource, for container: String
  ) throws(MediaError) -> MediaDescription {
    let available = availablePlugins
    guard let muxer = available.muxer(named: container) else { return media }
    let open = media.tracks.map {
      $0.isMovingPicture && $0.pixelFormat.layout == nil
        && available.refusal(of: muxer, for: $0) != nil
    }
    guard open.contains(true) else { return media }
    var completed = media
    do throws(MediaError) {
      let demuxer = try openDemuxer(source)
      guard demuxer.media.tracks.count == media.tracks.count else { return media }
      try demuxer.select(open)
      var decoders: [Int: DecoderInstance] = [:]
      for index in media.tracks.indices where open[index] {
        decoders[index] = try? openDecoder(media.tracks[index], threads: 1)
      }
      var counts = media.tracks.map { _ in 0 }
      while !decoders.isEmpty, let packet = try demuxer.read() {
        guard let decoder = decoders[packet.track] else { continue }
        counts[packet.track] += 1
        if let format = try Self.pixelFormat(of: source.bytes(of: packet), decoder) {
          completed.tracks[packet.track].pixelFormat = format
          decoders[packet.track] = nil
        } else if counts[packet.track] == Self.packetLimit {
          decoders[packet.track] = nil
        }
      }
    } catch  where error.code != .io {
      // The conversion meets the same damage, and tells of it.
    }
    return completed
  }

  /// Returns the format of the picture that `decoder` gives for a packet, or nil if it gives none.
  private static func pixelFormat(of packet: Packet, _ decoder: DecoderInstance) -> PixelFormat? {
    guard (try? decoder.send(packet)) != nil, case .value(let frame)? = try? decoder.receive()
    else { return nil }
    return frame.pixelFormat
  }
}
