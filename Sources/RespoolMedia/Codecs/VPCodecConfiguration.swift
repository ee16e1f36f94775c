/// The configuration of VP8 and VP9 in containers: the body of `vpcC` (VP Codec ISO Media File Format Binding
/// 1.0) and the CodecPrivate of WebM.
public struct VPCodecConfiguration: Hashable, Sendable {
  public var profile: UInt8
  /// Ten times the level, such as 31 for 3.1; 0 not stated.
  public var level: UInt8
  public var bitDepth: UInt8
  /// 0 4:2:0 vertical, 1 4:2:0 colocated with luma (0, 0), 2 4:2:2, 3 4:4:4.
  public var chromaSubsampling: UInt8
  public var isFullRange = false
  /// ITU-T H.273.
  public var colorPrimaries = H273.unspecified
  /// ITU-T H.273.
  public var transferCharacteristics = H273.unspecified
  /// ITU-T H.273.
  public var matrixCoefficients = H273.unspecified
  /// Always empty for VP8 and VP9.
  public var initializationData: [UInt8] = []

  public init(profile: UInt8, level: UInt8, bitDepth: UInt8, chromaSubsampling: UInt8) {
    self.profile = profile
    self.level = level
    self.bitDepth = bitDepth
    self.chromaSubsampling = chromaSubsampling
  }

  /// Parses the body of `vpcC`, after its version and flags.
  public init(boxBody bytes: some Collection<UInt8>) throws(MediaError) {
    var reader = ByteReader(Array(bytes))
    profile = try reader.u8()
    level = try reader.u8()
    let packed = try reader.u8()
    bitDepth = packed >> 4
    chromaSubsampling = packed >> 1 & 7
    isFullRange = packed & 1 != 0
    colorPrimaries = try reader.u8()
    transferCharacteristics = try reader.u8()
    matrixCoefficients = try reader.u8()
    let count = Int(try reader.big(UInt16.self))
    initializationData = Array(try reader.take(count))
  }

  /// The body of `vpcC`, after its version and flags.
  public var boxBody: [UInt8] {
    let data = initializationData.prefix(0xFFFF)
    let packed = bitDepth << 4 | (chromaSubsampling & 7) << 1 | (isFullRange ? 1 : 0)
    return [
      profile, level, packed, colorPrimaries, transferCharacteristics, matrixCoefficients,
      UInt8(data.count >> 8), UInt8(data.count & 0xFF),
    ] + data
  }

  /// Parses the CodecPrivate of WebM: features of an ID, a length and a value each.
  ///
  /// What it does not state stays 8 bits, 4:2:0; unknown features are skipped.
  public init(webM bytes: some Collection<UInt8>) throws(MediaError) {
    self.init(profile: 0, level: 0, bitDepth: 8, chromaSubsampling: 1)
    var reader = ByteReader(Array(bytes))
    while !reader.isAtEnd {
      let feature = try reader.u8()
      let length = Int(try reader.u8())
      var value = try reader.sub(length)
      guard (1...4).contains(feature) else { continue }
      guard length == 1 else {
        throw MediaError(
          .malformed, "feature \(feature) of VP9 has \(length) bytes; it must have 1",
          path: "CodecPrivate")
      }
      let byte = try value.u8()
      switch feature {
      case 1: profile = byte
      case 2: level = byte
      case 3: bitDepth = byte
      default: chromaSubsampling = byte
      }
    }
  }

  /// The CodecPrivate of WebM; a level that is not known is left out.
  public var webM: [UInt8] {
    [1, 1, profile] + (level > 0 ? [2, 1, level] : []) + [3, 1, bitDepth, 4, 1, chromaSubsampling]
  }
}
