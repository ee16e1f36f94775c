import RespoolMedia

/// A rectangle of whole pixels on a canvas.
struct PixelBounds: Hashable {
  var x: Range<Int>
  var y: Range<Int>

  func clamped(to other: PixelBounds) -> PixelBounds {
    PixelBounds(x: x.clamped(to: other.x), y: y.clamped(to: other.y))
  }

  var isEmpty: Bool { x.isEmpty || y.isEmpty }

  /// Returns the components of a plane for the pixels of this rectangle.
  func samples(_ shift: (x: Int, y: Int)) -> PixelBounds {
    PixelBounds(
      x: (x.lowerBound >> shift.x)..<((x.upperBound + (1 << shift.x) - 1) >> shift.x),
      y: (y.lowerBound >> shift.y)..<((y.upperBound + (1 << shift.y) - 1) >> shift.y))
  }
}

/// A layer that is drawn onto a canvas, plane by plane and row by row.
protocol LayerRows: AnyObject {
  /// Rectangle outside which the layer draws nothing; it may extend beyond the canvas.
  var bounds: PixelBounds { get }
  /// Weight of all components within the bounds.
  ///
  /// `nil` if weights differ.
  var uniformWeight: LayerWeight? { get }
  /// Returns the components of a row of a plane, and writes their weights.
  ///
  /// `columns` and `row` count components of the plane and lie within the bounds. The result points to the first
  /// of `columns`, in the layer's own memory or in `scratch`, which has room for all of them. `weights` receives a
  /// weight for each component unless there is a uniform one. Plane 3 is alpha: only its weights are used.
  func render(
    plane: Int, row: Int, columns: Range<Int>, scratch: UnsafeMutableRawPointer,
    weights: UnsafeMutablePointer<LayerWeight>
  ) -> UnsafeRawPointer
}

/// A frame in the canvas's format, placed at whole pixels.
///
/// Unsafe reads are right because the canvas asks only for components within the bounds, which have the frame's
/// size. The frame and the weights are held here and own their memory.
final class PlacedFrame: LayerRows {
  let bounds: PixelBounds
  let uniformWeight: LayerWeight?
  private let frame: Frame
  private let weights: AlphaPlane?
  private let weight: LayerWeight
  private let target: CompositionTarget

  /// Creates a layer at `x` and `y`, which are multiples of the chroma subsampling factors.
  init(
    _ frame: Frame, weights: AlphaPlane? = nil, x: Int, y: Int, weight: LayerWeight,
    target: CompositionTarget
  ) {
    self.frame = frame
    self.weights = weights
    self.weight = weight
    self.target = target
    bounds = PixelBounds(x: x..<x + frame.width, y: y..<y + frame.height)
    uniformWeight = weights == nil ? weight : nil
  }

  func render(
    plane: Int, row: Int, columns: Range<Int>, scratch: UnsafeMutableRawPointer,
    weights: UnsafeMutablePointer<LayerWeight>
  ) -> UnsafeRawPointer {
    let shift = target.shifts(ofPlane: plane)
    let column = columns.lowerBound - (bounds.x.lowerBound >> shift.x)
    let line = row - (bounds.y.lowerBound >> shift.y)
    if let own = self.weights {
      BlendRows.scale(
        own.row(line, ofPlane: plane) + column, by: weight, into: weights, count: columns.count)
    }
    guard plane < 3 else { return UnsafeRawPointer(scratch) }
    let source = frame.planes[plane]
    return UnsafeRawPointer(source.base + line * source.stride + column * target.sampleSize)
  }
}
