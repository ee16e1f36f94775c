import CAVCodec
import FFmpeg
import RespoolPlugin

/// Conversion of frames in pixel formats that Respool does not support, such as big-endian ones or 9-bit ones
/// with alpha.
///
/// libswscale converts them to the nearest supported format.
final class FrameRepacker {
  private var context: OpaquePointer?

  deinit { sws_freeContext(context) }

  /// Returns the frame if its format is supported.
  ///
  /// Otherwise returns a converted frame and frees the original.
  ///
  /// Throws `unsupported` if no format is close enough, and frees the frame.
  func named(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError)
    -> UnsafeMutablePointer<AVFrame>
  {
    let format = AVPixelFormat(rawValue: frame.pointee.format)
    guard PixelFormat(ffmpeg: format) == nil, !Frame.isOneBit(format) else { return frame }
    var old: UnsafeMutablePointer<AVFrame>? = frame
    defer { av_frame_free(&old) }
    let name = av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "\(format.rawValue)"
    let nearest = avcodec_find_best_pix_fmt_of_list(Self.targets, format, 1, nil)
    guard nearest != AV_PIX_FMT_NONE, let result = avcodec_repack(&context, frame, nearest) else {
      throw MediaError(.unsupported, "frames in the pixel format \(name) are not supported")
    }
    return result
  }

  /// Target formats.
  ///
  /// Palettes, formats with fewer than eight bits per component, and floating-point formats are excluded.
  private static let targets: [AVPixelFormat] =
    PixelFormat.allCases.map(\.ffmpeg).filter { format in
      guard format != AV_PIX_FMT_NONE, let about = av_pix_fmt_desc_get(format) else { return false }
      let unfit = UInt64(AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_FLOAT)
      return about.pointee.flags & unfit == 0 && about.pointee.comp.0.depth >= 8
        && sws_isSupportedOutput(format) != 0
    } + [AV_PIX_FMT_NONE]
}
