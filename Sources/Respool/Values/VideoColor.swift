/// A color as in graphics programs: red, green, blue and alpha from 0 to 1, not premultiplied.
///
/// Red, green and blue are code values in the transfer of the frame that they are drawn into, as with a CSS color
/// over video. In a frame with high dynamic range (PQ, HLG) they are sRGB, with white at the 203 cd/m2 of ITU-R
/// BT.2408. Values outside 0 to 1 are clamped when drawn.
public struct VideoColor: Hashable, Sendable {
  public var red, green, blue, alpha: Double

  public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  public static let black = VideoColor(red: 0, green: 0, blue: 0)
  public static let white = VideoColor(red: 1, green: 1, blue: 1)
  public static let clear = VideoColor(red: 0, green: 0, blue: 0, alpha: 0)
}
