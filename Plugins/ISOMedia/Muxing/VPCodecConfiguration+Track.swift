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
    if level == 0 { level = track.level.map { UInt8(clamping: $0) } ?? Self.level(for: track) }
    let color = track.color
    if color.primaries != H273.unspecified { colorPrimaries = color.primaries }
    if color.transfer != H273.unspecified { transferCharacteristics = color.transfer }
    if color.matrix != H273.unspecified { matrixCoefficients = color.matrix }
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

  private static func level(for track: TrackDescription) -> UInt8 {
    let lowest = VP9Level.lowest(
      width: track.width, height: track.height, frameRate: max(1, track.frameRate.doubleValue))
    return lowest > 0 ? lowest : 62
  }
}
