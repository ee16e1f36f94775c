import RespoolMedia
import Testing

@Suite struct HEVCConfigurationTests {
  @Test func `a record is made from the byte stream and round-trips`() throws {
    let made = try #require(try HEVCConfiguration(byteStream: CodecSamples.hevcParameterSets))
    #expect(made.profileTierLevel == hex("04080000 009e0800 0000001e"))
    #expect(made.chromaFormat == 3)
    #expect(made.lumaBitDepth == 8)
    #expect(made.temporalLayers == 1)
    #expect(made.isTemporalIDNested)
    #expect(made.arrays.map(\.type) == [32, 33, 34])
    let bytes = made.bytes
    // FFmpeg wrote these bytes for the same stream, except for the number of arrays (it keeps an SEI).
    #expect(bytes.prefix(22) == hex("01040800 00009e08 00000000 1ef000fc fff8f800 000f")[...])
    #expect(try HEVCConfiguration(bytes) == made)
    expectTruncationsThrow(bytes) { (part) throws(MediaError) in _ = try HEVCConfiguration(part) }
    let thrown = mutate(bytes) { (part) throws(MediaError) in _ = try HEVCConfiguration(part).bytes
    }
    #expect(thrown > 0)
  }

  @Test func `sequence parameters give the size inside the window`() throws {
    let record = try #require(try HEVCConfiguration(byteStream: CodecSamples.hevcParameterSets))
    let unit = try #require(record.arrays[1].units.first)
    let parameters = try HEVCSequenceParameters(nalUnit: unit)
    #expect(parameters.width == 162)
    #expect(parameters.height == 90)
    let thrown = mutate(unit) { (bytes) throws(MediaError) in
      _ = try HEVCSequenceParameters(nalUnit: bytes)
    }
    #expect(thrown > 0)
  }

  @Test func `a stream without all parameter sets gives no record`() throws {
    #expect(try HEVCConfiguration(byteStream: CodecSamples.hevcParameterSets.prefix(60)) == nil)
  }
}
