/// A Dolby Vision decoder configuration record: the body of `dvcC`, `dvvC` and `dvwC` (Dolby Vision Streams
/// Within the ISO Base Media File Format, 3.2).
public struct DolbyVisionConfiguration: Hashable, Sendable {
  public var versionMajor: UInt8
  public var versionMinor: UInt8
  /// 0 to 127.
  public var profile: UInt8
  /// 0 to 63.
  public var level: UInt8
  public var hasReferenceProcessingUnits: Bool
  public var hasEnhancementLayer: Bool
  public var hasBaseLayer: Bool
  /// Format of the base layer for players without Dolby Vision.
  ///
  /// 0: such players cannot show it.
  public var baseLayerCompatibility: UInt8

  public init(
    versionMajor: UInt8 = 1, versionMinor: UInt8 = 0, profile: UInt8, level: UInt8,
    hasReferenceProcessingUnits: Bool, hasEnhancementLayer: Bool, hasBaseLayer: Bool,
    baseLayerCompatibility: UInt8
  ) {
    self.versionMajor = versionMajor
    self.versionMinor = versionMinor
    self.profile = profile
    self.level = level
    self.hasReferenceProcessingUnits = hasReferenceProcessingUnits
    self.hasEnhancementLayer = hasEnhancementLayer
    self.hasBaseLayer = hasBaseLayer
    self.baseLayerCompatibility = baseLayerCompatibility
  }

  /// Parses a record; `nil` if it is shorter than 5 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= 5 else { return nil }
    let head = Array(bytes.prefix(5))
    self.init(
      versionMajor: head[0], versionMinor: head[1], profile: head[2] >> 1,
      level: (head[2] & 1) << 5 | head[3] >> 3, hasReferenceProcessingUnits: head[3] & 4 != 0,
      hasEnhancementLayer: head[3] & 2 != 0, hasBaseLayer: head[3] & 1 != 0,
      baseLayerCompatibility: head[4] >> 4)
  }

  /// The record, 24 bytes.
  public var bytes: [UInt8] {
    let flags: UInt8 =
      (hasReferenceProcessingUnits ? 4 : 0) | (hasEnhancementLayer ? 2 : 0) | (hasBaseLayer ? 1 : 0)
    return [
      versionMajor, versionMinor, profile << 1 | level >> 5 & 1, (level & 31) << 3 | flags,
      baseLayerCompatibility << 4,
    ] + [UInt8](repeating: 0, count: 19)
  }

  /// The type of box that holds the record.
  public var type: FourCC { profile > 10 ? "dvwC" : profile > 7 ? "dvvC" : "dvcC" }
}
