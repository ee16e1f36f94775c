import Glibc

/// The transformation of a frame for display: rotation, mirroring and translation (ISO/IEC 14496-12 8.3.2).
///
/// Nine numbers in the order of the file, a b u c d v x y w: a, b, c, d, x and y are 16.16, u, v and w
/// are 2.30 fixed point.
public struct DisplayMatrix: Hashable, Sendable {
  public var a, b, u, c, d, v, x, y, w: Int32

  public init(
    a: Int32, b: Int32, c: Int32, d: Int32, x: Int32 = 0, y: Int32 = 0, u: Int32 = 0, v: Int32 = 0,
    w: Int32 = 1 << 30
  ) {
    (self.a, self.b, self.c, self.d, self.x, self.y) = (a, b, c, d, x, y)
    (self.u, self.v, self.w) = (u, v, w)
  }

  public static let identity = DisplayMatrix(a: 1 << 16, b: 0, c: 0, d: 1 << 16)

  /// Creates a rotation by `degrees` clockwise, a multiple of 90.
  public init(clockwiseDegrees degrees: Int) {
    let one: Int32 = 1 << 16
    switch ((degrees % 360) + 360) % 360 {
    case 90: self.init(a: 0, b: one, c: -one, d: 0)
    case 180: self.init(a: -one, b: 0, c: 0, d: -one)
    case 270: self.init(a: 0, b: -one, c: one, d: 0)
    default: self = .identity
    }
  }

  /// Creates a clockwise rotation by any angle; multiples of 90 degrees are exact.
  public init(clockwiseAngle degrees: Double) {
    let quarters = (degrees / 90).rounded()
    guard abs(degrees - quarters * 90) > 1e-6 else {
      self.init(clockwiseDegrees: Int(quarters) * 90)
      return
    }
    let radians = degrees * .pi / 180
    let (cosine, sine) = (
      Int32((cos(radians) * 65536).rounded()), Int32((sin(radians) * 65536).rounded())
    )
    self.init(a: cosine, b: sine, c: -sine, d: cosine)
  }

  /// Clockwise rotation in degrees, from 0 to below 360.
  ///
  /// `nil` if the matrix mirrors, skews or stretches.
  public var clockwiseAngle: Double? {
    // Tolerance for rounding by writers.
    let tolerance: Int64 = 4
    guard abs(Int64(a) - Int64(d)) <= tolerance, abs(Int64(b) + Int64(c)) <= tolerance,
      a != 0 || b != 0
    else { return nil }
    let degrees = atan2(Double(b), Double(a)) * 180 / .pi
    return degrees < 0 ? degrees + 360 : degrees
  }

  /// `true` for a rotation by an angle that is not a multiple of 90 degrees.
  public var isOblique: Bool {
    guard let angle = clockwiseAngle else { return false }
    return abs(angle - (angle / 90).rounded() * 90) > 0.5
  }

  /// `true` if the matrix does not rotate, mirror or skew.
  ///
  /// Translation and uniform scaling are ignored.
  public var isIdentity: Bool { a == d && a > 0 && b == 0 && c == 0 }

  /// One of the eight rotations and mirrorings that need no resampling.
  public struct Orientation: Hashable, Sendable {
    /// Clockwise rotation: 0, 90, 180 or 270.
    ///
    /// Applied after mirroring.
    public var clockwiseDegrees: Int
    /// `true` if left and right are exchanged.
    ///
    /// Applied before rotation.
    public var mirrored: Bool

    public init(clockwiseDegrees: Int = 0, mirrored: Bool = false) {
      self.clockwiseDegrees = clockwiseDegrees
      self.mirrored = mirrored
    }

    /// `true` if the rotation exchanges width and height.
    public var swapsAxes: Bool { clockwiseDegrees % 180 != 0 }
    public var isUpright: Bool { clockwiseDegrees == 0 && !mirrored }
  }

  /// The nearest of the eight orientations.
  ///
  /// A file with another angle is shown as if it had this one.
  public var orientation: Orientation {
    // Screen coordinates, y down: p' = (a x + c y, b x + d y).
    let mirrored = Int64(a) * Int64(d) - Int64(b) * Int64(c) < 0
    let (p, q) = mirrored ? (-Int64(a), -Int64(b)) : (Int64(a), Int64(b))
    let degrees: Int
    if abs(p) >= abs(q) {
      degrees = p >= 0 ? 0 : 180
    } else {
      degrees = q > 0 ? 90 : 270
    }
    return Orientation(clockwiseDegrees: degrees, mirrored: mirrored)
  }
}
