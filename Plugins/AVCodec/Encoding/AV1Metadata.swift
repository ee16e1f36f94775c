import RespoolPlugin

/// Metadata units of AV1 with what HDR10 states (AV1 specification 5.8).
enum AV1Metadata {
  private static let lightLevel: UInt8 = 1
  private static let masteringDisplay: UInt8 = 2
  /// Type 5 with a size (5.3.2).
  private static let head: UInt8 = 5 << 3 | 2
  private static let sequenceHeader: UInt8 = 1

  /// Returns the units for the records of a track; empty if there are none.
  static func units(of sideData: [SideData]) -> [UInt8] {
    var units: [UInt8] = []
    if let bytes = sideData[.contentLightLevel], bytes.count == 4 {
      units += unit(lightLevel, bytes)
    }
    if let bytes = sideData[.masteringDisplay], let display = MasteringDisplay(bytes) {
      // 0.16 fixed point for coordinates, 24.8 and 18.14 for luminance (6.7.4).
      var body: [UInt8] = []
      for color in [display.red, display.green, display.blue, display.whitePoint] {
        for value in [color.x, color.y] { body += fixed(value, 65_536, over: 50_000) }
      }
      body += UInt32(clamping: scaled(display.maximumLuminance, 256)).bigEndianBytes
      body += UInt32(clamping: scaled(display.minimumLuminance, 16_384)).bigEndianBytes
      units += unit(masteringDisplay, body)
    }
    return units
  }

  /// Returns a temporal unit with units behind its sequence header, or unchanged if it has none.
  static func inserted(_ units: [UInt8], into bytes: [UInt8]) throws(MediaError) -> [UInt8] {
    var reader = ByteReader(bytes)
    let first = try reader.u8()
    guard first >> 3 & 15 == sequenceHeader, first & 2 != 0 else { return bytes }
    if first & 4 != 0 { try reader.skip(1) }
    try reader.skip(try reader.leb128())
    return bytes[..<reader.position] + units + bytes[reader.position...]
  }

  private static func unit(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
    // The last byte has the trailing bit (5.3.4); all sizes are below 128.
    let payload = [type] + body + [0x80]
    return [head, UInt8(payload.count)] + payload
  }

  private static func fixed(_ value: UInt16, _ scale: UInt64, over unit: UInt64) -> [UInt8] {
    UInt16(clamping: (UInt64(value) * scale + unit / 2) / unit).bigEndianBytes
  }

  /// Luminance is in units of 0.0001 candela per square metre.
  private static func scaled(_ value: UInt32, _ scale: UInt64) -> UInt64 {
    (UInt64(value) * scale + 5000) / 10_000
  }
}
