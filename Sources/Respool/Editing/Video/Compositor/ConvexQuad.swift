/// The quadrilateral of a transformed rectangle on the canvas, for computing the coverage of pixels.
///
/// For one thread at a time: clipping uses memory of the object.
final class ConvexQuad {
  private typealias Point = SIMD2<Double>

  /// A side: x * a + y * b + c is 0 on it and positive inside.
  private struct Side {
    var a: Double
    var b: Double
    var c: Double
    /// The greatest rounding error at usual frame sizes.
    var slack: Double { (abs(a) + abs(b)) * 1e-6 }
  }

  let bounds: Rectangle
  private let corners: [Point]
  private let sides: [Side]
  /// A quadrilateral cut four times has at most eight corners, and so has a box cut four times.
  private static let capacity = 16
  private let first = UnsafeMutablePointer<Point>.allocate(capacity: capacity)
  private let second = UnsafeMutablePointer<Point>.allocate(capacity: capacity)

  init(_ rectangle: Rectangle, _ transform: Transform) {
    bounds = transform.bounds(of: rectangle)
    let corners = rectangle.corners.map {
      let point = transform.apply($0.x, $0.y)
      return Point(point.x, point.y)
    }
    let direction: Double = transform.determinant < 0 ? -1 : 1
    sides = corners.indices.map { index in
      let (from, to) = (corners[index], corners[(index + 1) % 4])
      let (a, b) = ((from.y - to.y) * direction, (to.x - from.x) * direction)
      return Side(a: a, b: b, c: -(a * from.x + b * from.y))
    }
    self.corners = corners
  }

  deinit {
    first.deallocate()
    second.deallocate()
  }

  /// Returns `true` if all of a box lies inside.
  func contains(_ x: Range<Double>, _ y: Range<Double>) -> Bool {
    sides.allSatisfy { side in
      let nearX = side.a < 0 ? x.upperBound : x.lowerBound
      let nearY = side.b < 0 ? y.upperBound : y.lowerBound
      return side.a * nearX + side.b * nearY + side.c >= -side.slack
    }
  }

  /// Returns the range of left edges at which boxes of `width` and rows `y` lie completely inside.
  ///
  /// `nil` if there is no such box.
  func inside(y: Range<Double>, width: Double) -> ClosedRange<Double>? {
    var (low, high) = (-Double.infinity, Double.infinity)
    for side in sides {
      let rest =
        side.b * (side.b < 0 ? y.upperBound : y.lowerBound) + side.c + side.slack
      if abs(side.a) <= side.slack * 1e-6 || side.a == 0 {
        if rest < 0 { return nil }
      } else if side.a > 0 {
        low = max(low, -rest / side.a)
      } else {
        high = min(high, -rest / side.a - width)
      }
    }
    return low <= high ? low...high : nil
  }

  /// Returns the columns that are touched between two heights, or `nil` if there are no such columns.
  func span(y: Range<Double>) -> ClosedRange<Double>? {
    for (index, corner) in corners.enumerated() { first[index] = corner }
    var count = clip(first, 4, into: second, Side(a: 0, b: 1, c: -y.lowerBound))
    count = clip(second, count, into: first, Side(a: 0, b: -1, c: y.upperBound))
    guard count > 0 else { return nil }
    var (low, high) = (first[0].x, first[0].x)
    for index in 1..<max(count, 1) {
      low = min(low, first[index].x)
      high = max(high, first[index].x)
    }
    return low...high
  }

  /// Returns the exact part of a box that lies inside, from 0 to 1.
  func coverage(_ x: Range<Double>, _ y: Range<Double>) -> Double {
    first[0] = Point(x.lowerBound, y.lowerBound)
    first[1] = Point(x.upperBound, y.lowerBound)
    first[2] = Point(x.upperBound, y.upperBound)
    first[3] = Point(x.lowerBound, y.upperBound)
    var (from, to, count) = (first, second, 4)
    for side in sides {
      count = clip(from, count, into: to, side)
      if count < 3 { return 0 }
      swap(&from, &to)
    }
    var area = 0.0
    for index in 0..<count {
      let (a, b) = (from[index], from[index + 1 == count ? 0 : index + 1])
      area += a.x * b.y - b.x * a.y
    }
    let box = (x.upperBound - x.lowerBound) * (y.upperBound - y.lowerBound)
    return box > 0 ? min(max(abs(area) / 2 / box, 0), 1) : 0
  }

  /// Cuts a polygon along a side (Sutherland and Hodgman); returns the number of corners of the result.
  private func clip(
    _ polygon: UnsafeMutablePointer<Point>, _ count: Int,
    into result: UnsafeMutablePointer<Point>, _ side: Side
  ) -> Int {
    var made = 0
    for index in 0..<count {
      let (from, to) = (polygon[index], polygon[index + 1 == count ? 0 : index + 1])
      let a = side.a * from.x + side.b * from.y + side.c
      let b = side.a * to.x + side.b * to.y + side.c
      // Rounding can add one or two corners, which always fit into the capacity.
      if made + 2 > Self.capacity { return made }
      if a >= 0 {
        result[made] = from
        made += 1
      }
      if (a < 0 && b > 0) || (a > 0 && b < 0) {
        result[made] = from + (to - from) * (a / (a - b))
        made += 1
      }
    }
    return made
  }
}
