import RespoolMedia

/// Converts frames to a pixel format and a size; for use by one thread at a time.
final class PixelBufferConverter {
  private let pixelFormat: PixelFormat?
  private let width, height: Int?
  private var converter: FrameConverter?

  /// Creates a conversion; properties that are `nil` are not changed.
  init(to pixelFormat: PixelFormat?, width: Int? = nil, height: Int? = nil) {
    self.pixelFormat = pixelFormat
    (self.width, self.height) = (width, height)
  }

  /// Makes a converter for frames of `videoFormat`.
  ///
  /// Throws `unsupported` if they cannot be converted, `invalidArgument` for a side outside 1 to 32,768.
  func prepare(for videoFormat: VideoFormat) throws(MediaError) {
    guard converter?.source != videoFormat else { return }
    converter = try FrameConverter(
      from: videoFormat,
      to: VideoFormat(
        pixelFormat: pixelFormat ?? videoFormat.pixelFormat, width: width ?? videoFormat.width,
        height: height ?? videoFormat.height))
  }

  func convert(_ picture: PixelBuffer) throws(MediaError) -> PixelBuffer {
    try prepare(for: VideoFormat(picture.frame))
    return PixelBuffer(try converter?.convert(picture.frame) ?? picture.frame) ?? picture
  }
}
