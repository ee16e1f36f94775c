import RespoolMedia

/// Whole pixels of a canvas, the ends not included.
struct PixelBounds: Hashable {
  var x: Range<Int>
  var y: Range<Int>

  func clamped(to other: PixelBounds) -> PixelBounds {
    PixelBounds(x: x.clamped(to: other.x), y: y.clamped(to: other.y))
  }

  var isEmpty: Bool { x.isEmpty || y.isEmpty }

  /// The samples of a plane that stand for pixels within.
  func samples(_ shift: (x: Int, y: Int)) -> PixelBounds {
    PixelBounds(
      x: (x.lowerBound >> shift.x)..<((x.upperBound + (1 << shift.x) - 1) >> shift.x),
      y: (y.lowerBound >> shift.y)..<((y.upperBound + (1 << shift.y) - 1) >> shift.y))
  }
}

/// Something that is drawn onto a canvas, row by row, plane by plane.
protocol LayerRows: AnyObject {
  /// The pixels of the canvas that it may touch; may go beyond the canvas.
  var bounds: PixelBounds { get }
  /// The weight of all samples within the bounds, where it is one and the same.
  var uniformWeight: LayerWeight? { get }
  /// Gives samples of a row of a plane.
  ///
  /// `columns` and `row` count samples of the plane and lie within the bounds. The result points to
  /// the first of `columns`, into the layer's own memory or `scratch`, which has room for them.
  /// `weights` gets one weight for each, unless there is a uniform one. Plane 3 is alpha: only
  /// weights are wanted.
  func render(
    plane: Int, row: Int, columns: Range<Int>, scratch: UnsafeMutableRawPointer,
    weights: UnsafeMutablePointer<LayerWeight>
  ) -> UnsafeRawPointer
}

/// A picture of the canvas's own format at whole pixels.
///
/// Its unsafe reads are right because the canvas asks within the bounds only, which are the
/// picture's size, and because the frame and the weights, held here, own their memory.
final class PlacedPicture: LayerRows {
  let bounds: PixelBounds
  let uniformWeight: LayerWeight?
  private let frame: Frame
  private let weights: LayerWeights?
  private let weight: LayerWeight
  private let target: CompositionTarget

  /// `x` and `y` are multiples of the distance of chroma samples.
  init(
    _ frame: Frame, weights: LayerWeights? = nil, x: Int, y: Int, weight: LayerWeight,
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
