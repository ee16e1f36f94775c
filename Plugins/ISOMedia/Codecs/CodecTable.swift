import RespoolPlugin

/// Codecs, by FFmpeg's names, for the numbers and codes of MP4 that other containers do not share.
enum CodecTable {
  /// Returns the codec of a video sample entry.
  ///
  /// FFmpeg writes the codes of AVI for codecs that QuickTime does not have.
  static func video(_ format: FourCC) -> String? {
    SampleEntryCodecs.video[format] ?? (format.rawValue >> 24 > 0 ? RIFFCodecs.video(format) : nil)
  }

  /// Returns the codec of an audio sample entry, except for PCM.
  static func audio(_ format: FourCC) -> String? {
    SampleEntryCodecs.audio[format]
      ?? waveTag(format).flatMap { $0 == 1 || $0 == 3 ? nil : RIFFCodecs.audio($0, bits: 0) }
  }

  /// Returns the tag of a WAVEFORMATEX (RFC 2361) in a code of QuickTime, which begins with `ms`.
  static func waveTag(_ format: FourCC) -> UInt16? {
    format.rawValue >> 16 == 0x6D73 ? UInt16(truncatingIfNeeded: format.rawValue) : nil
  }

  static let subtitle: [FourCC: String] = [
    "tx3g": "mov_text", "text": "mov_text", "wvtt": "webvtt", "stpp": "ttml", "dfxp": "ttml",
    "c608": "eia_608", "c708": "eia_608", "mp4s": "dvd_subtitle",
  ]

  /// Audio object types of MPEG-4 audio other than AAC (ISO/IEC 14496-3 table 1.17).
  static let audioObjectTypes: [UInt8: String] = [
    32: "mp3on4", 33: "mp3on4", 34: "mp3on4", 36: "mp4als",
  ]

  /// `objectTypeIndication` of an MPEG-4 decoder configuration (ISO/IEC 14496-1 table 5).
  static let objectTypes: [UInt8: String] = [
    0x01: "mov_text", 0x20: "mpeg4", 0x21: "h264", 0x23: "hevc", 0x40: "aac",
    0x60: "mpeg2video", 0x61: "mpeg2video", 0x62: "mpeg2video", 0x63: "mpeg2video",
    0x64: "mpeg2video", 0x65: "mpeg2video", 0x66: "aac", 0x67: "aac", 0x68: "aac", 0x69: "mp3",
    0x6A: "mpeg1video", 0x6B: "mp3", 0x6C: "mjpeg", 0x6D: "png", 0x6E: "jpeg2000", 0xA3: "vc1",
    0xA4: "dirac", 0xA5: "ac3", 0xA6: "eac3", 0xA9: "dts", 0xAA: "dts", 0xAB: "dts", 0xAD: "opus",
    0xB1: "vp9", 0xC1: "flac", 0xDD: "vorbis", 0xDE: "qcelp", 0xE0: "dvd_subtitle", 0xE1: "qcelp",
  ]
}

/// The sample format of a linear PCM track.
struct LinearPCM: Hashable {
  var bits: Int
  var isFloat = false
  var isSigned = true
  var isBigEndian: Bool

  /// FFmpeg's name of the codec.
  ///
  /// `nil` if FFmpeg has no such codec.
  var codec: String? {
    let order = isBigEndian ? "be" : "le"
    switch (isFloat, bits) {
    case (true, 32), (true, 64): return "pcm_f\(bits)\(order)"
    case (false, 8): return isSigned ? "pcm_s8" : "pcm_u8"
    case (false, 16), (false, 24), (false, 32): return "pcm_\(isSigned ? "s" : "u")\(bits)\(order)"
    default: return nil
    }
  }

  /// Creates the PCM format with FFmpeg's codec name.
  ///
  /// `nil` if the name is not a known PCM format.
  init?(codec: String) {
    guard codec.hasPrefix("pcm_") else { return nil }
    let text = codec.dropFirst(4)
    switch text.first {
    case "s": break
    case "u": isSigned = false
    case "f": isFloat = true
    default: return nil
    }
    guard let bits = Int(text.dropFirst().prefix { $0.isNumber }) else { return nil }
    self.bits = bits
    isBigEndian = text.hasSuffix("be")
    guard self.codec == codec else { return nil }
  }

  init(bits: Int, isFloat: Bool = false, isSigned: Bool = true, isBigEndian: Bool) {
    self.bits = bits
    self.isFloat = isFloat
    self.isSigned = isSigned
    self.isBigEndian = isBigEndian
  }

  /// The interleaved sample format of the decoder's output.
  var sampleFormat: SampleFormat {
    if isFloat { return bits == 64 ? .dbl : .flt }
    return bits <= 8 ? .u8 : bits <= 16 ? .s16 : .s32
  }
}
