import Glibc
public import RespoolMedia

/// An affine transform, as CGAffineTransform: x' = a x + c y + tx, y' = b x + d y + ty.
///
/// Here y grows downward, so a positive angle rotates clockwise on the screen.
public struct Transform: Hashable, Sendable {
  public var a, b, c, d, tx, ty: Double

  public init(a: Double, b: Double, c: Double, d: Double, tx: Double = 0, ty: Double = 0) {
    (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
  }

  public static let identity = Transform(a: 1, b: 0, c: 0, d: 1)

  /// Creates a translation, in pixels.
  public init(translationX x: Double, y: Double) { self.init(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y) }

  /// Creates a scaling about the origin.
  public init(scaleX x: Double, y: Double) { self.init(a: x, b: 0, c: 0, d: y) }

  /// Creates a rotation about the origin, in radians, clockwise on the screen.
  public init(rotation angle: Double) {
    let (s, c) = (sin(angle), cos(angle))
    self.init(a: c, b: s, c: -s, d: c)
  }

  /// Creates the transform of a file's display matrix.
  ///
  /// The entries of the matrix are 16.16 fixed point in the same order. The perspective column is ignored, as in
  /// players.
  public init(_ matrix: DisplayMatrix) {
    func value(_ fixed: Int32) -> Double { Double(fixed) / 65536 }
    self.init(
      a: value(matrix.a), b: value(matrix.b), c: value(matrix.c), d: value(matrix.d),
      tx: value(matrix.x), ty: value(matrix.y))
  }

  /// Creates the transform that shows a frame of `width` by `height` as `matrix` says, moved to the origin.
  ///
  /// Many files store the rotation without the translation that would bring the frame back into view.
  public init(upright matrix: DisplayMatrix, width: Double, height: Double) {
    let rotated = Transform(matrix)
    let bounds = rotated.bounds(of: Rectangle(x: 0, y: 0, width: width, height: height))
    self = rotated.concatenating(Transform(translationX: -bounds.x, y: -bounds.y))
  }

  public var isIdentity: Bool { self == .identity }
  public var determinant: Double { a * d - b * c }

  /// Returns the transform that applies this one first, then `next`.
  public func concatenating(_ next: Transform) -> Transform {
    Transform(
      a: a * next.a + b * next.c, b: a * next.b + b * next.d, c: c * next.a + d * next.c,
      d: c * next.b + d * next.d, tx: tx * next.a + ty * next.c + next.tx,
      ty: tx * next.b + ty * next.d + next.ty)
  }

  /// The inverse transform.
  ///
  /// `nil` if the transform is not invertible or a number is not finite.
  public var inverted: Transform? {
    let determinant = determinant
    guard determinant != 0, (1 / determinant).isFinite, tx.isFinite, ty.isFinite else {
      return nil
    }
    let inverse = Transform(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant)
    let origin = inverse.apply(tx, ty)
    return Transform(
      a: inverse.a, b: inverse.b, c: inverse.c, d: inverse.d, tx: -origin.x, ty: -origin.y)
  }

  /// Returns the transformed point.
  public func apply(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (a * x + c * y + tx, b * x + d * y + ty)
  }

  /// Returns the smallest axis-aligned rectangle around the transformed `rectangle`.
  public func bounds(of rectangle: Rectangle) -> Rectangle {
    let corners = rectangle.corners.map { apply($0.x, $0.y) }
    var (left, top) = corners[0]
    var (right, bottom) = corners[0]
    for corner in corners {
      (left, top) = (min(left, corner.x), min(top, corner.y))
      (right, bottom) = (max(right, corner.x), max(bottom, corner.y))
    }
    return Rectangle(x: left, y: top, width: right - left, height: bottom - top)
  }
}
