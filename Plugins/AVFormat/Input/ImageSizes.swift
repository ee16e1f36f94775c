import CAVFormat
import RespoolPlugin

extension FormatContext {
  /// Maximum number of pixels of an image that libavformat decodes to describe its track, and of a frame of video.
  ///
  /// It decodes the first frame of each track whose pixel format it does not know. A small file may state any size.
  private static let mostPixels = (image: 1 << 24, video: 1 << 27)

  private static let images: Set<AVCodecID> = [
    AV_CODEC_ID_PNG, AV_CODEC_ID_APNG, AV_CODEC_ID_MJPEG, AV_CODEC_ID_WEBP, AV_CODEC_ID_TIFF,
    AV_CODEC_ID_BMP, AV_CODEC_ID_GIF, AV_CODEC_ID_JPEG2000, AV_CODEC_ID_JPEGLS, AV_CODEC_ID_LJPEG,
    AV_CODEC_ID_TARGA, AV_CODEC_ID_DPX, AV_CODEC_ID_EXR, AV_CODEC_ID_PSD, AV_CODEC_ID_SGI,
    AV_CODEC_ID_PPM, AV_CODEC_ID_PAM, AV_CODEC_ID_PCX,
  ]

  /// Identifies the tracks; images above the limit are described by their headers alone.
  ///
  /// Returns the status of libavformat.
  static func identifyTracks(of context: UnsafeMutablePointer<AVFormatContext>) -> Int32 {
    let streams = (0..<Int(context.pointee.nb_streams)).map { context.pointee.streams[$0] }
    var options: [OpaquePointer?] = streams.map { stream in
      guard let codec = stream?.pointee.codecpar?.pointee, codec.codec_type == AVMEDIA_TYPE_VIDEO
      else { return nil }
      var list: OpaquePointer?
      let most = images.contains(codec.codec_id) ? mostPixels.image : mostPixels.video
      av_dict_set_int(&list, "max_pixels", Int64(most), 0)
      return list
    }
    defer { for index in options.indices { av_dict_free(&options[index]) } }
    let sizes = streams.map { stream in
      (stream?.pointee.codecpar?.pointee).map { ($0.width, $0.height) } ?? (0, 0)
    }
    // The list must have an element for each stream.
    let status = options.withUnsafeMutableBufferPointer {
      avformat_find_stream_info(context, $0.isEmpty ? nil : $0.baseAddress)
    }
    for (stream, size) in zip(streams, sizes) {
      guard let stream, let codec = stream.pointee.codecpar,
        codec.pointee.codec_type == AVMEDIA_TYPE_VIDEO, codec.pointee.width <= 0
      else { continue }
      // A decoder that reached the limit leaves no size.
      (codec.pointee.width, codec.pointee.height) = size
      describe(codec, byHeaderIn: stream.pointee.attached_pic)
    }
    return status
  }

  /// Sets the size and the pixel format of an image from its header.
  private static func describe(
    _ codec: UnsafeMutablePointer<AVCodecParameters>, byHeaderIn packet: AVPacket
  ) {
    guard let data = packet.data, packet.size > 0 else { return }
    let bytes = Array(UnsafeBufferPointer(start: data, count: Int(packet.size)))
    let (width, height, format): (Int, Int, PixelFormat)
    if let header = PNGHeader(bytes) {
      (width, height, format) = (header.width, header.height, header.pixelFormat)
    } else if let header = JPEGFrameHeader(bytes) {
      (width, height, format) = (header.width, header.height, header.pixelFormat)
      codec.pointee.color_range = header.hasLimitedRange ? AVCOL_RANGE_MPEG : AVCOL_RANGE_JPEG
    } else {
      return
    }
    (codec.pointee.width, codec.pointee.height) = (Int32(clamping: width), Int32(clamping: height))
    codec.pointee.format = format.ffmpeg.rawValue
  }
}
