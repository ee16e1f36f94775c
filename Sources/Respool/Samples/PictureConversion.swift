import RespoolMedia

/// Converts pictures to a pixel format and a size; for use by one thread at a time.
final class PictureConversion {
  private let pixelFormat: PixelFormat?
  private let width, height: Int?
  private var converter: PictureConverter?

  /// What is nil stays as it is.
  init(to pixelFormat: PixelFormat?, width: Int? = nil, height: Int? = nil) {
    self.pixelFormat = pixelFormat
    (self.width, self.height) = (width, height)
  }

  /// Throws `unsupported` where pictures of `shape` cannot be converted, `invalidArgument` for a side outside 1
  /// to 32,768.
  func prepare(for shape: PictureShape) throws(MediaError) {
    guard converter?.source != shape else { return }
    converter = try PictureConverter(
      from: shape,
      to: PictureShape(
        pixelFormat: pixelFormat ?? shape.pixelFormat, width: width ?? shape.width,
        height: height ?? shape.height))
  }

  func convert(_ picture: PixelBuffer) throws(MediaError) -> PixelBuffer {
    try prepare(for: PictureShape(picture.frame))
    return PixelBuffer(try converter?.convert(picture.frame) ?? picture.frame) ?? picture
  }
}
