import Glibc

/// How colours of high dynamic range become colours for a display of standard range.
///
/// HDR reference white, 203 cd/m2 (ITU-R BT.2408), is the display's white before tones are mapped: what
/// came from standard range comes back as it was, but for the brightest. The brightest of red, green and blue is
/// mapped by the curve of ITU-R BT.2390 (EETF) from a peak of 1,000 cd/m2 to that white, and the others with
/// it, so that hue and saturation stay. Colours that the display has not keep luminance and lose saturation.
///
/// This says what has to come out; ``ToneMapper`` does it to pictures.
struct ToneMapping {
  /// Code values as ITU-T H.273 table 3 counts them.
  enum Transfer: UInt8 {
    case perceptualQuantizer = 16
    case hybridLogGamma = 18
  }

  let transfer: Transfer
  let source: RGBPrimaries
  let target: RGBPrimaries

  let sourceLuminance: SIMD3<Double>
  let targetLuminance: SIMD3<Double>
  let matrix: ColorMatrix

  init(_ transfer: Transfer, from source: RGBPrimaries, to target: RGBPrimaries) {
    (self.transfer, self.source, self.target) = (transfer, source, target)
    (sourceLuminance, targetLuminance) = (source.luminance, target.luminance)
    matrix = source.matrix(to: target)
  }

  /// Light that is white in standard range, in cd/m2.
  static let white = 203.0
  /// What nothing is brighter than, in cd/m2; above it all is as bright.
  static let peak = 1000.0

  /// The colour, in codes of 0 to 1 for a display of BT.1886, of a colour in codes of the source.
  func callAsFunction(_ codes: SIMD3<Double>) -> SIMD3<Double> {
    let light = displayable(matrix(light(codes)))
    let greatest = light.max()
    guard greatest > 0 else { return .zero }
    let scale = Self.mapped(greatest) / greatest / Self.white
    return Self.each(light) { min(pow($0 * scale, 1 / 2.4), 1) }
  }

  /// What leaves a display of high dynamic range, in cd/m2.
  private func light(_ codes: SIMD3<Double>) -> SIMD3<Double> {
    switch transfer {
    case .perceptualQuantizer: return Self.each(codes, PerceptualQuantizer.decode)
    case .hybridLogGamma:
      let scene = Self.each(codes, HybridLogGamma.decode)
      let luminance = max((sourceLuminance * scene).sum(), 0)
      return scene * (HybridLogGamma.peak * pow(luminance, HybridLogGamma.systemGamma - 1))
    }
  }

  /// The nearest colour of the same luminance and hue that has no part below 0.
  private func displayable(_ light: SIMD3<Double>) -> SIMD3<Double> {
    let (gray, least) = (max((targetLuminance * light).sum(), 0), light.min())
    guard least < 0 else { return light }
    let color = gray + (light - gray) * (gray / (gray - least))
    return color.clamped(
      lowerBound: .zero, upperBound: SIMD3(repeating: .greatestFiniteMagnitude))
  }

  private static let brightest = PerceptualQuantizer.encode(peak)
  private static let most = PerceptualQuantizer.encode(white) / brightest
  private static let knee = 1.5 * most - 0.5
  /// Up to here light stays as it is, in cd/m2.
  static let kneeLight = PerceptualQuantizer.decode(knee * brightest)

  /// What light becomes, both in cd/m2: BT.2390 section 5.4.1, where black is 0 on both sides.
  static func mapped(_ light: Double) -> Double {
    guard light > kneeLight else { return light }
    let code = min(PerceptualQuantizer.encode(light) / brightest, 1)
    let t = (code - knee) / (1 - knee)
    let (t2, t3) = (t * t, t * t * t)
    return PerceptualQuantizer.decode(
      brightest
        * ((2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * most)
    )
  }

  private static func each(_ color: SIMD3<Double>, _ function: (Double) -> Double) -> SIMD3<Double>
  {
    SIMD3(function(color.x), function(color.y), function(color.z))
  }
}
