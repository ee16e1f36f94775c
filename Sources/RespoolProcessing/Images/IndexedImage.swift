/// An image whose pixels are indexes into a palette.
public struct IndexedImage: Sendable, Hashable {
  public let width: Int
  public let height: Int
  /// Palette of 1 to 256 colors.
  public let palette: [RGBAColor]
  /// Rows from top to bottom, one byte per pixel.
  public private(set) var pixels: [UInt8]

  /// Creates a image in the palette's first color; both sides are at least 1.
  package init(width: Int, height: Int, palette: [RGBAColor]) {
    self.width = width
    self.height = height
    self.palette = palette
    pixels = Array(repeating: 0, count: width * height)
  }

  /// Palette index of the pixel at a position.
  package subscript(column: Int, row: Int) -> UInt8 {
    get { pixels[row * width + column] }
    set { pixels[row * width + column] = newValue }
  }
}
