import RespoolPlugin

/// The header of a DTS core frame (ETSI TS 102 114 5.3.1) in big-endian words of 16 bits.
struct DTSFrameHeader {
  let sampleCount: Int
  /// Channel layout.
  ///
  /// `nil` for arrangements of more than five full-range channels.
  let channelLayout: ChannelLayout?

  /// Returns `nil` if the bytes do not begin with such a frame.
  init?(_ head: ArraySlice<UInt8>) {
    var bits = BitReader(head.prefix(16))
    do throws(MediaError) {
      guard try bits.bits(32) == 0x7FFE_8001 else { return nil }
      try bits.skip(7)
      sampleCount = Int(try bits.bits(7) + 1) * 32
      try bits.skip(14)
      let arrangement = Int(try bits.bits(6))
      // Sample rate and bit rate, then flags up to those of the low frequency channel.
      try bits.skip(4 + 5 + 1 + 1 + 1 + 1 + 1 + 3 + 1 + 1)
      let hasLowFrequency = try bits.bits(2) != 0
      let masks: [UInt64] = [0x4, 0x3, 0x3, 0x3, 0x3, 0x7, 0x103, 0x107, 0x603, 0x607]
      channelLayout =
        arrangement < masks.count
        ? ChannelLayout(mask: masks[arrangement] | (hasLowFrequency ? 0x8 : 0)) : nil
    } catch { return nil }
  }
}
