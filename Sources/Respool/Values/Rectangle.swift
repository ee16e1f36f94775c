/// An axis-aligned rectangle in pixels; y grows downward from the top left.
public struct Rectangle: Hashable, Sendable {
  public var x, y, width, height: Double

  /// Creates a rectangle; `width` and `height` must not be negative.
  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  public var maxX: Double { x + width }
  public var maxY: Double { y + height }

  /// Returns the common area of both; `nil` if there is none.
  public func intersection(_ other: Rectangle) -> Rectangle? {
    let (left, top) = (max(x, other.x), max(y, other.y))
    let (right, bottom) = (min(maxX, other.maxX), min(maxY, other.maxY))
    guard left < right, top < bottom else { return nil }
    return Rectangle(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The corners, clockwise from the origin.
  var corners: [(x: Double, y: Double)] { [(x, y), (maxX, y), (maxX, maxY), (x, maxY)] }
}
