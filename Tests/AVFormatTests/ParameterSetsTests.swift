import Testing

@testable import AVFormat

@Suite struct ParameterSetsTests {
  /// A record with an SPS of three bytes, a PPS of two bytes and NAL unit lengths of four bytes.
  private let record: [UInt8] = [
    1, 0x42, 0, 30, 0xFF, 0xE1, 0, 3, 0x67, 0x42, 0, 1, 0, 2, 0x68, 0xCE,
  ]

  @Test func `AVC parameter sets get the length size of the stream`() {
    #expect(ParameterSets.lengthSize(codec: "h264", record: record) == 4)
    #expect(
      ParameterSets.inBand(codec: "h264", record: record, lengthSize: 4)
        == [0, 0, 0, 3, 0x67, 0x42, 0, 0, 0, 0, 2, 0x68, 0xCE])
    #expect(
      ParameterSets.inBand(codec: "h264", record: record, lengthSize: 1)
        == [3, 0x67, 0x42, 0, 2, 0x68, 0xCE])
  }

  @Test func `HEVC parameter sets of all arrays are read`() {
    var record = [UInt8](repeating: 0, count: 23)
    (record[0], record[21], record[22]) = (1, 3, 2)
    record += [32, 0, 1, 0, 2, 0x40, 1, 33, 0, 1, 0, 1, 0x42]
    #expect(
      ParameterSets.inBand(codec: "hevc", record: record, lengthSize: 4)
        == [0, 0, 0, 2, 0x40, 1, 0, 0, 0, 1, 0x42])
  }

  @Test func `every truncation is rejected`() {
    for count in 0..<record.count {
      let part = Array(record.prefix(count))
      #expect(ParameterSets.inBand(codec: "h264", record: part, lengthSize: 4) == nil)
    }
  }

  @Test func `other codecs have none`() {
    #expect(ParameterSets.inBand(codec: "aac", record: record, lengthSize: 4) == nil)
    #expect(ParameterSets.lengthSize(codec: "vp9", record: record) == nil)
  }
}
