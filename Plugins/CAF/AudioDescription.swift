import RespoolPlugin

/// The audio description chunk of a codec (Core Audio Format Specification 1.0, "Audio Description Chunk").
struct AudioDescription {
  /// Codecs in the order in which they are preferred.
  static let codecs = [
    "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_s8", "pcm_s16be",
    "pcm_s24be", "pcm_s32be", "pcm_f32be", "pcm_f64be", "pcm_alaw", "pcm_mulaw", "alac",
  ]

  /// Samples of each channel in a packet of ALAC, as Apple's encoder and FFmpeg's make them.
  private static let samplesOfALAC: UInt32 = 4096

  private enum Flags {
    static let isFloat: UInt32 = 1
    static let isLittleEndian: UInt32 = 2
  }

  /// The format ID.
  let format: String
  private let flags: UInt32
  /// Bytes of a sample of one channel; `nil` if packets differ in size.
  let bytesPerSample: Int?
  private let bits: UInt32
  let silence: UInt8
  private let track: TrackDescription

  init?(_ track: TrackDescription) {
    self.track = track
    switch track.codec {
    case "pcm_alaw": (format, flags, bytesPerSample, bits, silence) = ("alaw", 0, 1, 8, 0xD5)
    case "pcm_mulaw": (format, flags, bytesPerSample, bits, silence) = ("ulaw", 0, 1, 8, 0xFF)
    case "alac":
      guard let depth = Self.depth(ofALAC: track.extradata) else { return nil }
      (format, flags, bytesPerSample, bits, silence) = ("alac", depth, nil, 0, 0)
    default:
      guard Self.codecs.contains(track.codec), let size = Self.bits(ofPCM: track.codec) else {
        return nil
      }
      let flags =
        (track.codec.hasPrefix("pcm_f") ? Flags.isFloat : 0)
        | (track.codec.hasSuffix("le") ? Flags.isLittleEndian : 0)
      (format, self.flags, silence) = ("lpcm", flags, 0)
      (bytesPerSample, bits) = (size / 8, UInt32(size))
    }
  }

  private static func bits(ofPCM codec: String) -> Int? {
    Int(codec.drop { !$0.isNumber }.prefix(while: \.isNumber))
  }

  /// Returns the format flags of ALAC, which state the bits of a sample; `nil` if the configuration is not that of ALAC.
  private static func depth(ofALAC record: [UInt8]) -> UInt32? {
    guard let configuration = configuration(ofALAC: record) else { return nil }
    return switch configuration[5] {
    case 16: 1
    case 20: 2
    case 24: 3
    case 32: 4
    default: nil
    }
  }

  /// Returns the `ALACSpecificConfig` of 24 bytes; `nil` if there is none.
  ///
  /// MP4 has it in a box whose header, version and flags take 12 bytes.
  static func configuration(ofALAC record: [UInt8]) -> [UInt8]? {
    let isBox = record.count >= 36 && record[4..<8].elementsEqual("alac".utf8)
    let body = Array(record.dropFirst(isBox ? 12 : 0).prefix(24))
    return body.count == 24 ? body : nil
  }

  /// The body of the chunk.
  var bytes: [UInt8] {
    let channels = UInt32(clamping: track.channelLayout.channelCount)
    let perPacket = bytesPerSample.map { UInt32(clamping: $0) &* channels } ?? 0
    var body = Double(track.sampleRate).bitPattern.bigEndianBytes
    body += Array(format.utf8) + flags.bigEndianBytes
    body += perPacket.bigEndianBytes
    body += (bytesPerSample == nil ? Self.samplesOfALAC : 1).bigEndianBytes
    return body + channels.bigEndianBytes + bits.bigEndianBytes
  }

  /// The body of the chunk with the codec's configuration; empty if there is none.
  var cookie: [UInt8] {
    format == "alac" ? Self.configuration(ofALAC: track.extradata) ?? [] : []
  }
}
