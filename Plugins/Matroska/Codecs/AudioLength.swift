import RespoolPlugin

/// The number of audio samples that a packet decodes to, computed without decoding.
enum AudioLength {
  case unknown
  /// Every packet has this number of samples.
  case fixed(Int)
  /// PCM, with the number of bytes of one audio sample of all channels.
  case bytes(Int)
  case opus
  case flac
  case dts
  case dolby
  case wavPack
  /// Blocks with a constant number of bytes and of audio samples.
  case blocks(bytes: Int, samples: Int)
  case vorbis(VorbisModes)

  init(_ track: TrackDescription) {
    switch track.codec {
    case "opus": self = .opus
    case "flac": self = .flac
    case "dts": self = .dts
    case "eac3": self = .dolby
    case "wavpack": self = .wavPack
    case "adpcm_ms", "adpcm_ima_wav", "adpcm_ima_qt", "gsm_ms":
      self =
        track.blockAlign > 0 && track.frameSize > 0
        ? .blocks(bytes: track.blockAlign, samples: track.frameSize) : .unknown
    case "vorbis": self = VorbisModes(track.extradata).map { .vorbis($0) } ?? .unknown
    case let codec where codec.hasPrefix("pcm_"):
      let size = track.bitsPerSample / 8 * track.channelLayout.channelCount
      self = size > 0 ? .bytes(size) : .unknown
    default: self = track.frameSize > 0 ? .fixed(track.frameSize) : .unknown
    }
  }

  /// Number of bytes from the start of a packet that `samples` needs.
  static let headSize = 32

  /// Returns the number of samples.
  ///
  /// 0 if unknown.
  ///
  /// `head` is the start of a packet of `size` bytes.
  mutating func samples(_ head: ArraySlice<UInt8>, size: Int) -> Int {
    switch self {
    case .unknown: return 0
    case .fixed(let count): return count
    case .bytes(let count): return size / count
    case .blocks(let bytes, let samples):
      return (size / bytes).multipliedReportingOverflow(by: samples).partialValue
    case .wavPack: return WavPackHeader(head)?.sampleCount ?? 0
    case .opus: return OpusPacket.duration(of: head) ?? 0
    case .flac: return Self.flac(head)
    case .dts: return DTSFrameHeader(head)?.sampleCount ?? 0
    case .dolby:
      return head.withUnsafeBytes { AC3Configuration($0) }.map { $0.blockCount * 256 } ?? 0
    case .vorbis(var modes):
      let count = modes.length(of: head)
      self = .vorbis(modes)
      return count
    }
  }

  mutating func reset() {
    guard case .vorbis(var modes) = self else { return }
    modes.reset()
    self = .vorbis(modes)
  }

  /// Reads the block size of a FLAC frame (RFC 9639 9.1.1).
  private static func flac(_ head: ArraySlice<UInt8>) -> Int {
    var reader = ByteReader(head)
    guard (try? reader.take(2))?.first == 0xFF, let packed = try? reader.u8(),
      (try? reader.skip(1)) != nil
    else { return 0 }
    switch packed >> 4 {
    case 1: return 192
    case 2...5: return 144 << Int(packed >> 4)
    case 8...15: return 1 << Int(packed >> 4)
    case 6, 7:
      // The block size follows the number of the frame, which is in UTF-8 coding.
      guard let first = try? reader.u8() else { return 0 }
      let more = max(0, (~first).leadingZeroBitCount - 1)
      guard (try? reader.skip(more)) != nil else { return 0 }
      if packed >> 4 == 6 { return (try? reader.u8()).map { Int($0) + 1 } ?? 0 }
      return (try? reader.big(UInt16.self)).map { Int($0) + 1 } ?? 0
    default: return 0
    }
  }
}
