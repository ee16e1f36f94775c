import RespoolMedia
import Testing

@Suite struct MPEGAudioHeaderTests {
  @Test(arguments: [
    // MPEG-1 layer III, 128 kbit/s, 44.1 kHz, joint stereo.
    ([0xFF, 0xFB, 0x90, 0x64], 44100, 128_000, 417, 1152, 32),
    ([0xFF, 0xFB, 0x92, 0x64], 44100, 128_000, 418, 1152, 32),
    // MPEG-2 layer III with a checksum, 64 kbit/s, 24 kHz, mono.
    ([0xFF, 0xF2, 0x84, 0xC0], 24000, 64_000, 192, 576, 9),
    // MPEG-2.5 layer III, 8 kbit/s, 8 kHz, mono.
    ([0xFF, 0xE3, 0x18, 0xC0], 8000, 8_000, 72, 576, 9),
    // Layers I and II of MPEG-1, 32 kHz.
    ([0xFF, 0xFF, 0x18, 0x00], 32000, 32_000, 48, 384, 32),
    ([0xFF, 0xFD, 0x18, 0x00], 32000, 32_000, 144, 1152, 32),
  ])
  func `headers state rates and length`(
    bytes: [Int], sampleRate: Int, bitRate: Int, length: Int, samples: Int, side: Int
  ) throws {
    let header = try #require(MPEGAudioHeader(bytes.map { UInt8($0) }))
    #expect(header.sampleRate == sampleRate && header.bitRate == bitRate)
    #expect(header.frameLength == length && header.sampleCount == samples)
    #expect(header.sideInformationSize == side)
    for count in 0..<4 { #expect(MPEGAudioHeader(bytes.prefix(count).map { UInt8($0) }) == nil) }
  }

  @Test(arguments: [
    [0xFE, 0xFB, 0x90, 0x64], [0xFF, 0xEB, 0x90, 0x64], [0xFF, 0xF1, 0x90, 0x64],
    [0xFF, 0xFB, 0x00, 0x64], [0xFF, 0xFB, 0xF0, 0x64], [0xFF, 0xFB, 0x9C, 0x64],
  ])
  func `reserved values and free format are no header`(bytes: [UInt8]) {
    #expect(MPEGAudioHeader(bytes) == nil)
  }
}
