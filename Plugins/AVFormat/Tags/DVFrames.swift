import CAVFormat
import RespoolPlugin

/// The first frame of a DV track, which has the date of recording.
enum DVFrames {
  /// Maximum number of packets to read: audio may come first.
  private static let maximumPackets = 64

  /// Adds the date of recording to the tags.
  ///
  /// Packets that were read go to `readAhead`.
  static func takeDate(
    _ media: inout MediaDescription, _ context: FormatContext,
    readAhead: inout [UnsafeMutablePointer<AVPacket>]
  ) {
    guard let track = media.tracks.firstIndex(where: { $0.codec == "dvvideo" }) else { return }
    var next = 0
    while next < maximumPackets, readAhead.count > next || context.readAhead(into: &readAhead) {
      let packet = readAhead[next].pointee
      if packet.stream_index == track {
        let frame = UnsafeBufferPointer(start: packet.data, count: Int(max(0, packet.size)))
        return media.addRecordingDate(ofDVFrame: frame)
      }
      next += 1
    }
  }
}

extension FormatContext {
  /// Reads a packet and appends it to packets that are returned later.
  ///
  /// Returns `false` at the end of the file and if it cannot be read.
  func readAhead(into packets: inout [UnsafeMutablePointer<AVPacket>]) -> Bool {
    guard let packet = av_packet_alloc() else { return false }
    if av_read_frame(pointer, packet) >= 0 {
      packets.append(packet)
      return true
    }
    var unused: UnsafeMutablePointer<AVPacket>? = packet
    av_packet_free(&unused)
    return false
  }
}
