import Glibc
import RespoolMedia

/// A conversion of sRGB graphics colors to those of a frame with high dynamic range.
///
/// White is placed at 203 cd/m2, the reference white of ITU-R BT.2408. Colors are not changed for frames with
/// standard dynamic range.
enum GraphicsLight: Sendable {
  case unchanged
  /// SMPTE ST 2084.
  case perceptualQuantizer(isWide: Bool)
  /// ARIB STD-B67.
  case hybridLogGamma(isWide: Bool)

  /// Creates the conversion for a transfer and primaries, both as code points of ITU-T H.273.
  init(transfer: UInt8, primaries: UInt8) {
    let isWide = primaries == H273.Primaries.bt2020
    switch transfer {
    case H273.Transfer.pq: self = .perceptualQuantizer(isWide: isWide)
    case H273.Transfer.hlg: self = .hybridLogGamma(isWide: isWide)
    default: self = .unchanged
    }
  }

  /// Returns code values from 0 to 1 in the frame's transfer.
  func convert(_ red: Double, _ green: Double, _ blue: Double) -> (Double, Double, Double) {
    let isWide: Bool
    let encode: (Double) -> Double
    switch self {
    case .unchanged: return (red, green, blue)
    case .perceptualQuantizer(let wide):
      (isWide, encode) = (wide, { PerceptualQuantizer.encode($0 * ToneMapping.white) })
    case .hybridLogGamma(let wide):
      // White is at 75 % of the signal.
      (isWide, encode) = (wide, { HybridLogGamma.encode($0 * HybridLogGamma.decode(0.75)) })
    }
    var (r, g, b) = (Self.linear(red), Self.linear(green), Self.linear(blue))
    if isWide {
      // ITU-R BT.2087 equation 1: BT.709 primaries to those of BT.2020.
      (r, g, b) = (
        0.6274 * r + 0.3293 * g + 0.0433 * b, 0.0691 * r + 0.9195 * g + 0.0114 * b,
        0.0164 * r + 0.0880 * g + 0.8956 * b
      )
    }
    return (encode(r), encode(g), encode(b))
  }

  /// Returns the linear light of an sRGB code value (IEC 61966-2-1).
  private static func linear(_ code: Double) -> Double {
    let code = min(max(code, 0), 1)
    return code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4)
  }
}
