import CAVFormat
import RespoolPlugin

/// Color palettes that libavformat attaches to the first packet instead of the track.
enum Palettes {
  /// Maximum number of packets to read: a palette comes with the first frame or not at all.
  private static let maximumPackets = 64

  /// Stores the first palette of a track as its extradata, as in AVI files.
  ///
  /// Packets that were read go to `readAhead`.
  static func take(
    _ media: inout MediaDescription, _ context: FormatContext,
    readAhead: inout [UnsafeMutablePointer<AVPacket>]
  ) {
    var waiting = Set(
      media.tracks.indices.filter {
        media.tracks[$0].isMovingPicture && media.tracks[$0].extradata.isEmpty
          && media.tracks[$0].pixelFormat == .pal8
          && (1...8).contains(media.tracks[$0].bitsPerSample)
      })
    guard !waiting.isEmpty else { return }
    var next = 0
    while !waiting.isEmpty, next < maximumPackets,
      readAhead.count > next || context.readAhead(into: &readAhead)
    {
      let packet = readAhead[next]
      let index = Int(packet.pointee.stream_index)
      if waiting.remove(index) != nil {
        media.tracks[index].extradata = PacketSideData(packet).palette
      }
      next += 1
    }
  }
}
