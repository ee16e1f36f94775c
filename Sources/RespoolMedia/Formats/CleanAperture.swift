/// The part of a frame that is meant to be displayed (ISO/IEC 14496-12 12.1.4).
///
/// Units are pixels of the coded frame. Offsets are from the center of the frame to the center of the aperture.
public struct CleanAperture: Hashable, Sendable {
  public var width: Rational
  public var height: Rational
  /// Positive: to the right.
  public var horizontalOffset: Rational
  /// Positive: down.
  public var verticalOffset: Rational

  public init(
    width: Rational, height: Rational, horizontalOffset: Rational = Rational(0, 1),
    verticalOffset: Rational = Rational(0, 1)
  ) {
    self.width = width
    self.height = height
    self.horizontalOffset = horizontalOffset
    self.verticalOffset = verticalOffset
  }

  /// Creates an aperture of whole pixels, centered or offset from the center by whole pixels.
  public init(width: Int, height: Int, horizontalOffset: Int = 0, verticalOffset: Int = 0) {
    self.init(
      width: Rational(Int32(clamping: width), 1), height: Rational(Int32(clamping: height), 1),
      horizontalOffset: Rational(Int32(clamping: horizontalOffset), 1),
      verticalOffset: Rational(Int32(clamping: verticalOffset), 1))
  }

  /// Returns `true` if the aperture is not empty and does not extend beyond a frame of this size.
  public func fits(width: Int, height: Int) -> Bool {
    func fits(_ size: Rational, _ offset: Rational, _ whole: Int) -> Bool {
      guard size.isPositive, offset.denominator > 0 else { return false }
      // size + 2 * |offset| <= whole, in exact arithmetic.
      let (sizeScale, offsetScale) = (Int128(size.denominator), Int128(offset.denominator))
      return Int128(size.numerator) * offsetScale + 2 * abs(Int128(offset.numerator))
        * sizeScale <= Int128(whole) * sizeScale * offsetScale
    }
    return fits(self.width, horizontalOffset, width) && fits(self.height, verticalOffset, height)
  }

  /// Returns the visible rectangle of a frame of a size, in pixels; the whole frame if the aperture does not fit.
  public func rectangle(width: Int, height: Int) -> (
    x: Double, y: Double, width: Double, height: Double
  ) {
    guard fits(width: width, height: height) else { return (0, 0, Double(width), Double(height)) }
    let (seen, rows) = (self.width.doubleValue, self.height.doubleValue)
    return (
      (Double(width) - seen) / 2 + horizontalOffset.doubleValue,
      (Double(height) - rows) / 2 + verticalOffset.doubleValue, seen, rows
    )
  }

  /// Returns the aperture of the same part after frames are rotated and then scaled.
  ///
  /// - Parameters:
  ///   - source: size of a frame before.
  ///   - orientation: rotation and mirroring that is applied to the pixels.
  ///   - target: size of a frame after both.
  package func transformed(
    from source: (width: Int, height: Int), rotatedBy orientation: DisplayMatrix.Orientation,
    to target: (width: Int, height: Int)
  ) -> CleanAperture {
    func negated(_ value: Rational) -> Rational {
      Rational(Int32(clamping: -Int64(value.numerator)), value.denominator)
    }
    var result = self
    if orientation.mirrored { result.horizontalOffset = negated(horizontalOffset) }
    let (right, down) = (result.horizontalOffset, result.verticalOffset)
    var size = source
    switch orientation.clockwiseDegrees {
    case 90: (result.horizontalOffset, result.verticalOffset) = (negated(down), right)
    case 180: (result.horizontalOffset, result.verticalOffset) = (negated(right), negated(down))
    case 270: (result.horizontalOffset, result.verticalOffset) = (down, negated(right))
    default: break
    }
    if orientation.swapsAxes {
      (result.width, result.height) = (height, width)
      size = (source.height, source.width)
    }
    func scaled(_ value: Rational, _ from: Int, _ to: Int) -> Rational {
      guard from > 0, from != to else { return value }
      return Rational(
        reducing: Int64(value.numerator) * Int64(to), Int64(value.denominator) * Int64(from))
    }
    result.width = scaled(result.width, size.width, target.width)
    result.horizontalOffset = scaled(result.horizontalOffset, size.width, target.width)
    result.height = scaled(result.height, size.height, target.height)
    result.verticalOffset = scaled(result.verticalOffset, size.height, target.height)
    return result
  }
}

extension CleanAperture: CustomStringConvertible {
  /// Four ratios: `704/1 480/1 0/1 0/1`.
  public var description: String { "\(width) \(height) \(horizontalOffset) \(verticalOffset)" }

  /// Parses the text that ``description`` returns; `nil` for other text.
  public init?(_ description: String) {
    let parts = description.split(separator: " ", omittingEmptySubsequences: false)
    let ratios = parts.compactMap { part -> Rational? in
      let numbers = part.split(separator: "/", omittingEmptySubsequences: false).map { Int32($0) }
      guard numbers.count == 2, let numerator = numbers[0], let denominator = numbers[1],
        denominator > 0
      else { return nil }
      return Rational(numerator, denominator)
    }
    guard parts.count == 4, ratios.count == 4, ratios[0].isPositive, ratios[1].isPositive else {
      return nil
    }
    self.init(
      width: ratios[0], height: ratios[1], horizontalOffset: ratios[2], verticalOffset: ratios[3])
  }
}

extension TrackDescription {
  /// The part of the frame that is meant to be displayed.
  ///
  /// `nil`: all of it.
  ///
  /// It is stored in the track's metadata, so that containers without a field for it store it as a tag.
  public var cleanAperture: CleanAperture? {
    get { metadata.last { $0.name == "clean_aperture" }.flatMap { CleanAperture($0.value) } }
    set {
      metadata.removeAll { $0.name == "clean_aperture" }
      if let newValue { metadata.append(MetadataEntry("clean_aperture", newValue.description)) }
    }
  }
}
