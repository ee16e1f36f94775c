import RespoolMedia
import Testing

@Suite struct PCMFactsTests {
  @Test(arguments: [
    ("pcm_s24le", SampleFormat.s32, 24, 6), ("pcm_f64be", .dbl, 64, 16), ("pcm_alaw", .s16, 8, 2),
    ("pcm_u8", .u8, 8, 2), ("flac", .none, 0, 0), ("pcm_dvd", .none, 0, 0),
  ])
  func `the name of a PCM codec states what a demuxer leaves open`(
    codec: String, format: SampleFormat, bits: Int, bytes: Int
  ) {
    var track = TrackDescription(kind: .audio, codec: codec, timeBase: Rational(1, 48_000))
    track.channelLayout = .stereo
    track.takeFactsOfPCM()
    #expect(track.sampleFormat == format)
    #expect(track.bitsPerSample == bits)
    #expect(track.blockAlign == bytes)
  }

  @Test func `stated bits are kept if the coded sample holds them`() {
    var track = TrackDescription(kind: .audio, codec: "pcm_s24le", timeBase: Rational(1, 48_000))
    (track.bitsPerSample, track.sampleFormat) = (20, .u8)
    track.takeFactsOfPCM()
    #expect(track.bitsPerSample == 20)
    #expect(track.sampleFormat == .s32)
    track.bitsPerSample = 32
    track.takeFactsOfPCM()
    #expect(track.bitsPerSample == 24)
  }
}
