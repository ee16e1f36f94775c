import RespoolMedia
import Testing

@testable import Matroska

@Suite struct DecodeTimesTests {
  @Test func `frames are decoded before they are shown and in order`() {
    // I P B B P B B in decode order.
    let shown: [Int64] = [0, 120, 40, 80, 240, 160, 200]
    var times = DecodeTimes(depth: 1, step: 40)
    let decoded = shown.map { times.next($0) }
    #expect(decoded == [-40, 0, 40, 80, 120, 160, 200])
    #expect(zip(shown, decoded).allSatisfy { $0 >= $1 })
  }

  @Test func `without reordering decode and presentation times are equal`() {
    var times = DecodeTimes(depth: 0, step: 40)
    #expect([0, 40, 90].map { times.next($0) } == [0, 40, 90])
  }

  @Test func `more reordering than announced keeps frames from being shown too early`() {
    var times = DecodeTimes(depth: 1, step: 40)
    for shown: Int64 in [0, 160, 80, 40, 120] { #expect(times.next(shown) <= shown) }
  }
}

@Suite struct AudioLengthTests {
  @Test func `a FLAC frame states its block size`() {
    var lengths = AudioLength(
      TrackDescription(kind: .audio, codec: "flac", timeBase: Rational(1, 1)))
    #expect(lengths.samples([0xFF, 0xF8, 0xC9, 0x18, 0, 0], size: 100) == 4096)
    #expect(lengths.samples([0xFF, 0xF8, 0x79, 0x18, 0, 0x03, 0x1F], size: 100) == 800)
    #expect(lengths.samples([], size: 0) == 0)
  }

  @Test func `a DTS frame states samples and channels`() throws {
    let head: [UInt8] = [0x7F, 0xFE, 0x80, 0x01, 0xFC, 0x3C, 0x3F, 0xF2, 0x75, 0xE0, 0x2A, 0x40]
    let header = try #require(DTSFrameHeader(head[...]))
    #expect(header.sampleCount == 512)
    #expect(DTSFrameHeader(head.prefix(6)) == nil)
  }
}
