/// The header in front of each AAC frame of an ADTS stream (ISO/IEC 13818-7 6.2).
public struct ADTSHeader: Hashable, Sendable {
  public var configuration: AudioSpecificConfiguration
  /// Number of bytes of the frame, including its header.
  public var frameLength: Int
  /// 7, or 9 with a checksum.
  public var byteCount: Int

  public init(_ bytes: some Collection<UInt8>) throws(MediaError) {
    var reader = BitReader(bytes)
    guard try reader.bits(12) == 0xFFF else {
      throw MediaError(.malformed, "the ADTS header does not start with its sync word")
    }
    try reader.skip(3)
    byteCount = try reader.bit() ? 7 : 9
    let type = UInt8(truncatingIfNeeded: try reader.bits(2)) + 1
    let index = Int(try reader.bits(4))
    guard index < AudioSpecificConfiguration.sampleRates.count else {
      throw MediaError(.malformed, "sample rate index \(index) is reserved")
    }
    try reader.skip(1)
    let channels = UInt8(truncatingIfNeeded: try reader.bits(3))
    configuration = AudioSpecificConfiguration(
      objectType: type, sampleRate: AudioSpecificConfiguration.sampleRates[index],
      channelConfiguration: channels)
    try reader.skip(4)
    frameLength = Int(try reader.bits(13))
    try reader.skip(13)
  }
}
