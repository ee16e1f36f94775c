public import RespoolMedia

/// What pictures of a pool look like.
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
