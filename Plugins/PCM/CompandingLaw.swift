import RespoolPlugin

/// The two companding laws of ITU-T G.711.
struct CompandingLaw: Sendable {
  static let a = CompandingLaw(inversion: 0xD5, level: levelOfA)
  static let mu = CompandingLaw(inversion: 0xFF, level: levelOfMu)

  /// Decoded level of each code.
  let levels: [Int16]
  /// Codes of the 14-bit numbers from -8192 to 8191.
  private let codes: [UInt8]

  /// Creates the tables.
  ///
  /// `level` returns the magnitude of a 7-bit code on the 16-bit scale. `inversion` is the mask of bits that
  /// are inverted in a positive code.
  private init(inversion: UInt8, level: (Int) -> Int) {
    let magnitudes = (0..<128).map(level)
    levels = (0...255).map { code in
      let plain = UInt8(code) ^ inversion
      let magnitude = Int16(clamping: magnitudes[Int(plain & 0x7F)])
      return plain & 0x80 == 0 ? magnitude : -magnitude
    }
    // Each number gets the code of the nearest level. Thresholds are midpoints, rounded on the 14-bit scale,
    // so that the codes are the same as FFmpeg's.
    let borders = (0..<127).map { (magnitudes[$0] + magnitudes[$0 + 1] + 4) >> 3 }
    codes = (-8192...8191).map { number in
      let magnitude = min(abs(number), 8191)
      let code = magnitude == 0 ? 0 : borders.count { $0 <= magnitude }
      return UInt8(code) ^ inversion ^ (number < 0 ? 0x80 : 0)
    }
  }

  func code(of sample: Int16) -> UInt8 { codes[Int(sample >> 2) + 8192] }

  private static func levelOfA(_ code: Int) -> Int {
    let (segment, step) = (code >> 4, code & 15)
    return segment == 0 ? step * 16 + 8 : (step * 16 + 264) << (segment - 1)
  }

  private static func levelOfMu(_ code: Int) -> Int {
    ((((code & 15) << 3) + 0x84) << (code >> 4)) - 0x84
  }
}
