/// The header of a frame of MPEG audio (ISO/IEC 11172-3 2.4.1.3, ISO/IEC 13818-3 2.4.2.3).
public struct MPEGAudioHeader: Hashable, Sendable {
  /// Version of the standard, which states the sample rates.
  public enum Version: UInt8, Hashable, Sendable {
    /// An extension of MPEG-2 by Fraunhofer: a quarter of the sample rates of MPEG-1.
    case mpeg25 = 0
    case mpeg2 = 2
    case mpeg1 = 3
  }

  public var version: Version
  /// Layer, from 1 to 3.
  public var layer: Int
  /// `true` if a CRC-16 follows the header.
  public var hasChecksum: Bool
  /// Bits per second.
  public var bitRate: Int
  /// Audio samples per second.
  public var sampleRate: Int
  /// `true` if the frame is one slot longer: 4 bytes in layer I, 1 byte in the others.
  public var isPadded: Bool
  /// Channel mode: 0 stereo, 1 joint stereo, 2 two channels, 3 mono.
  public var channelMode: UInt8

  /// Number of bytes of the header.
  public static let byteCount = 4

  /// Reads the header at the start of `bytes`.
  ///
  /// `nil` for anything else, and for free format, which does not state a bit rate.
  public init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(Self.byteCount))
    guard head.count == Self.byteCount, head[0] == 0xFF, head[1] & 0xE0 == 0xE0,
      let version = Version(rawValue: head[1] >> 3 & 3)
    else { return nil }
    let (rateCode, bitRateCode) = (Int(head[2] >> 2 & 3), Int(head[2] >> 4))
    layer = 4 - Int(head[1] >> 1 & 3)
    guard layer != 4, rateCode != 3, (1...14).contains(bitRateCode) else { return nil }
    self.version = version
    hasChecksum = head[1] & 1 == 0
    sampleRate = Self.sampleRates(version)[rateCode]
    bitRate = Self.bitRates(version, layer: layer)[bitRateCode - 1] * 1000
    isPadded = head[2] & 2 != 0
    channelMode = head[3] >> 6
  }

  /// Number of channels, 1 or 2.
  public var channelCount: Int { channelMode == 3 ? 1 : 2 }

  /// Number of audio samples of each channel in the frame.
  public var sampleCount: Int { layer == 1 ? 384 : layer == 3 && version != .mpeg1 ? 576 : 1152 }

  /// Size of the frame in bytes, including the header.
  public var frameLength: Int {
    layer == 1
      ? (12 * bitRate / sampleRate + (isPadded ? 1 : 0)) * 4
      : sampleCount / 8 * bitRate / sampleRate + (isPadded ? 1 : 0)
  }

  /// Size in bytes of the side information of layer III, which follows the header and its checksum.
  public var sideInformationSize: Int {
    version == .mpeg1 ? (channelCount == 1 ? 17 : 32) : (channelCount == 1 ? 9 : 17)
  }

  /// Returns a frame of layer III with the bit rate of another one and without audio data, which decodes to silence.
  ///
  /// Empty if `frame` does not begin with a header.
  public static func silence(like frame: some Collection<UInt8>) -> [UInt8] {
    let head = Array(frame.prefix(byteCount))
    guard MPEGAudioHeader(head) != nil else { return [] }
    // Without checksum, padding and joint stereo.
    let bytes = [head[0], head[1] | 1, head[2] & 0xFD, head[3] & 0xCF]
    let size = MPEGAudioHeader(bytes)?.frameLength ?? 0
    return bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
  }

  /// Returns `true` if a frame of layer III has facts about a file in place of audio: the tag of Xing, also named Info, or that
  /// of Fraunhofer, VBRI (Mp3 Info Tag revision 1, gabriel.mp3-tech.org/mp3infotag.html).
  public static func isInfoFrame(_ frame: some Collection<UInt8>) -> Bool {
    guard let header = MPEGAudioHeader(frame), header.layer == 3 else { return false }
    func has(_ names: [String], at offset: Int) -> Bool {
      let found = Array(frame.dropFirst(offset).prefix(4))
      return names.contains { Array($0.utf8) == found }
    }
    // The tag is where the audio data would begin; LAME counts no checksum.
    let side = byteCount + header.sideInformationSize
    return has(["Xing", "Info"], at: side)
      || header.hasChecksum && has(["Xing", "Info"], at: side + 2)
      || has(["VBRI"], at: byteCount + 32)
  }

  /// Returns the sample rates of a version in the order of their codes.
  public static func sampleRates(_ version: Version) -> [Int] {
    let shift = version == .mpeg1 ? 0 : version == .mpeg2 ? 1 : 2
    return [44_100, 48_000, 32_000].map { $0 >> shift }
  }

  /// Returns the bit rates of a version and a layer in kilobits per second, in the order of their codes from 1 on.
  public static func bitRates(_ version: Version, layer: Int) -> [Int] {
    switch (version, layer) {
    case (.mpeg1, 1): [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
    case (.mpeg1, 2): [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    case (.mpeg1, _): [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    case (_, 1): [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
    default: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    }
  }
}
