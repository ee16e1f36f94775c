import CAVFormat
import RespoolPlugin

/// Detection of still images in formats that hold both still images and video.
enum StillImages {
  /// Marks the still images of `media`.
  ///
  /// Packets that were read go to `readAhead`. Throws `unsupported` for an animation in WebP.
  static func mark(
    _ media: inout MediaDescription, _ context: FormatContext,
    readAhead: inout [UnsafeMutablePointer<AVPacket>]
  ) throws(MediaError) {
    let pictures = media.tracks.indices.filter { media.tracks[$0].isMovingPicture }
    guard !pictures.isEmpty else { return }
    let isStill: Bool
    switch context.name {
    // In icons, each size is a track with one image.
    case "ico": isStill = true
    // A GIF with a single frame still counts as video, because the format is used for animations.
    case "apng": isStill = hasOnePacket(context, &readAhead)
    case let name where name.hasSuffix("_pipe"):
      isStill = hasOnePacket(context, &readAhead)
      guard !isAnimatedWebP(readAhead.first) else {
        throw MediaError(
          .unsupported, "an animation in WebP, which is not decoded; GIF and APNG are")
      }
    default: return
    }
    guard isStill else { return }
    for index in pictures { media.tracks[index].disposition.insert(.stillImage) }
  }

  /// Returns `true` if the file has exactly one packet.
  ///
  /// Reads at most two.
  private static func hasOnePacket(
    _ context: FormatContext, _ readAhead: inout [UnsafeMutablePointer<AVPacket>]
  ) -> Bool {
    while readAhead.count < 2 {
      guard context.readAhead(into: &readAhead) else { return readAhead.count == 1 }
    }
    return false
  }

  /// Returns bit 1 of the VP8X chunk's flags (WebP Container Specification, extended file format).
  private static func isAnimatedWebP(_ packet: UnsafeMutablePointer<AVPacket>?) -> Bool {
    guard let packet, let data = packet.pointee.data, packet.pointee.size > 20 else {
      return false
    }
    let bytes = UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
    return bytes[12..<16].elementsEqual("VP8X".utf8) && bytes[20] & 2 != 0
  }
}
