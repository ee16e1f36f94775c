/// A picture whose pixels are numbers of colours.
public struct IndexedPicture: Sendable, Hashable {
  public let width: Int
  public let height: Int
  /// 1 to 256 colours.
  public let palette: [RGBAColor]
  /// Rows from top to bottom, a byte to a pixel.
  public private(set) var pixels: [UInt8]

  /// A picture of the palette's first colour; both sides are at least 1.
  package init(width: Int, height: Int, palette: [RGBAColor]) {
    self.width = width
    self.height = height
    self.palette = palette
    pixels = Array(repeating: 0, count: width * height)
  }

  /// The number of the colour at a place of the picture.
  package subscript(column: Int, row: Int) -> UInt8 {
    get { pixels[row * width + column] }
    set { pixels[row * width + column] = newValue }
  }
}
