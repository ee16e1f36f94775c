import CAVCodec
import RespoolPlugin

/// Pictures in formats that Respool has no name for, such as big-endian or 9-bit ones with alpha, in the
/// nearest that it has: libswscale moves the samples.
final class PictureRepacker {
  private var context: OpaquePointer?

  deinit { sws_freeContext(context) }

  /// The picture in a format that has a name: itself where it is in one, else another, and it is freed.
  ///
  /// Throws `unsupported` where no format comes near, and frees the picture.
  func named(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError)
    -> UnsafeMutablePointer<AVFrame>
  {
    let format = AVPixelFormat(rawValue: frame.pointee.format)
    guard PixelFormat(ffmpeg: format) == nil, !Frame.isOfBits(format) else { return frame }
    var old: UnsafeMutablePointer<AVFrame>? = frame
    defer { av_frame_free(&old) }
    let name = av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "\(format.rawValue)"
    let nearest = avcodec_find_best_pix_fmt_of_list(Self.targets, format, 1, nil)
    guard nearest != AV_PIX_FMT_NONE, let result = avcodec_repack(&context, frame, nearest) else {
      throw MediaError(.unsupported, "pictures in the pixel format \(name) cannot be handed on")
    }
    return result
  }

  /// What is chosen from: no format of a palette or of fewer than eight bits to a sample, and no float.
  private static let targets: [AVPixelFormat] =
    PixelFormat.allCases.map(\.ffmpeg).filter { format in
      guard format != AV_PIX_FMT_NONE, let about = av_pix_fmt_desc_get(format) else { return false }
      let unfit = UInt64(AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_FLOAT)
      return about.pointee.flags & unfit == 0 && about.pointee.comp.0.depth >= 8
        && sws_isSupportedOutput(format) != 0
    } + [AV_PIX_FMT_NONE]
}
