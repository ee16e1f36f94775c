import CAVFilter
import RespoolPlugin

extension PixelFormat {
  /// Creates the format with FFmpeg's number.
  ///
  /// FFmpeg's `yuvj` formats are `yuv` formats with full range.
  init?(ffmpeg format: AVPixelFormat) {
    guard let name = av_get_pix_fmt_name(format).map({ String(cString: $0) }) else { return nil }
    self.init(name: name.hasPrefix("yuvj") ? "yuv" + name.dropFirst(4) : name)
  }

  /// FFmpeg's number of the format.
  var ffmpeg: AVPixelFormat { layout.map { av_get_pix_fmt($0.name) } ?? AV_PIX_FMT_NONE }
}

/// Returns `true` for FFmpeg's `yuvj` formats, which imply full range.
func impliesFullRange(_ format: AVPixelFormat) -> Bool {
  switch format {
  case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
    AV_PIX_FMT_YUVJ411P:
    true
  default: false
  }
}

extension SampleFormat {
  init?(ffmpeg format: AVSampleFormat) {
    guard let name = av_get_sample_fmt_name(format).map({ String(cString: $0) }) else {
      return nil
    }
    self.init(name: name)
  }

  var ffmpeg: AVSampleFormat {
    rawValue == 0 ? AV_SAMPLE_FMT_NONE : av_get_sample_fmt(name)
  }
}

extension Rational {
  init(_ value: AVRational) { self.init(value.num, value.den) }

  var ffmpeg: AVRational { AVRational(num: numerator, den: denominator) }
}

extension ChannelLayout {
  init(_ layout: AVChannelLayout) {
    var layout = layout
    self.init(
      channelCount: Int(max(0, layout.nb_channels)), mask: avfilter_channel_mask(&layout))
  }
}

extension ColorDescription {
  init(_ frame: AVFrame) {
    self.init(
      primaries: UInt8(clamping: frame.color_primaries.rawValue),
      transfer: UInt8(clamping: frame.color_trc.rawValue),
      matrix: UInt8(clamping: frame.colorspace.rawValue),
      range: Range(rawValue: UInt8(clamping: frame.color_range.rawValue)) ?? .unspecified,
      chromaLocation: ChromaLocation(rawValue: UInt8(clamping: frame.chroma_location.rawValue))
        ?? .unspecified)
    if impliesFullRange(AVPixelFormat(rawValue: frame.format)) { range = .full }
  }
}
