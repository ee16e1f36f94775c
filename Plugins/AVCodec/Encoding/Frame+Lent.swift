import CAVCodec
import FFmpeg
import RespoolPlugin

extension Frame {
  /// Returns the frame as an AVFrame that shares its memory, which is kept until FFmpeg releases it.
  ///
  /// The caller frees the result.
  func lent(to context: CodecContext) throws(MediaError) -> UnsafeMutablePointer<AVFrame> {
    try makeAVFrame { frame throws(MediaError) in
      frame.pointee.pts = ffmpeg_no_time
      try fill(frame, context)
      try share(with: frame)
    }
  }

  private func fill(_ frame: UnsafeMutablePointer<AVFrame>, _ context: CodecContext)
    throws(MediaError)
  {
    guard !planes.isEmpty, planes.count <= 8 else {
      throw MediaError(.unsupported, "a frame of \(planes.count) planes; 1 to 8 can be encoded")
    }
    let expected = context.pointer.pointee
    if kind == .video {
      // The format of the opened encoder: FFmpeg's yuvj formats have the same pixels under another name.
      frame.pointee.format = expected.pix_fmt.rawValue
      guard PixelFormat(ffmpeg: expected.pix_fmt) == pixelFormat, width == Int(expected.width),
        height == Int(expected.height)
      else {
        throw MediaError(
          .invalidArgument,
          "a frame of \(width)x\(height) \(pixelFormat) does not match the encoder, opened for "
            + "\(expected.width)x\(expected.height)")
      }
      frame.pointee.width = Int32(clamping: width)
      frame.pointee.height = Int32(clamping: height)
      // Some encoders write the color of frames instead of their own, such as prores_ks.
      frame.pointee.color_range = expected.color_range
      frame.pointee.color_primaries = expected.color_primaries
      frame.pointee.color_trc = expected.color_trc
      frame.pointee.colorspace = expected.colorspace
      frame.pointee.interlaced_frame = flags.contains(.interlaced) ? 1 : 0
      frame.pointee.top_field_first = flags.contains(.topFieldFirst) ? 1 : 0
      // FFV1 writes that of each frame; 0/0 would be no valid one.
      frame.pointee.sample_aspect_ratio =
        sampleAspect.isPositive ? sampleAspect.ffmpeg : expected.sample_aspect_ratio
    } else {
      guard sampleFormat.ffmpeg == expected.sample_fmt, sampleRate == Int(expected.sample_rate),
        channelLayout.channelCount == Int(expected.ch_layout.nb_channels), sampleCount > 0
      else {
        throw MediaError(
          .invalidArgument,
          "audio of \(channelLayout), \(sampleRate) Hz, \(sampleFormat); the encoder was opened "
            + "for \(expected.ch_layout.nb_channels) channels, \(expected.sample_rate) Hz")
      }
      frame.pointee.format = expected.sample_fmt.rawValue
      frame.pointee.nb_samples = Int32(clamping: sampleCount)
      frame.pointee.sample_rate = expected.sample_rate
      let mask = ffmpeg_channel_mask(&context.pointer.pointee.ch_layout)
      ffmpeg_set_layout(&frame.pointee.ch_layout, expected.ch_layout.nb_channels, mask)
    }
  }
}
