import RespoolPlugin

/// The header in front of each frame, without a checksum (ISO/IEC 14496-3 1.A.3.2.1).
struct ADTSFrameHeader {
  private static let byteCount = 7
  /// Greatest frame with its header: the length has 13 bits.
  private static let mostBytes = 8191
  private static let sampleRates = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]

  private let profile: UInt8
  private let rateIndex: UInt8
  private let channels: UInt8

  /// Creates the header of frames with a configuration; throws `unsupported` if it cannot state it.
  ///
  /// Spectral band replication and parametric stereo are found by decoders in the frames (1.6.5, implicit signaling).
  init(_ configuration: AudioSpecificConfiguration) throws(MediaError) {
    guard (1...4).contains(configuration.objectType) else {
      throw MediaError(
        .unsupported,
        "AAC of the object type \(configuration.objectType); adts carries 1 to 4 (main, LC, SSR, LTP)"
      )
    }
    guard !configuration.hasShortFrames else {
      throw MediaError(.unsupported, "frames of 960 samples; adts carries frames of 1024")
    }
    guard let index = Self.sampleRates.firstIndex(of: configuration.sampleRate) else {
      throw MediaError(
        .unsupported, "a sample rate of \(configuration.sampleRate) Hz, which adts cannot state")
    }
    guard (1...7).contains(configuration.channelConfiguration) else {
      throw MediaError(
        .unsupported, "channels that are not one of the seven usual layouts, which adts states")
    }
    profile = configuration.objectType - 1
    rateIndex = UInt8(index)
    channels = configuration.channelConfiguration
  }

  /// Returns the header of a frame of `frameSize` bytes.
  ///
  /// Throws `unsupported` if that is too large.
  func bytes(frameSize: Int) throws(MediaError) -> [UInt8] {
    let length = frameSize + Self.byteCount
    guard length <= Self.mostBytes else {
      throw MediaError(
        .unsupported,
        "a frame of \(frameSize) bytes; adts takes \(Self.mostBytes - Self.byteCount) at most")
    }
    return [
      0xFF, 0xF1, profile << 6 | rateIndex << 2 | channels >> 2,
      (channels & 3) << 6 | UInt8(length >> 11), UInt8(length >> 3 & 0xFF),
      // A buffer fullness of 0x7FF: the bit rate varies.
      UInt8(length & 7) << 5 | 0x1F, 0xFC,
    ]
  }
}
