import RespoolMedia
import Testing

@testable import respool

/// Output of `inspect` for the side data of HDR10 and Dolby Vision.
@Suite struct HighDynamicRangeTests {
  private func track(_ records: [SideData], transfer: UInt8 = 2) -> TrackDescription {
    var track = TrackDescription(kind: .video, codec: "hevc", timeBase: Rational(1, 25))
    track.sideData = records
    track.color.transfer = transfer
    return track
  }

  private func numbers16(_ values: Int...) -> [UInt8] {
    values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  private func numbers32(_ values: Int...) -> [UInt8] {
    values.flatMap { value in [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) } }
  }

  /// BT.2020 primaries, D65 white point, 1,000 and 0.005 cd/m², coded as in ITU-T H.265 D.3.28.
  private var masteringDisplay: [UInt8] {
    numbers16(8500, 39850, 6550, 2300, 35400, 14600, 15635, 16450)
      + numbers32(10_000_000, 50)
  }

  @Test func `mastering display and light levels are read`() throws {
    let range = try #require(
      HighDynamicRange(
        track([SideData("mdcv", masteringDisplay), SideData("clli", numbers16(1000, 400))])))
    #expect(
      range.lines == [
        "mastering display: 0.005 to 1000.0 cd/m², red 0.708,0.292, green 0.17,0.797, "
          + "blue 0.131,0.046, white 0.3127,0.329",
        "content light: brightest pixel 1000 cd/m², brightest frame 400 cd/m² on average",
      ])
    #expect(
      range.document.compactText
        == "{\"masteringDisplay\":{\"red\":[0.708,0.292],\"green\":[0.17,0.797],"
        + "\"blue\":[0.131,0.046],\"white\":[0.3127,0.329],\"minimumLuminance\":0.005,"
        + "\"maximumLuminance\":1000},\"contentLight\":{\"maximum\":1000,"
        + "\"maximumFrameAverage\":400}}")
  }

  @Test(arguments: ["dvcC", "dvvC"])
  func `the Dolby Vision configuration is read`(_ type: String) throws {
    // Version 1.0, profile 8, level 6, metadata and base layer, compatible with HLG.
    let record: [UInt8] = [1, 0, 0x10, 0x35, 0x40] + [UInt8](repeating: 0, count: 19)
    let range = try #require(HighDynamicRange(track([SideData(FourCC(type), record)])))
    #expect(
      range.lines == ["Dolby Vision: profile 8, level 6, base layer compatible with HLG"])
  }

  @Test func `truncated records are ignored`() {
    for count in 0..<24 {
      let cut = SideData("mdcv", Array(masteringDisplay.prefix(count)))
      #expect(HighDynamicRange(track([cut])) == nil)
    }
    #expect(HighDynamicRange(track([SideData("clli", [1, 2, 3]), SideData("dvcC", [1])])) == nil)
  }

  @Test(arguments: [(UInt8(16), "PQ"), (18, "HLG")])
  func `the transfer function alone marks HDR`(_ transfer: UInt8, _ name: String) {
    #expect(HighDynamicRange(track([], transfer: transfer))?.transfer == name)
    #expect(HighDynamicRange(track([], transfer: 1)) == nil)
  }
}
