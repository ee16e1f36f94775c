/// Code points of color in ITU-T H.273 (ISO/IEC 23091-2).
package enum H273 {
  /// Primaries, transfer or matrix that are not stated.
  package static let unspecified: UInt8 = 2

  /// Color primaries (8.1).
  package enum Primaries {
    package static let bt709: UInt8 = 1
    package static let bt470BG: UInt8 = 5
    package static let smpte170M: UInt8 = 6
    package static let smpte240M: UInt8 = 7
    package static let bt2020: UInt8 = 9
  }

  /// Transfer characteristics (8.2).
  package enum Transfer {
    package static let bt709: UInt8 = 1
    package static let smpte170M: UInt8 = 6
    package static let sRGB: UInt8 = 13
    /// SMPTE ST 2084.
    package static let pq: UInt8 = 16
    /// ARIB STD-B67.
    package static let hlg: UInt8 = 18
  }

  /// Matrix coefficients (8.3).
  package enum Matrix {
    /// Samples are red, green and blue.
    package static let identity: UInt8 = 0
    package static let bt709: UInt8 = 1
    package static let bt470BG: UInt8 = 5
    package static let smpte170M: UInt8 = 6
  }
}
