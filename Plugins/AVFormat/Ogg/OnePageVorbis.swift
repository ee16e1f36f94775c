import CAVFormat
import FFmpeg
import RespoolPlugin

/// The times of a Vorbis stream whose audio has only one page.
///
/// The first packet gives no audio (Vorbis I 4.3.8), but libavformat counts it. It corrects the times only if the first
/// page with audio is not the last one, and otherwise trims too much from the end.
enum OnePageVorbis {
  /// Maximum number of pages before the audio: comments with covers have many.
  private static let mostHeaderPages = 1000

  /// Returns the units of time by which all packets are late: the stated duration of the first one.
  static func lateness(
    _ context: FormatContext, in source: ByteSource,
    _ readAhead: inout [UnsafeMutablePointer<AVPacket>]
  ) throws(MediaError) -> Int64 {
    guard context.isOgg, context.streamCount == 1, source.isSeekable, readAhead.isEmpty,
      let stream = context.stream(0)?.pointee, stream.start_time == 0,
      stream.codecpar?.pointee.codec_id == AV_CODEC_ID_VORBIS, try hasOnePage(source),
      let packet = av_packet_alloc()
    else { return 0 }
    guard av_read_frame(context.pointer, packet) >= 0 else {
      var unused: UnsafeMutablePointer<AVPacket>? = packet
      av_packet_free(&unused)
      return 0
    }
    readAhead.append(packet)
    return packet.pointee.pts == 0 ? max(0, packet.pointee.duration) : 0
  }

  private static func hasOnePage(_ source: ByteSource) throws(MediaError) -> Bool {
    var pages = OggPages(source)
    for _ in 0..<mostHeaderPages {
      guard let page = try pages.next() else { return false }
      if page.granule > 0 { return page.isLastOfStream }
    }
    return false
  }
}
