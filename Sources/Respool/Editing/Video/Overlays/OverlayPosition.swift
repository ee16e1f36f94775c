/// A length on the frame.
public enum OverlayLength: Hashable, Sendable {
  /// Points of the render size.
  case points(Double)
  /// A fraction of the render size's width for horizontal lengths, of its height for vertical ones.
  case fraction(Double)

  /// Returns the length in pixels, along a side of `points` points and `pixels` pixels.
  func pixels(of points: Int, _ pixels: Int) -> Double {
    let length: Double =
      switch self {
      case .points(let length): length * Double(pixels) / Double(max(points, 1))
      case .fraction(let part): part * Double(pixels)
      }
    return length.isFinite ? min(max(length, -1e6), 1e6) : 0
  }
}

/// An offset to the right and down.
public struct OverlayOffset: Hashable, Sendable {
  public var x: OverlayLength
  public var y: OverlayLength

  public init(x: OverlayLength, y: OverlayLength) {
    self.x = x
    self.y = y
  }

  public static let zero = OverlayOffset(x: .points(0), y: .points(0))
}

/// The position of an overlay: its anchor lies on the same anchor of the frame, moved by an offset.
public struct OverlayPosition: Hashable, Sendable {
  /// One of nine points: the corners, the middles of the edges, and the center.
  public enum Anchor: Hashable, Sendable, CaseIterable {
    case topLeft, top, topRight, left, center, right, bottomLeft, bottom, bottomRight

    /// Relative position: 0 is the left or upper edge, 1 the right or lower one.
    var place: (x: Double, y: Double) {
      switch self {
      case .topLeft: (0, 0)
      case .top: (0.5, 0)
      case .topRight: (1, 0)
      case .left: (0, 0.5)
      case .center: (0.5, 0.5)
      case .right: (1, 0.5)
      case .bottomLeft: (0, 1)
      case .bottom: (0.5, 1)
      case .bottomRight: (1, 1)
      }
    }
  }

  public var anchor: Anchor
  /// Offset to the right and down, even if the anchor is at the right or at the bottom.
  public var offset: OverlayOffset

  public init(_ anchor: Anchor, offset: OverlayOffset = .zero) {
    self.anchor = anchor
    self.offset = offset
  }
}
