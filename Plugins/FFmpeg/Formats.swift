package import CFFmpeg
package import RespoolMedia

extension PixelFormat {
  /// Creates the format with FFmpeg's number.
  ///
  /// FFmpeg's `yuvj` formats are `yuv` formats with full range.
  package init?(ffmpeg format: AVPixelFormat) {
    guard let name = av_get_pix_fmt_name(format).map({ String(cString: $0) }) else { return nil }
    self.init(name: name.hasPrefix("yuvj") ? "yuv" + name.dropFirst(4) : name)
  }

  /// FFmpeg's number of the format.
  package var ffmpeg: AVPixelFormat { layout.map { av_get_pix_fmt($0.name) } ?? AV_PIX_FMT_NONE }
}

/// Returns `true` for FFmpeg's `yuvj` formats, which imply full range.
package func impliesFullRange(_ format: AVPixelFormat) -> Bool {
  switch format {
  case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
    AV_PIX_FMT_YUVJ411P:
    true
  default: false
  }
}

extension SampleFormat {
  /// Creates the format with FFmpeg's number.
  package init?(ffmpeg format: AVSampleFormat) {
    guard let name = av_get_sample_fmt_name(format).map({ String(cString: $0) }) else {
      return nil
    }
    self.init(name: name)
  }

  /// FFmpeg's number of the format.
  package var ffmpeg: AVSampleFormat {
    rawValue == 0 ? AV_SAMPLE_FMT_NONE : av_get_sample_fmt(name)
  }
}

extension Rational {
  package init(_ value: AVRational) { self.init(value.num, value.den) }

  package var ffmpeg: AVRational { AVRational(num: numerator, den: denominator) }
}

extension ChannelLayout {
  /// Creates the layout; channels in another order than FFmpeg's native one have no mask.
  package init(_ layout: AVChannelLayout) {
    var layout = layout
    self.init(
      channelCount: Int(max(0, layout.nb_channels)), mask: ffmpeg_channel_mask(&layout))
  }
}

extension ColorDescription {
  /// Creates the description with FFmpeg's numbers, which are those of ITU-T H.273.
  package init(
    _ primaries: AVColorPrimaries, _ transfer: AVColorTransferCharacteristic,
    _ matrix: AVColorSpace,
    _ range: AVColorRange, _ location: AVChromaLocation
  ) {
    self.init(
      primaries: UInt8(clamping: primaries.rawValue), transfer: UInt8(clamping: transfer.rawValue),
      matrix: UInt8(clamping: matrix.rawValue),
      range: Range(rawValue: UInt8(clamping: range.rawValue)) ?? .unspecified,
      chromaLocation: ChromaLocation(rawValue: UInt8(clamping: location.rawValue)) ?? .unspecified)
  }

  /// FFmpeg's numbers of the properties.
  package var ffmpeg:
    (
      primaries: AVColorPrimaries, transfer: AVColorTransferCharacteristic, matrix: AVColorSpace,
      range: AVColorRange, location: AVChromaLocation
    )
  {
    (
      AVColorPrimaries(UInt32(primaries)), AVColorTransferCharacteristic(UInt32(transfer)),
      AVColorSpace(UInt32(matrix)), AVColorRange(UInt32(range.rawValue)),
      AVChromaLocation(UInt32(chromaLocation.rawValue))
    )
  }

  /// Creates the description of a frame.
  package init(_ frame: AVFrame) {
    self.init(
      frame.color_primaries, frame.color_trc, frame.colorspace, frame.color_range,
      frame.chroma_location)
    if impliesFullRange(AVPixelFormat(rawValue: frame.format)) { range = .full }
  }
}
