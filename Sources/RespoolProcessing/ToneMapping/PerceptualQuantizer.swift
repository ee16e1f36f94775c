import Glibc

/// PQ transfer: codes for light that leaves the display (SMPTE ST 2084; ITU-R BT.2100 table 4).
package enum PerceptualQuantizer {
  /// Luminance of the code 1, in cd/m2.
  package static let peak = 10_000.0

  private static let m1 = 2610.0 / 16384
  private static let m2 = 2523.0 / 32
  private static let c1 = 3424.0 / 4096
  private static let c2 = 2413.0 / 128
  private static let c3 = 2392.0 / 128

  /// Returns the code, 0 to 1, of light in cd/m2.
  package static func encode(_ light: Double) -> Double {
    let power = pow(max(light, 0) / peak, m1)
    return pow((c1 + c2 * power) / (1 + c3 * power), m2)
  }

  /// Returns the light of a code, in cd/m2.
  package static func decode(_ code: Double) -> Double {
    let power = pow(max(code, 0), 1 / m2)
    return peak * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
  }
}
