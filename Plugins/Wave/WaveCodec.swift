import RespoolPlugin

/// A codec of wave files, with the number of samples in its bytes.
///
/// Codecs whose packets require a parser (MP3, AC-3, AAC, DTS) are not included.
struct WaveCodec {
  /// The number of samples of each channel in a block.
  enum Blocks {
    /// One sample.
    case samples
    /// Four bits per sample.
    ///
    /// Every block starts with `header` bytes per channel that hold `first` samples.
    case nibbles(header: Int, first: Int)
    case fixed(Int)
  }

  var name: String
  var sampleFormat: SampleFormat
  var blocks: Blocks
  /// Bits of a coded sample, if defined.
  var bits: Int

  var isBlockCoded: Bool {
    if case .samples = blocks { false } else { true }
  }

  /// Creates the codec of a format tag (RFC 2361).
  ///
  /// `bytes` is the size of one sample of one channel.
  init?(tag: UInt16, bytes: Int) {
    let known: (String, SampleFormat, Blocks, Int)
    switch (tag, bytes) {
    case (1, 1): known = ("pcm_u8", .u8, .samples, 8)
    case (1, 2): known = ("pcm_s16le", .s16, .samples, 16)
    case (1, 3): known = ("pcm_s24le", .s32, .samples, 24)
    case (1, 4): known = ("pcm_s32le", .s32, .samples, 32)
    case (3, 4): known = ("pcm_f32le", .flt, .samples, 32)
    case (3, 8): known = ("pcm_f64le", .dbl, .samples, 64)
    case (6, 1): known = ("pcm_alaw", .s16, .samples, 8)
    case (7, 1): known = ("pcm_mulaw", .s16, .samples, 8)
    case (0x02, _): known = ("adpcm_ms", .s16, .nibbles(header: 7, first: 2), 4)
    case (0x11, _): known = ("adpcm_ima_wav", .s16p, .nibbles(header: 4, first: 1), 4)
    case (0x31, _): known = ("gsm_ms", .s16, .fixed(320), 0)
    default: return nil
    }
    (name, sampleFormat, blocks, bits) = known
  }

  /// Returns the samples of each channel in `count` bytes.
  ///
  /// A truncated block counts with its remaining samples.
  func samples(in count: Int64, blockAlign: Int, channels: Int) -> Int64 {
    let (whole, rest) = count.quotientAndRemainder(dividingBy: Int64(max(1, blockAlign)))
    return whole * samples(inBlock: blockAlign, channels: channels)
      + (rest > 0 && isBlockCoded ? samples(inBlock: Int(rest), channels: channels) : 0)
  }

  private func samples(inBlock count: Int, channels: Int) -> Int64 {
    switch blocks {
    case .samples: return 1
    case .fixed(let samples): return count >= 65 ? Int64(samples) : 0
    case .nibbles(let header, let first):
      guard count >= header * channels else { return 0 }
      let coded = count - header * channels
      // IMA codes groups of eight samples for each channel in turn; Microsoft's nibbles alternate.
      let samples = first == 1 ? coded / (4 * channels) * 8 : coded * 2 / channels
      return Int64(first + samples)
    }
  }
}
