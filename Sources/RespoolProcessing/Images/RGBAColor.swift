/// Color with opacity, for drawings.
public struct RGBAColor: Sendable, Hashable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8
  /// 0 is transparent, 255 opaque.
  public var alpha: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Reads `#rgb`, `#rrggbb`, `#rrggbbaa`, all also without `#`, or `transparent`; returns `nil` for other
  /// text.
  public init?(_ text: String) {
    if text == "transparent" {
      self = .transparent
      return
    }
    var digits = text.drop { $0 == "#" }
    guard text.count - digits.count <= 1, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      return nil
    }
    if digits.count == 3 { digits = Substring(digits.flatMap { [$0, $0] }) }
    guard digits.count == 6 || digits.count == 8, var number = UInt32(digits, radix: 16) else {
      return nil
    }
    if digits.count == 6 { number = number << 8 | 0xFF }
    self.init(
      red: UInt8(number >> 24), green: UInt8(number >> 16 & 0xFF), blue: UInt8(number >> 8 & 0xFF),
      alpha: UInt8(number & 0xFF))
  }

  public static let white = RGBAColor(red: 255, green: 255, blue: 255)
  public static let transparent = RGBAColor(red: 0, green: 0, blue: 0, alpha: 0)
  /// Default color of waveforms, a blue.
  public static let standard = RGBAColor(red: 0x2A, green: 0x5F, blue: 0xC8)

  /// Color as `#rrggbb`, without its opacity.
  public var hexText: String {
    let digits = Array("0123456789abcdef")
    return "#"
      + String([red, green, blue].flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// Returns a mix of this color (0) and another (1), weighted by their opacity.
  package func mixed(with other: RGBAColor, _ part: Double) -> RGBAColor {
    let (ours, theirs) = (Double(alpha) * (1 - part), Double(other.alpha) * part)
    let opacity = ours + theirs
    guard opacity > 0 else { return .transparent }
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
      UInt8(((Double(a) * ours + Double(b) * theirs) / opacity).rounded())
    }
    return RGBAColor(
      red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue),
      alpha: UInt8(opacity.rounded()))
  }
}
