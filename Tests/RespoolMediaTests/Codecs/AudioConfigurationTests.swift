import RespoolMedia
import Testing

@Suite struct AudioSpecificConfigurationTests {
  @Test(arguments: [(44100, 2, "1210"), (48000, 6, "11b0"), (8000, 1, "1588")])
  func `plain configurations round-trip`(rate: Int, channels: UInt8, text: String) throws {
    let bytes = hex(text)
    let value = try AudioSpecificConfiguration(bytes)
    #expect(value == AudioSpecificConfiguration(sampleRate: rate, channelConfiguration: channels))
    #expect(value.bytes == bytes)
    expectTruncationsThrow(bytes) { (part) throws(MediaError) in
      _ = try AudioSpecificConfiguration(part)
    }
  }

  @Test func `sample rates outside of the table are written in full`() throws {
    let value = AudioSpecificConfiguration(sampleRate: 12345, channelConfiguration: 1)
    #expect(value.bytes.count == 5)
    #expect(try AudioSpecificConfiguration(value.bytes) == value)
  }

  @Test func `band replication is found in both kinds of signaling`() throws {
    // Hierarchical: object type 5, 24 kHz, stereo, 48 kHz, object type 2.
    let hierarchical = try AudioSpecificConfiguration(hex("2b118800"))
    #expect(hierarchical.objectType == 2)
    #expect(hierarchical.sampleRate == 24000)
    #expect(hierarchical.outputSampleRate == 48000)
    #expect(hierarchical.hasSpectralBandReplication == true)
    // Backward compatible: AAC LC, 22.05 kHz, mono, 0x2B7, object type 5, 44.1 kHz, 0x548, PS.
    let compatible = try AudioSpecificConfiguration(hex("138856e5a54880"))
    #expect(compatible.objectType == 2)
    #expect(compatible.outputSampleRate == 44100)
    #expect(compatible.hasParametricStereo == true)
    #expect(compatible.channelCount == 1)
  }
}

@Suite struct OpusConfigurationTests {
  static let surround = OpusConfiguration(
    channelCount: 6, preSkip: 312, inputSampleRate: 44100, mappingFamily: 1,
    mapping: .init(streamCount: 4, coupledCount: 2, table: [0, 4, 1, 2, 3, 5]))

  @Test(arguments: [OpusConfiguration(channelCount: 2, preSkip: 3840), surround])
  func `both forms round-trip`(value: OpusConfiguration) throws {
    #expect(try OpusConfiguration(head: value.head) == value)
    #expect(try OpusConfiguration(boxBody: value.boxBody) == value)
    expectTruncationsThrow(value.head) { (part) throws(MediaError) in
      _ = try OpusConfiguration(head: part)
    }
    expectTruncationsThrow(value.boxBody) { (part) throws(MediaError) in
      _ = try OpusConfiguration(boxBody: part)
    }
  }

  @Test func `bytes are those of the standards`() {
    let value = OpusConfiguration(channelCount: 2, preSkip: 312)
    #expect(value.head == hex("4f70757348656164 01 02 3801 80bb0000 0000 00"))
    #expect(value.boxBody == hex("00 02 0138 0000bb80 0000 00"))
  }

  @Test func `impossible streams are rejected`() {
    var value = Self.surround
    value.mapping?.coupledCount = 5
    #expect(throws: MediaError.self) { try OpusConfiguration(head: value.head) }
  }

  @Test(
    arguments: [
      ([0x00], 480), ([0x18], 2880), ([0x68], 960), ([0x80], 120), ([0x98], 960), ([0x99], 1920),
      ([0x9B, 0x06], 5760),
    ] as [([UInt8], Int)])
  func `packets state their duration`(packet: [UInt8], samples: Int) {
    #expect(OpusPacket.duration(of: packet) == samples)
  }

  @Test(arguments: [[], [0x9B], [0x9B, 0x00], [0x9B, 0x07]] as [[UInt8]])
  func `impossible packets have no duration`(packet: [UInt8]) {
    #expect(OpusPacket.duration(of: packet) == nil)
  }
}

@Suite struct XiphLacingTests {
  @Test func `packets of all sizes round-trip`() throws {
    for sizes in [[0], [30, 45, 3000], [255, 510, 0], [254, 256, 1]] {
      let packets = sizes.map { [UInt8](repeating: 7, count: $0) }
      let laced = try #require(XiphLacing.join(packets))
      #expect(try XiphLacing.split(laced) == packets)
    }
    #expect(XiphLacing.join([]) == nil)
  }

  @Test func `sizes beyond the bytes throw`() {
    let laced = XiphLacing.join([[1, 2, 3], [4, 5], [6]]) ?? []
    expectTruncationsThrow(laced, below: 8) { (part) throws(MediaError) in
      _ = try XiphLacing.split(part)
    }
  }
}

@Suite struct StreamInfoTests {
  static let bytes = hex(
    "1000 1000 00000e 00299c 0ac442f0 000a8c00 000102030405060708090a0b0c0d0e0f")

  @Test func `stream info round-trips`() throws {
    let value = try FLACStreamInfo(Self.bytes)
    #expect(value.sampleRate == 44100)
    #expect(value.channelCount == 2)
    #expect(value.bitsPerSample == 16)
    #expect(value.sampleCount == 691200)
    #expect(value.bytes == Self.bytes)
    #expect(try FLACStreamInfo(Array("fLaC".utf8) + [0x80, 0, 0, 34] + Self.bytes) == value)
    expectTruncationsThrow(Self.bytes) { (part) throws(MediaError) in _ = try FLACStreamInfo(part) }
  }
}

@Suite struct VPCodecConfigurationTests {
  @Test func `both forms round-trip`() throws {
    var value = VPCodecConfiguration(profile: 2, level: 31, bitDepth: 10, chromaSubsampling: 1)
    #expect(value.webM == [1, 1, 2, 2, 1, 31, 3, 1, 10, 4, 1, 1])
    #expect(try VPCodecConfiguration(webM: value.webM) == value)
    for length in [1, 2, 4, 5, 7, 8, 10, 11] {
      #expect(throws: MediaError.self) {
        try VPCodecConfiguration(webM: value.webM.prefix(length))
      }
    }
    value.isFullRange = true
    value.colorPrimaries = 9
    #expect(value.boxBody == [2, 31, 0xA3, 9, 2, 2, 0, 0])
    #expect(try VPCodecConfiguration(boxBody: value.boxBody) == value)
    expectTruncationsThrow(value.boxBody) { (part) throws(MediaError) in
      _ = try VPCodecConfiguration(boxBody: part)
    }
  }
}
