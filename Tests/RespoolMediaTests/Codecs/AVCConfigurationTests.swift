import RespoolMedia
import Testing

@Suite struct AVCConfigurationTests {
  @Test func `a record is read and written unchanged`() throws {
    let record = try AVCConfiguration(CodecSamples.avcC)
    #expect(record.profile == 122)
    #expect(record.level == 11)
    #expect(record.lengthSize == 4)
    #expect(record.sequenceParameterSets.map(\.count) == [26])
    #expect(record.highProfile?.chromaFormat == 2)
    #expect(record.highProfile?.lumaBitDepth == 10)
    #expect(record.bytes == CodecSamples.avcC)
    // A record without its last four bytes is valid: older writers omit them.
    expectTruncationsThrow(CodecSamples.avcC, below: CodecSamples.avcC.count - 4) {
      (bytes) throws(MediaError) in _ = try AVCConfiguration(bytes)
    }
  }

  @Test func `a record is made from the byte stream`() throws {
    let record = try AVCConfiguration(CodecSamples.avcC)
    let slice: [UInt8] = [0, 0, 1, 0x65, 0x88, 0x80]
    let made = try AVCConfiguration(byteStream: record.byteStream + slice)
    #expect(made?.bytes == CodecSamples.avcC)
    #expect(try AVCConfiguration(byteStream: slice) == nil)
    #expect(try AVCConfiguration(byteStream: []) == nil)
  }

  @Test func `sequence parameters give the cropped size`() throws {
    let unit = try #require(AVCConfiguration(CodecSamples.avcC).sequenceParameterSets.first)
    let parameters = try AVCSequenceParameters(nalUnit: unit)
    #expect(parameters.width == 162)
    #expect(parameters.height == 90)
    #expect(parameters.isProgressive)
    // The fields after the cropping are not read.
    expectTruncationsThrow(unit, below: 9) { (bytes) throws(MediaError) in
      _ = try AVCSequenceParameters(nalUnit: bytes)
    }
    #expect(
      mutate(unit) { (bytes) throws(MediaError) in
        _ = try AVCSequenceParameters(nalUnit: bytes)
      } > 0)
  }

  @Test func `damaged records do not trap`() {
    let thrown = mutate(CodecSamples.avcC) { (bytes) throws(MediaError) in
      _ = try AVCConfiguration(bytes).bytes
    }
    #expect(thrown > 0)
  }
}

@Suite struct AnnexBTests {
  @Test func `units lose start codes and trailing zeros`() {
    let stream: [UInt8] = [
      0, 0, 0, 1, 0x67, 1, 0, 0, 0, 0, 1, 0x68, 2, 0, 0, 1, 0, 0, 1, 0x65, 3, 0,
    ]
    let prefixed = stream.withUnsafeBytes { AnnexB.lengthPrefixed($0) }
    #expect(prefixed == [0, 0, 0, 2, 0x67, 1, 0, 0, 0, 2, 0x68, 2, 0, 0, 0, 2, 0x65, 3])
    let fewer = stream.withUnsafeBytes { bytes in
      AnnexB.lengthPrefixed(bytes) { units in units.filter { bytes[$0.lowerBound] & 0x1F != 7 } }
    }
    #expect(fewer == [0, 0, 0, 2, 0x68, 2, 0, 0, 0, 2, 0x65, 3])
    #expect(AnnexB.isByteStream(stream))
    #expect(!AnnexB.isByteStream([0, 0, 0, 2, 1]))
    #expect(!AnnexB.isByteStream([]))
  }

  @Test(arguments: [[], [0], [0, 0], [0, 0, 1], [0, 0, 0, 1], [1, 2, 3, 4]] as [[UInt8]])
  func `bytes without units give no record`(bytes: [UInt8]) {
    #expect(bytes.withUnsafeBytes { AnnexB.units(in: $0) }.isEmpty)
  }

  @Test func `emulation prevention is removed`() {
    #expect(AnnexB.rawPayload([0, 0, 3, 1, 0, 0, 3]) == [0, 0, 1, 0, 0])
    #expect(AnnexB.rawPayload([0, 3, 0, 0, 3, 0, 0, 3]) == [0, 3, 0, 0, 0, 0])
  }
}
