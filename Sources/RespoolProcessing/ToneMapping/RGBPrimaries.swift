/// Color primaries of linear light, with the code values of ITU-T H.273 table 2.
///
/// Only primaries with the white point D65, so that conversions do not change white.
package enum RGBPrimaries: UInt8 {
  case bt709 = 1
  /// ITU-R BT.2020 and BT.2100.
  case bt2020 = 9
  /// SMPTE EG 432-1: Display P3.
  case p3 = 12

  private var chromaticities: (red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>) {
    switch self {
    case .bt709: (SIMD2(0.640, 0.330), SIMD2(0.300, 0.600), SIMD2(0.150, 0.060))
    case .bt2020: (SIMD2(0.708, 0.292), SIMD2(0.170, 0.797), SIMD2(0.131, 0.046))
    case .p3: (SIMD2(0.680, 0.320), SIMD2(0.265, 0.690), SIMD2(0.150, 0.060))
    }
  }

  /// Matrix from RGB to CIE XYZ, where white has a Y of 1 (SMPTE RP 177).
  private var xyz: ColorMatrix {
    func light(_ at: SIMD2<Double>) -> SIMD3<Double> {
      SIMD3(at.x / at.y, 1, (1 - at.x - at.y) / at.y)
    }
    let (red, green, blue) = (
      light(chromaticities.red), light(chromaticities.green), light(chromaticities.blue)
    )
    let ratios = ColorMatrix(
      SIMD3(red.x, green.x, blue.x), SIMD3(red.y, green.y, blue.y), SIMD3(red.z, green.z, blue.z))
    let shares = ratios.inverse(light(SIMD2(0.3127, 0.3290)))
    return ColorMatrix(ratios.rows[0] * shares, ratios.rows[1] * shares, ratios.rows[2] * shares)
  }

  /// Contribution of red, green and blue to luminance.
  var luminance: SIMD3<Double> { xyz.rows[1] }

  /// Returns the matrix that converts linear light of these primaries to other primaries.
  package func matrix(to other: RGBPrimaries) -> ColorMatrix { other.xyz.inverse * xyz }
}
