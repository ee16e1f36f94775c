import Glibc
package import RespoolMedia

/// Mapping of HDR colors to colors for a display of standard dynamic range.
///
/// HDR reference white, 203 cd/m2 (ITU-R BT.2408), is the display's white before tones are mapped. Media that
/// came from standard dynamic range therefore returns unchanged, except for the brightest tones. The largest
/// of red, green and blue is mapped by the curve of ITU-R BT.2390 (EETF) from the source's peak to that
/// white. The others are scaled by the same factor, so that hue and saturation stay. Colors outside the
/// display's gamut keep their luminance and lose saturation.
///
/// This type defines the result; ``ToneMapper`` applies it to frames.
package struct ToneMapping {
  /// Transfer characteristics, with the code values of ITU-T H.273 table 3.
  package enum Transfer: UInt8 {
    case perceptualQuantizer = 16
    case hybridLogGamma = 18
  }

  package let transfer: Transfer
  /// Maximum luminance of the source, in cd/m2; brighter light is clipped to it.
  package let peak: Double
  package let source: RGBPrimaries
  package let target: RGBPrimaries

  let sourceLuminance: SIMD3<Double>
  let targetLuminance: SIMD3<Double>
  package let matrix: ColorMatrix

  private let brightest: Double
  private let most: Double
  private let knee: Double
  /// Luminance up to which light is unchanged, in cd/m2.
  let kneeLight: Double

  /// Creates a mapping from a source whose maximum luminance is `peak`.
  ///
  /// `peak` is in cd/m2, and is clamped to 300 to 10,000. `nil`: 1,000. HLG ignores it and has a peak of
  /// 1,000 on its reference display.
  package init(
    _ transfer: Transfer, from source: RGBPrimaries, to target: RGBPrimaries, peak: Double? = nil
  ) {
    (self.transfer, self.source, self.target) = (transfer, source, target)
    let stated = transfer == .perceptualQuantizer ? peak ?? Self.usualPeak : Self.usualPeak
    self.peak = min(max(stated, 300), 10_000)
    brightest = PerceptualQuantizer.encode(self.peak)
    most = PerceptualQuantizer.encode(Self.white) / brightest
    knee = 1.5 * most - 0.5
    kneeLight = PerceptualQuantizer.decode(knee * brightest)
    (sourceLuminance, targetLuminance) = (source.luminance, target.luminance)
    matrix = source.matrix(to: target)
  }

  /// Luminance of white in standard dynamic range, in cd/m2.
  package static let white = 203.0
  /// Peak of most masters, in cd/m2.
  static let usualPeak = 1000.0

  /// Returns the maximum luminance that a source states, in cd/m2.
  ///
  /// MaxCLL, or else the maximum luminance of the mastering display. `nil` if it states neither.
  package static func peak(of sideData: [SideData]) -> Double? {
    if let level = sideData[.contentLightLevel].flatMap({ ContentLightLevel($0) }),
      level.maximum > 0
    {
      return Double(level.maximum)
    }
    let display = sideData[.masteringDisplay].flatMap { MasteringDisplay($0) }
    return display.flatMap {
      $0.maximumLuminance > 0 ? Double($0.maximumLuminance) / 10_000 : nil
    }
  }

  /// Returns the color in codes of 0 to 1 for a BT.1886 display, for a color in codes of the source.
  func callAsFunction(_ codes: SIMD3<Double>) -> SIMD3<Double> {
    let light = displayable(matrix(light(codes)))
    let greatest = light.max()
    guard greatest > 0 else { return .zero }
    let scale = mapped(greatest) / greatest / Self.white
    return Self.each(light) { min(pow($0 * scale, 1 / 2.4), 1) }
  }

  /// Returns the light of a high dynamic range display, in cd/m2.
  private func light(_ codes: SIMD3<Double>) -> SIMD3<Double> {
    switch transfer {
    case .perceptualQuantizer: return Self.each(codes, PerceptualQuantizer.decode)
    case .hybridLogGamma:
      let scene = Self.each(codes, HybridLogGamma.decode)
      let luminance = max((sourceLuminance * scene).sum(), 0)
      return scene * (HybridLogGamma.peak * pow(luminance, HybridLogGamma.systemGamma - 1))
    }
  }

  /// Returns the nearest color of equal luminance and hue that has no negative component.
  private func displayable(_ light: SIMD3<Double>) -> SIMD3<Double> {
    let (gray, least) = (max((targetLuminance * light).sum(), 0), light.min())
    guard least < 0 else { return light }
    let color = gray + (light - gray) * (gray / (gray - least))
    return color.clamped(
      lowerBound: .zero, upperBound: SIMD3(repeating: .greatestFiniteMagnitude))
  }

  /// Returns the mapped light, in cd/m2 as its argument: BT.2390 section 5.4.1, with black at 0 on both
  /// sides.
  package func mapped(_ light: Double) -> Double {
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
