import RespoolPlugin

/// The header of an audio frame in a raw stream.
struct AudioFrameHeader {
  /// Size of the frame in bytes, including the header.
  var length: Int
  /// Version, layer and sample rate as one number.
  ///
  /// All frames of a stream share it.
  var kind: Int

  /// Maximum number of header bytes that are read.
  static let size = 8

  typealias Reader = (ArraySlice<UInt8>) -> AudioFrameHeader?

  /// Returns the header parser for FFmpeg's format name.
  ///
  /// `nil` if the format's frames do not state their lengths.
  static func reader(format: String) -> Reader? {
    switch format {
    case "mp3": { AudioFrameHeader(mpegAudio: $0) }
    case "aac": { AudioFrameHeader(adts: $0) }
    case "ac3", "eac3": { AudioFrameHeader(ac3: $0) }
    case "dts": { AudioFrameHeader(dts: $0) }
    default: nil
    }
  }

  /// Parses an MPEG audio header.
  ///
  /// `nil` for free format, which does not state its length.
  init?(mpegAudio header: ArraySlice<UInt8>) {
    guard let header = MPEGAudioHeader(header) else { return nil }
    length = header.frameLength
    kind = Int(header.version.rawValue) << 24 | header.layer << 20 | header.sampleRate
  }

  /// Parses an ADTS header (ISO/IEC 14496-3 1.A.3.2).
  init?(adts header: ArraySlice<UInt8>) {
    let bytes = Array(header)
    guard bytes.count >= 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
    length = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5]) >> 5
    guard length > 7 else { return nil }
    kind = Int(bytes[1] & 0xF8) << 8 | Int(bytes[2] & 0xFC)
  }

  /// Parses a header of AC-3 or Enhanced AC-3 (ETSI TS 102 366 4.3.1, 4.4.1 and E.1.2.1).
  init?(ac3 header: ArraySlice<UInt8>) {
    let bytes = Array(header)
    guard bytes.count >= 6, bytes[0] == 0x0B, bytes[1] == 0x77 else { return nil }
    let isEnhanced = bytes[5] >> 3 > 10
    if isEnhanced {
      length = (Int(bytes[2] & 7) << 8 | Int(bytes[3])) * 2 + 2
    } else {
      let (rateCode, sizeCode) = (Int(bytes[4] >> 6), Int(bytes[4] & 0x3F))
      guard rateCode < 3, sizeCode < 38 else { return nil }
      let bitRate = Self.ac3BitRates[sizeCode / 2]
      switch rateCode {
      case 0: length = bitRate * 4
      case 1: length = (bitRate * 320 / 147 + sizeCode % 2) * 2
      default: length = bitRate * 6
      }
    }
    kind = isEnhanced ? 1 : 0
  }

  /// Parses the header of a core frame of DTS (ETSI TS 102 114 5.3.1).
  init?(dts header: ArraySlice<UInt8>) {
    let bytes = Array(header)
    guard bytes.count >= 8, bytes[..<4] == [0x7F, 0xFE, 0x80, 0x01] else { return nil }
    length = (Int(bytes[5] & 3) << 12 | Int(bytes[6]) << 4 | Int(bytes[7]) >> 4) + 1
    guard length >= 96 else { return nil }
    kind = 0
  }

  private static let ac3BitRates = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]
}
