import RespoolMedia

/// Converts pictures to a pixel format; for use by one thread at a time.
final class PictureConversion {
  private let pixelFormat: PixelFormat
  private var converter: PictureConverter?

  init(to pixelFormat: PixelFormat) { self.pixelFormat = pixelFormat }

  /// Throws `unsupported` where pictures of `shape` cannot be converted.
  func prepare(for shape: PictureShape) throws(MediaError) {
    guard converter?.source != shape else { return }
    converter = try PictureConverter(
      from: shape,
      to: PictureShape(pixelFormat: pixelFormat, width: shape.width, height: shape.height))
  }

  func convert(_ picture: PixelBuffer) throws(MediaError) -> PixelBuffer {
    try prepare(for: PictureShape(picture.frame))
    return PixelBuffer(try converter?.convert(picture.frame) ?? picture.frame) ?? picture
  }
}
