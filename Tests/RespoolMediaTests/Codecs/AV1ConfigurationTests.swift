import RespoolMedia
import Testing

@Suite struct AV1ConfigurationTests {
  /// Each argument is a sequence header from libaom and the first four bytes of the record that FFmpeg makes of it.
  @Test(
    arguments: [
      ("0a0b0000002d4c37b3dfff9804", "81050c00"), ("0a0a0000000337fbe6d7ca02", "81004c00"),
      ("0a0a0000000337fbe6d7c950", "81001c00"), ("0a0a2000000337fbe6d7c810", "81200000"),
      ("0a093819bfdf69010d0020", "81200000"), ("0a0a4000000337fbe6d7cb11", "81406800"),
    ])
  func `the record is made from the sequence header`(header: String, record: String) throws {
    let unit = hex(header)
    let made = try #require(try AV1Configuration(units: unit))
    #expect(made.bytes == hex(record) + unit)
    #expect(AV1Configuration.isRecord(made.bytes))
    // The sequence header follows a temporal delimiter and precedes a frame.
    let stream = [0x12, 0] + unit + hex("3202cdea")
    #expect(try AV1Configuration(units: stream)?.bytes == made.bytes)
    for length in 1..<9 {
      #expect(throws: MediaError.self) {
        try AV1Configuration(units: unit.prefix(length))
      }
    }
    #expect(
      mutate(unit) { (bytes) throws(MediaError) in _ = try AV1Configuration(units: bytes) } >= 0)
  }

  @Test func `a unit without a size gets one`() throws {
    let told = hex("0a0b0000002d4c37b3dfff9804")
    let made = try #require(try AV1Configuration(units: [0x08] + told.dropFirst(2)))
    #expect(made.sequenceHeader == told)
  }

  @Test func `without a sequence header there is no record`() throws {
    #expect(try AV1Configuration(units: [0x12, 0] as [UInt8]) == nil)
    #expect(try AV1Configuration(units: [] as [UInt8]) == nil)
  }
}
