import RespoolMedia
import Testing

/// HDR records parsed from bytes and written again.
@Suite struct HighDynamicRangeTests {
  @Test func `a mastering display has the form of mdcv`() throws {
    let display = MasteringDisplay(
      red: .init(0.68, 0.32), green: .init(0.265, 0.69), blue: .init(0.15, 0.06),
      whitePoint: .init(0.3127, 0.329), maximumLuminance: MasteringDisplay.units(1000),
      minimumLuminance: MasteringDisplay.units(0.005))
    // x265 writes these as G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50).
    let words: [UInt16] = [13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450]
    #expect(
      display.bytes
        == words.flatMap(\.bigEndianBytes) + UInt32(10_000_000).bigEndianBytes
        + UInt32(50).bigEndianBytes)
    #expect(MasteringDisplay(display.bytes) == display)
    for count in 0..<24 { #expect(MasteringDisplay(display.bytes.prefix(count)) == nil) }
    #expect(MasteringDisplay.units(.infinity) == 0 && MasteringDisplay.units(-1) == 0)
    #expect(MasteringDisplay.units(1e9) == .max)
  }

  @Test func `light levels have the form of clli`() {
    let level = ContentLightLevel(maximum: 1000, maximumAverage: 400)
    #expect(level.bytes == [3, 232, 1, 144])
    #expect(ContentLightLevel(level.bytes) == level)
    for count in 0..<4 { #expect(ContentLightLevel(level.bytes.prefix(count)) == nil) }
  }

  /// The records are those of a phone (profile 8.4) and of a disc (profile 7).
  @Test(
    arguments: [
      ([1, 0, 0x10, 0x2D, 0x40], 8, 5, false, 4, "dvvC"),
      ([1, 0, 0x0E, 0x37, 0x60], 7, 6, true, 6, "dvcC"),
    ] as [([UInt8], UInt8, UInt8, Bool, UInt8, FourCC)])
  func `a Dolby Vision configuration round-trips`(
    head: [UInt8], profile: UInt8, level: UInt8, hasEnhancement: Bool, compatibility: UInt8,
    type: FourCC
  ) throws {
    let bytes = head + [UInt8](repeating: 0, count: 19)
    let vision = try #require(DolbyVisionConfiguration(bytes))
    #expect(vision.profile == profile && vision.level == level)
    #expect(vision.hasEnhancementLayer == hasEnhancement && vision.hasBaseLayer)
    #expect(vision.baseLayerCompatibility == compatibility)
    #expect(vision.bytes == bytes && vision.type == type)
    for count in 0..<5 { #expect(DolbyVisionConfiguration(bytes.prefix(count)) == nil) }
  }

  @Test func `captions stay where HDR metadata is removed`() {
    let captions = SideData(.registeredUserData, [0xB5, 0, 0x31] + Array("GA94".utf8) + [3, 0x41])
    let dynamic = SideData(.registeredUserData, [0xB5, 0, 0x3C, 0, 1, 4])
    #expect(!captions.describesHighDynamicRange && captions.isCaptions)
    #expect(dynamic.describesHighDynamicRange && !dynamic.isCaptions)
    #expect(SideData("dvvC", []).describesHighDynamicRange && !SideData("dvvC", []).appliesToFrames)
    #expect(
      SideData(.masteringDisplay, []).appliesToFrames && !SideData("lhvC", []).appliesToFrames)
  }
}
