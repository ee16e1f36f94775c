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
      return size.doubleValue / 2 + abs(offset.doubleValue) <= Double(whole) / 2
    }
    return fits(self.width, horizontalOffset, width) && fits(self.height, verticalOffset, height)
  }
}

extension CleanAperture: CustomStringConvertible {
  /// Four ratios: `704/1 480/1 0/1 0/1`.
  public var description: String { "\(width) \(height) \(horizontalOffset) \(verticalOffset)" }

  /// Parses the text that ``description`` returns; `nil` for other text.
  public init?(_ description: String) {
    let ratios = description.split(separator: " ").compactMap { part -> Rational? in
      let numbers = part.split(separator: "/").compactMap { Int32($0) }
      return numbers.count == 2 && numbers[1] > 0 ? Rational(numbers[0], numbers[1]) : nil
    }
    guard ratios.count == 4, ratios[0].isPositive, ratios[1].isPositive else { return nil }
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
