/// The display on which HDR content was mastered: the body of a box `mdcv` (ISO/IEC 14496-12 12.1.7; SMPTE
/// ST 2086).
public struct MasteringDisplay: Hashable, Sendable {
  /// A chromaticity of CIE 1931, each coordinate in units of 0.00002.
  public struct Chromaticity: Hashable, Sendable {
    public var x: UInt16
    public var y: UInt16

    public init(x: UInt16, y: UInt16) {
      self.x = x
      self.y = y
    }

    /// Rounds coordinates of 0 to 1; values outside are clamped.
    public init(_ x: Double, _ y: Double) {
      self.init(x: Self.units(x), y: Self.units(y))
    }

    private static func units(_ value: Double) -> UInt16 {
      UInt16(max(0, min(value.isFinite ? value * 50_000 : 0, 65_535)).rounded())
    }
  }

  public var red: Chromaticity
  public var green: Chromaticity
  public var blue: Chromaticity
  public var whitePoint: Chromaticity
  /// Units of 0.0001 cd/m2.
  public var maximumLuminance: UInt32
  /// Units of 0.0001 cd/m2.
  public var minimumLuminance: UInt32

  public init(
    red: Chromaticity, green: Chromaticity, blue: Chromaticity, whitePoint: Chromaticity,
    maximumLuminance: UInt32, minimumLuminance: UInt32
  ) {
    (self.red, self.green, self.blue) = (red, green, blue)
    self.whitePoint = whitePoint
    self.maximumLuminance = maximumLuminance
    self.minimumLuminance = minimumLuminance
  }

  /// Parses the body of `mdcv`; `nil` if it is shorter than 24 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    var reader = ByteReader(Array(bytes))
    do throws(MediaError) {
      func chromaticity() throws(MediaError) -> Chromaticity {
        Chromaticity(x: try reader.big(UInt16.self), y: try reader.big(UInt16.self))
      }
      // The order of ITU-T H.265 D.3.28.
      green = try chromaticity()
      blue = try chromaticity()
      red = try chromaticity()
      whitePoint = try chromaticity()
      maximumLuminance = try reader.big()
      minimumLuminance = try reader.big()
    } catch { return nil }
  }

  /// The body of `mdcv`.
  public var bytes: [UInt8] {
    [green, blue, red, whitePoint].flatMap { $0.x.bigEndianBytes + $0.y.bigEndianBytes }
      + maximumLuminance.bigEndianBytes + minimumLuminance.bigEndianBytes
  }

  /// Rounds a luminance in cd/m2 to units of 0.0001.
  public static func units(_ luminance: Double) -> UInt32 {
    UInt32(max(0, min(luminance.isFinite ? luminance * 10_000 : 0, Double(UInt32.max))).rounded())
  }
}
