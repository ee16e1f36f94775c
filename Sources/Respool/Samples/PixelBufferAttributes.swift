public import RespoolMedia

/// Pixel format and size of the frames of a pool.
public struct PixelBufferAttributes: Hashable, Sendable {
  public var pixelFormat: PixelFormat
  /// 1 to 32,768.
  public var width: Int
  /// 1 to 32,768.
  public var height: Int

  public init(pixelFormat: PixelFormat, width: Int, height: Int) {
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
  }
}
