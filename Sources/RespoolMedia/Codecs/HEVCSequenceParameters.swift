/// The properties of frames in an HEVC sequence parameter set (ITU-T H.265 7.3.2.2.1).
public struct HEVCSequenceParameters: Hashable, Sendable {
  /// Twelve bytes: space, tier, profile, compatibility, constraints and level (7.3.3).
  public var profileTierLevel: [UInt8]
  /// 0: gray, 1: 4:2:0, 2: 4:2:2, 3: 4:4:4.
  public var chromaFormat: UInt8
  public var lumaBitDepth: UInt8
  public var chromaBitDepth: UInt8
  public var temporalLayers: UInt8
  public var isTemporalIDNested: Bool
  /// Inside the conformance window.
  public var width: Int
  /// Inside the conformance window.
  public var height: Int
  /// Reordering and how frames are shown; `nil`: not asked for, or damaged.
  public var usability: HEVCVUIParameters?

  /// Parses a NAL unit of type 33, with its two header bytes; up to the bit depths, unless `usability` is asked for.
  public init(nalUnit: some Collection<UInt8>, usability readsUsability: Bool = false)
    throws(MediaError)
  {
    guard let header = nalUnit.first, header >> 1 & 0x3F == 33 else {
      throw MediaError(.malformed, "the NAL unit is not an HEVC sequence parameter set (type 33)")
    }
    var reader = BitReader(AnnexB.rawPayload(nalUnit.dropFirst(2)))
    try reader.skip(4)
    let subLayers = Int(try reader.bits(3))
    temporalLayers = UInt8(subLayers + 1)
    isTemporalIDNested = try reader.bit()
    profileTierLevel = []
    for _ in 0..<12 { profileTierLevel.append(UInt8(truncatingIfNeeded: try reader.bits(8))) }
    var present: [(profile: Bool, level: Bool)] = []
    for _ in 0..<subLayers { present.append((try reader.bit(), try reader.bit())) }
    if subLayers > 0 { try reader.skip(2 * (8 - subLayers)) }
    for layer in present {
      if layer.profile { try reader.skip(88) }
      if layer.level { try reader.skip(8) }
    }
    _ = try reader.exponentialGolomb()
    let chroma = try reader.exponentialGolomb()
    guard chroma <= 3 else {
      throw MediaError(.malformed, "chroma_format_idc is \(chroma); it must be 0 to 3")
    }
    chromaFormat = UInt8(chroma)
    let separatePlanes = chroma == 3 ? try reader.bit() : false
    width = Int(try reader.exponentialGolomb())
    height = Int(try reader.exponentialGolomb())
    if try reader.bit() {
      let unitX = !separatePlanes && (chroma == 1 || chroma == 2) ? 2 : 1
      let unitY = !separatePlanes && chroma == 1 ? 2 : 1
      let left = Int(try reader.exponentialGolomb())
      let right = Int(try reader.exponentialGolomb())
      let top = Int(try reader.exponentialGolomb())
      let bottom = Int(try reader.exponentialGolomb())
      guard (left + right) * unitX < width, (top + bottom) * unitY < height else {
        throw MediaError(
          .malformed, "the conformance window removes the whole frame of \(width)x\(height)")
      }
      width -= (left + right) * unitX
      height -= (top + bottom) * unitY
    }
    let luma = try reader.exponentialGolomb()
    let chromaDepth = try reader.exponentialGolomb()
    guard luma <= 8, chromaDepth <= 8 else {
      throw MediaError(
        .malformed,
        "the bit depths are \(Int(luma) + 8) and \(Int(chromaDepth) + 8); "
          + "they must be 8 to 16")
    }
    lumaBitDepth = UInt8(luma + 8)
    chromaBitDepth = UInt8(chromaDepth + 8)
    if readsUsability {
      usability = try? HEVCVUIParameters(&reader, temporalLayers: Int(temporalLayers))
    }
  }
}
