import RespoolPlugin

/// The coding of samples in the common chunk.
///
/// Audio Interchange File Format 1.3 has big-endian integers. AIFF-C (draft of 1991-08-26) adds a code for the
/// compression and its name.
struct SampleCoding {
  /// Codecs in the order in which they are preferred.
  static let codecs = [
    "pcm_s16be", "pcm_s24be", "pcm_s32be", "pcm_f32be", "pcm_f64be", "pcm_s8", "pcm_alaw",
    "pcm_mulaw",
  ]

  /// Bits of a sample as the chunk states them.
  ///
  /// G.711 has 16, those of the decoded samples.
  var bits: Int
  /// Bytes of a coded sample of one channel.
  var bytes: Int
  /// The code and name of the compression; `nil` for integers.
  var compression: (code: String, name: String)?
  var silence: UInt8 = 0

  init?(_ codec: String) {
    switch codec {
    case "pcm_s8": (bits, bytes) = (8, 1)
    case "pcm_s16be": (bits, bytes) = (16, 2)
    case "pcm_s24be": (bits, bytes) = (24, 3)
    case "pcm_s32be": (bits, bytes) = (32, 4)
    case "pcm_f32be": (bits, bytes, compression) = (32, 4, ("fl32", "32-bit floating point"))
    case "pcm_f64be": (bits, bytes, compression) = (64, 8, ("fl64", "64-bit floating point"))
    case "pcm_alaw": (bits, bytes, compression, silence) = (16, 1, ("alaw", "ALaw 2:1"), 0xD5)
    case "pcm_mulaw": (bits, bytes, compression, silence) = (16, 1, ("ulaw", "µLaw 2:1"), 0xFF)
    default: return nil
    }
  }
}
