import CAVCodec
import FFmpeg
import RespoolPlugin

/// The decoders of libavcodec for subtitles that are images.
///
/// A packet becomes a frame in `rgba` of the size that the subtitles were made for, which is transparent where they have
/// nothing. Its duration is 0 if it is shown until the next frame.
final class SubtitleDecoder: Decoder {
  static let description: FactoryDescription = {
    var value = FactoryDescription(
      kind: .decoder, name: "avcodec-subtitles",
      longName: "Subtitles that are images, by FFmpeg's libavcodec")
    value.codecs = ["hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle"]
    return value
  }()

  private let context: CodecContext
  private let packet: UnsafeMutablePointer<AVPacket>
  private let track: TrackDescription
  private var waiting: Frame?
  private var isDraining = false

  /// Maximum number of pixels of a side; larger ones are damage.
  private static let largest = 8192

  init(settings: DecoderSettings) throws(MediaError) {
    let track = settings.track
    guard Self.description.codecs.contains(track.codec),
      let descriptor = avcodec_descriptor_get_by_name(track.codec),
      let codec = avcodec_find_decoder(descriptor.pointee.id)
    else {
      throw MediaError(.unsupported, "libavcodec has no decoder for \"\(track.codec)\"")
    }
    let context = try CodecContext(codec)
    try context.set(extradata: track.extradata)
    context.pointer.pointee.codec_tag = track.codecTag
    context.pointer.pointee.pkt_timebase = track.timeBase.ffmpeg
    context.pointer.pointee.width = Int32(clamping: track.width)
    context.pointer.pointee.height = Int32(clamping: track.height)
    try context.open()
    guard let packet = av_packet_alloc() else {
      throw MediaError(.limitExceeded, "there is no memory for a packet")
    }
    (self.context, self.packet, self.track) = (context, packet, track)
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = packet
    av_packet_free(&packet)
  }

  func send(_ input: Packet?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let input else {
      isDraining = true
      return .accepted
    }
    guard let bytes = input.buffer else {
      throw MediaError(
        .invalidArgument, "a decoder needs a packet's bytes, not a range of the source")
    }
    guard bytes.count > 0, let time = input.pts ?? input.dts else { return .accepted }
    try packet.copy(bytes)
    defer { av_packet_unref(packet) }
    (packet.pointee.pts, packet.pointee.dts) = (time, time)
    packet.pointee.duration = input.duration
    var subtitle = AVSubtitle()
    var isWhole: Int32 = 0
    let result = avcodec_decode_subtitle2(context.pointer, &subtitle, &isWhole, packet)
    guard result >= 0 else {
      throw .library(
        result, "\(context.name) cannot decode a packet of \(bytes.count.counting("byte"))")
    }
    guard isWhole != 0 else { return .accepted }
    defer { avsubtitle_free(&subtitle) }
    waiting = try frame(of: subtitle, at: time, lasting: input.duration)
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    guard let frame = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(frame)
  }

  func flush() {
    avcodec_flush_buffers(context.pointer)
    (waiting, isDraining) = (nil, false)
  }

  private func frame(of subtitle: AVSubtitle, at time: Int64, lasting duration: Int64)
    throws(MediaError) -> Frame
  {
    let rects = (0..<Int(subtitle.num_rects)).compactMap { subtitle.rects?[$0]?.pointee }
      .filter { $0.type == SUBTITLE_BITMAP && $0.w > 0 && $0.h > 0 }
    var (width, height) = (
      Int(context.pointer.pointee.width), Int(context.pointer.pointee.height)
    )
    if width <= 0 || height <= 0 { (width, height) = (track.width, track.height) }
    for rect in rects {
      width = max(width, Int(rect.x) + Int(rect.w))
      height = max(height, Int(rect.y) + Int(rect.h))
    }
    guard (1...Self.largest).contains(width), (1...Self.largest).contains(height),
      var frame = Frame(pixelFormat: .rgba, width: width, height: height)
    else {
      throw MediaError(.malformed, "the subtitles state a size of \(width)x\(height)")
    }
    frame.buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    for rect in rects { draw(rect, on: frame) }
    let milliseconds = Rational(1, 1000)
    let start = milliseconds.convert(Int64(subtitle.start_display_time), to: track.timeBase)
    frame.pts = time &+ start
    if subtitle.end_display_time != .max, subtitle.end_display_time > subtitle.start_display_time {
      let end = milliseconds.convert(Int64(subtitle.end_display_time), to: track.timeBase)
      frame.duration = max(0, end &- start)
    } else if !rects.isEmpty {
      frame.duration = max(0, duration)
    }
    return frame
  }

  /// Draws an image with a palette.
  private func draw(_ rect: AVSubtitleRect, on frame: Frame) {
    guard let indexes = rect.data.0, let colors = rect.data.1 else { return }
    let palette = UnsafeRawPointer(colors).assumingMemoryBound(to: UInt32.self)
    let plane = frame.planes[0]
    let (x, y) = (Int(rect.x), Int(rect.y))
    let columns = (x..<x + Int(rect.w)).clamped(to: 0..<frame.width)
    for row in (y..<y + Int(rect.h)).clamped(to: 0..<frame.height) {
      let source = indexes + (row - y) * Int(rect.linesize.0)
      let line = (plane.base + row * plane.stride).assumingMemoryBound(to: UInt8.self)
      for column in columns {
        // AVSubtitleRect: pixels 0xAARRGGBB; the palette has 256 of them.
        let color = palette[Int(source[column - x])]
        guard color >> 24 > 0 else { continue }
        let pixel = line + column * 4
        for (part, shift) in [UInt32(16), 8, 0, 24].enumerated() {
          pixel[part] = UInt8(truncatingIfNeeded: color >> shift)
        }
      }
    }
  }
}
