import Glibc
public import RespoolMedia

/// An affine map of the plane, as CGAffineTransform: x' = a x + c y + tx, y' = b x + d y + ty.
///
/// Here y grows downwards, so a positive angle turns clockwise as it is seen.
public struct Transform: Hashable, Sendable {
  public var a, b, c, d, tx, ty: Double

  public init(a: Double, b: Double, c: Double, d: Double, tx: Double = 0, ty: Double = 0) {
    (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
  }

  public static let identity = Transform(a: 1, b: 0, c: 0, d: 1)

  /// A move by so many pixels.
  public init(translationX x: Double, y: Double) { self.init(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y) }

  /// A change of size about the origin.
  public init(scaleX x: Double, y: Double) { self.init(a: x, b: 0, c: 0, d: y) }

  /// A turn about the origin by so many radians, clockwise as it is seen.
  public init(rotation angle: Double) {
    let (s, c) = (sin(angle), cos(angle))
    self.init(a: c, b: s, c: -s, d: c)
  }

  /// The map that a file's display matrix stands for.
  ///
  /// Its entries are 16.16 fixed point in the same order; the perspective column is left out, as
  /// players do.
  public init(_ matrix: DisplayMatrix) {
    func value(_ fixed: Int32) -> Double { Double(fixed) / 65536 }
    self.init(
      a: value(matrix.a), b: value(matrix.b), c: value(matrix.c), d: value(matrix.d),
      tx: value(matrix.x), ty: value(matrix.y))
  }

  /// The map that shows a picture of `width` by `height` as `matrix` says, moved to the origin.
  ///
  /// Many files turn the picture and leave out the move that would bring it back into view.
  public init(upright matrix: DisplayMatrix, width: Double, height: Double) {
    let turned = Transform(matrix)
    let bounds = turned.bounds(of: Rectangle(x: 0, y: 0, width: width, height: height))
    self = turned.concatenating(Transform(translationX: -bounds.x, y: -bounds.y))
  }

  public var isIdentity: Bool { self == .identity }
  public var determinant: Double { a * d - b * c }

  /// First this map, then `next`.
  public func concatenating(_ next: Transform) -> Transform {
    Transform(
      a: a * next.a + b * next.c, b: a * next.b + b * next.d, c: c * next.a + d * next.c,
      d: c * next.b + d * next.d, tx: tx * next.a + ty * next.c + next.tx,
      ty: tx * next.b + ty * next.d + next.ty)
  }

  /// The map back; nil where the plane falls together to a line or point, or a number is not
  /// finite.
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

  /// Where a point goes.
  public func apply(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (a * x + c * y + tx, b * x + d * y + ty)
  }

  /// The smallest upright rectangle around what `rectangle` becomes.
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
