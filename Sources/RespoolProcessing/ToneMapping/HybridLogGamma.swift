import Glibc

/// HLG transfer: codes for light that reaches the camera (ARIB STD-B67; ITU-R BT.2100 table 5).
package enum HybridLogGamma {
  /// Luminance of full white on the reference display, in cd/m2.
  package static let peak = 1000.0
  /// System gamma of the reference display (BT.2100 note 5f).
  static let systemGamma = 1.2

  private static let a = 0.17883277
  private static let b = 1 - 4 * a
  private static let c = 0.5 - a * log(4 * a)

  /// Returns the code, 0 to 1, of scene light, 0 to 1.
  package static func encode(_ scene: Double) -> Double {
    let scene = max(scene, 0)
    return scene <= 1.0 / 12 ? (3 * scene).squareRoot() : a * log(12 * scene - b) + c
  }

  /// Returns the scene light, 0 to 1, of a code.
  package static func decode(_ code: Double) -> Double {
    let code = max(code, 0)
    return code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12
  }
}
