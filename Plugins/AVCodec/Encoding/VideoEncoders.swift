import CAVCodec
import RespoolPlugin

/// FFmpeg's JPEG encoder (ITU-T T.81), for still images and video.
final class MotionJPEGEncoder: LibraryEncoder, Encoder {
  private static let usualQuality = 3.0

  static let description: FactoryDescription = {
    var value = FactoryDescription(kind: .encoder, name: "mjpeg", longName: "JPEG by FFmpeg")
    value.codecs = ["mjpeg"]
    value.pixelFormats = [.yuv420p, .yuv422p, .yuv444p]
    // libavcodec takes 1 for 2 (qmin).
    value.rateControl = RateControl(
      .video, quality: .init(2...31, isLowerBetter: true, usual: usualQuality))
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    // Slices of several threads would change the bytes.
    var settings = settings
    settings.threads = 1
    try super.init(codec: "mjpeg", settings: settings) { [settings] context throws(MediaError) in
      // JFIF allows only full range; FFmpeg accepts limited range with relaxed compliance.
      if context.pointer.pointee.color_range != AVCOL_RANGE_JPEG {
        context.pointer.pointee.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
      }
      if settings.bitRate == nil || settings.quality != nil {
        context.set(quality: settings.quality ?? Self.usualQuality)
      }
    }
  }
}

/// FFmpeg's PNG encoder (ISO/IEC 15948).
final class PNGEncoder: LibraryEncoder, Encoder {
  static let description: FactoryDescription = {
    var value = FactoryDescription(kind: .encoder, name: "png", longName: "PNG by FFmpeg")
    value.codecs = ["png"]
    value.pixelFormats = [.rgb24, .rgba, .rgb48be, .rgba64be, .gray, .gray16be, .ya8]
    value.rateControl = RateControl(.video)
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    try super.init(codec: "png", settings: settings) { _ throws(MediaError) in }
  }
}
