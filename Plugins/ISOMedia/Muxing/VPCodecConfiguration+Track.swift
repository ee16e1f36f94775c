import RespoolPlugin

extension VPCodecConfiguration {
  /// Reads the track's record, or converts WebM's form of it, or derives one from the description.
  init(_ track: TrackDescription) {
    if track.extradata.count >= 8, track.extradata[0] <= 3,
      let stated = try? Self(boxBody: track.extradata), stated.bitDepth >= 8
    {
      self = stated
      return
    }
    if !track.extradata.isEmpty, let stated = try? Self(webM: track.extradata) {
      self = stated
    } else {
      self.init(pixelFormat: track.pixelFormat.name, profile: track.profile)
    }
    if level == 0 { level = UInt8(clamping: track.level ?? Int32(Self.level(for: track))) }
    let color = track.color
    if color.primaries != 2 { colorPrimaries = color.primaries }
    if color.transfer != 2 { transferCharacteristics = color.transfer }
    if color.matrix != 2 { matrixCoefficients = color.matrix }
    isFullRange = color.range == .full
  }

  private init(pixelFormat name: String, profile: Int32?) {
    let depth: UInt8 = name.contains("12") ? 12 : name.contains("10") ? 10 : 8
    let is444 = name.hasPrefix("yuv444") || name.hasPrefix("gbr")
    let chroma: UInt8 = is444 ? 3 : name.hasPrefix("yuv422") ? 2 : 1
    // Profiles 0 to 3: the upper bit means high bit depth, the lower bit other chroma formats (VP9 7.2).
    self.init(
      profile: UInt8(clamping: profile ?? ((depth > 8 ? 2 : 0) + (chroma > 1 ? 1 : 0))), level: 0,
      bitDepth: depth, chromaSubsampling: chroma)
  }

  /// Returns the lowest level that allows the frame size and the frame rate (VP9 Levels, webmproject.org).
  private static func level(for track: TrackDescription) -> Int {
    let size = track.width * track.height
    let rate = Double(size) * max(1, track.frameRate.doubleValue)
    // Level, luma samples per second, and luma samples per frame.
    let levels: [(Int, Double, Int)] = [
      (10, 829_440, 36864), (11, 2_764_800, 73728), (20, 4_608_000, 122_880),
      (21, 9_216_000, 245_760), (30, 20_736_000, 552_960), (31, 36_864_000, 983_040),
      (40, 83_558_400, 2_228_224), (41, 160_432_128, 2_228_224), (50, 311_951_360, 8_912_896),
      (51, 588_251_136, 8_912_896), (52, 1_176_502_272, 8_912_896),
      (60, 1_176_502_272, 35_651_584), (61, 2_353_004_544, 35_651_584),
    ]
    return levels.first { rate <= $0.1 && size <= $0.2 }?.0 ?? 62
  }
}
