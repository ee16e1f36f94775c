import RespoolMedia

/// Scales a part of an image in `rgba`, with a triangle as wide as a pixel of the smaller of the two images.
///
/// Colors count by their alpha, so that transparent pixels do not change those beside them.
struct ImageScaler {
  private let image: Frame
  private let bounds: PixelBounds
  private let columns, rows: [Taps]

  /// Pixels of the source for one of the result, with weights whose sum is 1.
  private struct Taps {
    var first: Int
    var weights: [Float]
  }

  init(from image: Frame, _ bounds: PixelBounds, width: Int, height: Int) {
    (self.image, self.bounds) = (image, bounds)
    columns = Self.taps(from: bounds.x.count, to: width)
    rows = Self.taps(from: bounds.y.count, to: height)
  }

  private static func taps(from source: Int, to target: Int) -> [Taps] {
    let scale = Float(source) / Float(target)
    let reach = max(1, scale)
    return (0..<target).map { index in
      let center = (Float(index) + 0.5) * scale - 0.5
      let first = max(0, Int((center - reach).rounded(.up)))
      let last = min(source - 1, Int((center + reach).rounded(.down)))
      let weights = (min(first, source - 1)...max(last, min(first, source - 1))).map {
        max(0, 1 - abs(Float($0) - center) / reach)
      }
      let sum = weights.reduce(0, +)
      return sum > 0
        ? Taps(first: min(first, source - 1), weights: weights.map { $0 / sum })
        : Taps(first: min(max(0, Int(center.rounded())), source - 1), weights: [1])
    }
  }

  /// Draws the scaled part on a transparent image, which clips it.
  func draw(on target: Frame, x: Int, y: Int) {
    let rows = rows.prefix(max(0, target.height - y))
    let columns = columns.prefix(max(0, target.width - x))
    let plane = image.planes[0]
    var sums = [SIMD4<Float>](repeating: .zero, count: bounds.x.count)
    for (row, taps) in rows.enumerated() {
      for column in sums.indices {
        var sum = SIMD4<Float>.zero
        for (offset, weight) in taps.weights.enumerated() {
          let pixel =
            plane.base + (bounds.y.lowerBound + taps.first + offset) * plane.stride
            + (bounds.x.lowerBound + column) * 4
          let parts = SIMD4<Float>(pixel.loadUnaligned(as: SIMD4<UInt8>.self))
          sum += SIMD4(parts.x, parts.y, parts.z, 255) * (parts.w * weight)
        }
        sums[column] = sum
      }
      let line = target.planes[0].base + (y + row) * target.planes[0].stride + x * 4
      for (column, taps) in columns.enumerated() {
        var sum = SIMD4<Float>.zero
        for (offset, weight) in taps.weights.enumerated() {
          sum += sums[taps.first + offset] * weight
        }
        let alpha = sum.w / 255
        guard alpha >= 0.5 else { continue }
        let parts = SIMD4(sum.x / alpha, sum.y / alpha, sum.z / alpha, alpha)
          .rounded(.toNearestOrAwayFromZero).clamped(
            lowerBound: .zero, upperBound: .init(repeating: 255))
        (line + column * 4).storeBytes(of: SIMD4<UInt8>(parts), as: SIMD4<UInt8>.self)
      }
    }
  }
}
