import CAVFormat
import RespoolPlugin

/// Tells still pictures from moving ones where the format can hold both.
enum StillImages {
  /// Marks the pictures of `media` that stand still; what had to be read for it goes to `readAhead`.
  static func mark(
    _ media: inout MediaDescription, _ context: FormatContext,
    readAhead: inout [UnsafeMutablePointer<AVPacket>]
  ) {
    let pictures = media.tracks.indices.filter { media.tracks[$0].isMovingPicture }
    guard !pictures.isEmpty else { return }
    let isStill: Bool
    switch context.name {
    // Icons: each size is a track of one picture.
    case "ico": isStill = true
    // A GIF is a film even where it has one picture: that is what the format is used for.
    case "apng": isStill = hasOnePacket(context, &readAhead)
    case let name where name.hasSuffix("_pipe"):
      isStill = hasOnePacket(context, &readAhead) && !isAnimatedWebP(readAhead.first)
    default: return
    }
    guard isStill else { return }
    for index in pictures { media.tracks[index].disposition.insert(.stillImage) }
  }

  /// Reads two packets, or finds that there are fewer.
  private static func hasOnePacket(
    _ context: FormatContext, _ readAhead: inout [UnsafeMutablePointer<AVPacket>]
  ) -> Bool {
    while readAhead.count < 2 {
      guard let packet = av_packet_alloc() else { return false }
      if av_read_frame(context.pointer, packet) < 0 {
        var unused: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&unused)
        return readAhead.count == 1
      }
      readAhead.append(packet)
    }
    return false
  }

  /// Bit 1 of the VP8X chunk's flags (WebP Container Specification, extended file format).
  private static func isAnimatedWebP(_ packet: UnsafeMutablePointer<AVPacket>?) -> Bool {
    guard let packet, let data = packet.pointee.data, packet.pointee.size > 20 else {
      return false
    }
    let bytes = UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
    return bytes[12..<16].elementsEqual("VP8X".utf8) && bytes[20] & 2 != 0
  }
}
