import Glibc
import RespoolMedia

/// A frame in the canvas's format that is rotated, scaled or moved by parts of a pixel.
///
/// Each canvas component is interpolated from the four components around its position in the frame; the position
/// of chroma is the chroma location. If the frame is scaled down, several positions within the pixel are averaged.
/// The weight of a pixel at an edge is exactly the part of it that the frame covers.
///
/// Unsafe reads are right because every position is clamped to the frame. The frame and the weights are held here
/// and own their memory.
final class SampledFrame: LayerRows {
  let bounds: PixelBounds
  let uniformWeight: LayerWeight?
  private let frame: Frame
  private let weights: AlphaPlane?
  private let weight: LayerWeight
  private let target: CompositionTarget
  private let quad: ConvexQuad
  private let maps: [SampleMap]

  /// Creates a layer; `nil` if no part of the frame is visible.
  ///
  /// `transform` maps the frame's pixels to the canvas's. `crop` is the part that is shown, in the frame's pixels.
  init?(
    _ frame: Frame, weights: AlphaPlane?, crop: Rectangle, transform: Transform,
    weight: LayerWeight, target: CompositionTarget
  ) {
    let whole = Rectangle(
      x: 0, y: 0, width: Double(frame.width), height: Double(frame.height))
    guard let crop = crop.intersection(whole), let inverse = transform.inverted,
      // A frame is invisible if a canvas pixel is as wide as a million of its pixels.
      [inverse.a, inverse.b, inverse.c, inverse.d].allSatisfy({ abs($0) < 1e6 })
    else { return nil }
    let quad = ConvexQuad(crop, transform)
    let canvas = Rectangle(
      x: 0, y: 0, width: Double(target.width), height: Double(target.height))
    guard let seen = quad.bounds.intersection(canvas) else { return nil }
    bounds = PixelBounds(
      x: Int(seen.x.rounded(.down))..<Int(seen.maxX.rounded(.up)),
      y: Int(seen.y.rounded(.down))..<Int(seen.maxY.rounded(.up)))
    let isAll = quad.contains(0..<canvas.width, 0..<canvas.height)
    uniformWeight = isAll && weights == nil ? weight : nil
    self.frame = frame
    self.weights = weights
    self.weight = weight
    self.target = target
    self.quad = quad
    let bounds = bounds
    maps = (0..<3).map {
      SampleMap(plane: $0, inverse, frame: frame, crop: crop, bounds: bounds, target)
    }
  }

  func render(
    plane: Int, row: Int, columns: Range<Int>, scratch: UnsafeMutableRawPointer,
    weights: UnsafeMutablePointer<LayerWeight>
  ) -> UnsafeRawPointer {
    var seen = columns
    if uniformWeight == nil { seen = cover(plane, row, columns, weights) }
    guard !seen.isEmpty else { return UnsafeRawPointer(scratch) }
    let first = seen.lowerBound - columns.lowerBound
    let into = scratch + first * target.sampleSize
    if let own = self.weights {
      maps[plane % 3].sample(
        frame, own, plane: plane, depth: target.depth, row: row, columns: seen, into: into,
        weights: weights + first)
    } else if plane < 3 {
      maps[plane].sample(frame, depth: target.depth, row: row, columns: seen, into: into)
    }
    return UnsafeRawPointer(scratch)
  }

  /// Writes the weights of a row according to the covered part of each component; returns the covered columns.
  private func cover(
    _ plane: Int, _ row: Int, _ columns: Range<Int>, _ weights: UnsafeMutablePointer<LayerWeight>
  ) -> Range<Int> {
    let shift = target.shifts(ofPlane: plane)
    let (width, height) = (1 << shift.x, 1 << shift.y)
    let top = Double(row * height)
    let y = top..<max(Double(min((row + 1) * height, target.height)), top + 0.5)
    weights.update(repeating: 0, count: columns.count)
    guard let span = quad.span(y: y) else { return columns.lowerBound..<columns.lowerBound }
    /// Returns the column of `x`, clamped before the conversion because other numbers may not fit into an integer.
    func column(_ x: Double, _ rule: FloatingPointRoundingRule) -> Int {
      let column = (x / Double(width)).rounded(rule)
      return Int(min(max(column, Double(columns.lowerBound)), Double(columns.upperBound)))
    }
    let seen =
      column(
        span.lowerBound, .down)..<max(
        column(span.upperBound, .up), column(span.lowerBound, .down))
    var full = seen.lowerBound..<seen.lowerBound
    if let inside = quad.inside(y: y, width: Double(width)) {
      let start = column(inside.lowerBound, .up)
      let end = min(column(inside.upperBound + Double(width), .down), seen.upperBound)
      if start < end { full = max(start, seen.lowerBound)..<end }
    }
    for column in full { weights[column - columns.lowerBound] = weight }
    for column in seen where !full.contains(column) {
      let left = Double(column * width)
      let right = Double(min((column + 1) * width, target.width))
      let covered = quad.coverage(left..<max(left, right), y)
      weights[column - columns.lowerBound] = LayerWeight(opacity: covered).scaled(by: weight)
    }
    return seen
  }
}
