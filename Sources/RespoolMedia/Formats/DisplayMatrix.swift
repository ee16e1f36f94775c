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

  /// Creates a clockwise rotation by any angle, after left and right are exchanged if `mirrored` is `true`.
  ///
  /// Multiples of 90 degrees are exact.
  public init(clockwiseAngle degrees: Double, mirrored: Bool = false) {
    let quarters = (degrees / 90).rounded()
    if abs(degrees - quarters * 90) <= 1e-6 {
      self.init(clockwiseDegrees: Int(quarters) * 90)
    } else {
      let radians = degrees * .pi / 180
      let (cosine, sine) = (
        Int32((cos(radians) * 65536).rounded()), Int32((sin(radians) * 65536).rounded())
      )
      self.init(a: cosine, b: sine, c: -sine, d: cosine)
    }
    if mirrored { (a, b) = (-a, -b) }
  }

  /// `true` if the matrix mirrors, in any direction.
  public var isMirrored: Bool { determinant < 0 }

  /// `true` if the matrix maps frames to a line or a point.
  package var isSingular: Bool { determinant == 0 }

  private var determinant: Int64 { Int64(a) * Int64(d) - Int64(b) * Int64(c) }

  /// Clockwise rotation in degrees, from 0 to below 360, after mirroring.
  ///
  /// `nil` if the matrix skews or stretches.
  public var clockwiseAngle: Double? {
    // Screen coordinates, y down: p' = (a x + c y, b x + d y). The image of the x axis before mirroring:
    let (p, q) = isMirrored ? (-Int64(a), -Int64(b)) : (Int64(a), Int64(b))
    // Tolerance for rounding by writers.
    let tolerance: Int64 = 4
    guard abs(p - Int64(d)) <= tolerance, abs(q + Int64(c)) <= tolerance, p != 0 || q != 0
    else { return nil }
    let degrees = atan2(Double(q), Double(p)) * 180 / .pi
    return degrees < 0 ? degrees + 360 : degrees
  }

  /// `true` for a rotation by an angle that is not a multiple of 90 degrees.
  public var isOblique: Bool {
    guard let angle = clockwiseAngle else { return false }
    return abs(angle - (angle / 90).rounded() * 90) > 0.5
  }

  /// Clockwise rotation for display in whole degrees: the exact one if known, else the nearest multiple of 90.
  public var displayedDegrees: Int {
    isOblique ? Int((clockwiseAngle ?? 0).rounded()) % 360 : orientation.clockwiseDegrees
  }

  /// This transformation with equal scales for both axes, and the ratio of the scales that was taken out.
  ///
  /// The ratio multiplies the pixel aspect ratio. `nil` if the scales are equal already, or if the matrix skews:
  /// then no pixel aspect ratio has the same effect.
  public var unstretched: (matrix: DisplayMatrix, aspect: Rational)? {
    let columns = (
      x: hypot(Double(a), Double(b)) / 65536, y: hypot(Double(c), Double(d)) / 65536
    )
    guard columns.x > 0, columns.y > 0, !isSkewed,
      abs(columns.x / columns.y - 1) > Self.tolerance
    else { return nil }
    let ratio = columns.x / columns.y
    // 16.16 numbers are rounded: 8/9 is stored as 58254/65536.
    let rounding = 1 / (65536 * min(columns.x, columns.y))
    guard
      let denominator = (1...4096).first(where: { (denominator: Int64) in
        let numerator = (ratio * Double(denominator)).rounded()
        return numerator >= 1
          && abs(numerator / Double(denominator) - ratio) <= ratio * rounding
      })
    else { return nil }
    let numerator = Int64((ratio * Double(denominator)).rounded())
    var matrix = self
    matrix.a = Int32(clamping: Int64((Double(a) / ratio).rounded()))
    matrix.b = Int32(clamping: Int64((Double(b) / ratio).rounded()))
    return (matrix, Rational(reducing: numerator, denominator))
  }

  /// `true` if the axes are not at a right angle after the transformation.
  public var isSkewed: Bool {
    let product = Double(a) * Double(c) + Double(b) * Double(d)
    let lengths = hypot(Double(a), Double(b)) * hypot(Double(c), Double(d))
    return abs(product) > lengths * Self.tolerance
  }

  /// `true` if the matrix skews, or shows frames larger or smaller than they are.
  public var isScaledOrSkewed: Bool {
    let scale = abs(Double(a) * Double(d) - Double(b) * Double(c)).squareRoot() / 65536
    return isSkewed || abs(scale - 1) > Self.tolerance || unstretched != nil
  }

  /// `true` if frames are shown at another place than where their rotation or mirroring needs to move them.
  ///
  /// `width` and `height` are those of coded frames. Many writers leave out the translation of a rotation.
  package func isTranslated(width: Int, height: Int, sampleAspect: Rational) -> Bool {
    guard x != 0 || y != 0 else { return false }
    let wide = sampleAspect.isPositive ? Double(width) * sampleAspect.doubleValue : Double(width)
    return ![Double(width), wide].contains { width in
      func isUsual(_ place: Int32, _ p: Int32, _ q: Int32) -> Bool {
        let usual = -(min(0, Double(p) * width) + min(0, Double(q) * Double(height)))
        return abs(Double(place) - usual) <= 2 * 65536
      }
      return isUsual(x, a, c) && isUsual(y, b, d)
    }
  }

  /// Relative difference that no viewer sees.
  private static let tolerance = 1e-3

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
    let mirrored = isMirrored
    let (p, q) = mirrored ? (-Int64(a), -Int64(b)) : (Int64(a), Int64(b))
    let degrees: Int
    if abs(p) >= abs(q) {
      degrees = p >= 0 ? 0 : 180
    } else {
      degrees = q > 0 ? 90 : 270
    }
    return Orientation(clockwiseDegrees: degrees, mirrored: mirrored)
  }

  /// The scaling and skew that remain if the frame is shown in its ``orientation`` already.
  ///
  /// Without translation.
  public var withoutOrientation: DisplayMatrix {
    let rotation = DisplayMatrix(
      clockwiseAngle: Double(orientation.clockwiseDegrees), mirrored: orientation.mirrored)
    // The inverse of a rotation or mirroring is its transpose.
    func number(_ x: Int32, _ y: Int32, _ p: Int32, _ q: Int32) -> Int32 {
      Int32(clamping: (Int64(x) * Int64(p) + Int64(y) * Int64(q)) >> 16)
    }
    return DisplayMatrix(
      a: number(a, b, rotation.a, rotation.b), b: number(a, b, rotation.c, rotation.d),
      c: number(c, d, rotation.a, rotation.b), d: number(c, d, rotation.c, rotation.d))
  }
}
