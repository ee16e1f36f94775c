import Testing

@testable import RespoolMedia

@Suite struct RIFFCodecsTests {
  @Test(
    arguments: [
      ("MJPG", "mjpeg"), ("mjpg", "mjpeg"), ("FMP4", "mpeg4"), ("dx50", "mpeg4"),
      ("MP43", "msmpeg4v3"), ("x264", "h264"), ("HEVC", "hevc"), ("H265", "hevc"), ("AV01", "av1"),
      ("VP90", "vp9"), ("WVC1", "vc1"), ("WMV3", "wmv3"), ("dvh1", "dvvideo"), ("dv50", "dvvideo"),
      ("UQRG", "utvideo"), ("CRAM", "msvideo1"), ("MPNG", "png"), ("FFV1", "ffv1"),
    ] as [(FourCC, String)])
  func `codes state codecs in upper and lower case`(code: FourCC, codec: String) {
    #expect(RIFFCodecs.video(code) == codec)
  }

  @Test func `numbers below four state uncompressed and run-length coded video`() {
    let codecs = (0..<4).map { RIFFCodecs.video(FourCC(rawValue: UInt32($0).byteSwapped)) }
    #expect(codecs == ["rawvideo", "msrle", "msrle", "rawvideo"])
    #expect(RIFFCodecs.video("ZZZZ") == nil)
  }

  @Test func `a codec has a code that states it`() {
    for codec in ["h264", "mpeg4", "huffyuv", "utvideo", "dvvideo", "wmv2", "png"] {
      #expect(RIFFCodecs.code(of: codec).flatMap { RIFFCodecs.video($0) } == codec)
    }
    for codec in ["pcm_s16le", "pcm_f32le", "pcm_mulaw", "wmav2", "adpcm_ms", "gsm_ms"] {
      let bits = codec.hasPrefix("pcm_s") ? 16 : 32
      #expect(RIFFCodecs.tag(of: codec).flatMap { RIFFCodecs.audio($0, bits: bits) } == codec)
    }
  }

  @Test func `a wave format is read as it was written`() throws {
    let format = WaveFormatHeader(
      tag: 2, channelCount: 2, sampleRate: 44100, bytesPerSecond: 44359, blockAlign: 1024,
      bitsPerSample: 4, extradata: [1, 2, 3])
    #expect(try WaveFormatHeader(ByteReader(format.bytes)) == format)
    for count in 0..<14 {
      #expect(throws: MediaError.self) {
        try WaveFormatHeader(ByteReader(Array(format.bytes.prefix(count))))
      }
    }
  }
}
