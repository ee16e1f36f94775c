/// Matrix that converts three color components to three others.
package struct ColorMatrix: Hashable {
  /// Coefficients of the source components for each component of the result.
  package var rows: [SIMD3<Double>]

  init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
    rows = [first, second, third]
  }

  func callAsFunction(_ color: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((rows[0] * color).sum(), (rows[1] * color).sum(), (rows[2] * color).sum())
  }

  /// Inverse matrix; the rows must be linearly independent.
  package var inverse: ColorMatrix {
    let (a, b, c) = (rows[0], rows[1], rows[2])
    let (bc, ca, ab) = (Self.cross(b, c), Self.cross(c, a), Self.cross(a, b))
    let scale = 1 / (a * bc).sum()
    return ColorMatrix(
      SIMD3(bc.x, ca.x, ab.x) * scale, SIMD3(bc.y, ca.y, ab.y) * scale,
      SIMD3(bc.z, ca.z, ab.z) * scale)
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }

  /// Returns the matrix that applies `right` first, then `left`.
  package static func * (left: ColorMatrix, right: ColorMatrix) -> ColorMatrix {
    let columns = ColorMatrix(
      SIMD3(right.rows[0].x, right.rows[1].x, right.rows[2].x),
      SIMD3(right.rows[0].y, right.rows[1].y, right.rows[2].y),
      SIMD3(right.rows[0].z, right.rows[1].z, right.rows[2].z))
    return ColorMatrix(columns(left.rows[0]), columns(left.rows[1]), columns(left.rows[2]))
  }
}
