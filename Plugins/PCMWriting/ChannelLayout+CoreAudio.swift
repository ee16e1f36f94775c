package import RespoolPlugin

extension ChannelLayout {
  /// Core Audio's `AudioChannelLayout` with a bitmap, which has the bits of WAVE.
  ///
  /// Empty for mono and stereo, for unknown positions, and for those that the bitmap of 18 bits does not have.
  package var coreAudioBytes: [UInt8] {
    guard mask < 1 << 18, mask.nonzeroBitCount == channelCount,
      channelCount > 2 || mask != ChannelLayout.standard(channelCount).mask
    else { return [] }
    let usesBitmap: UInt32 = 1 << 16
    return usesBitmap.bigEndianBytes + UInt32(mask).bigEndianBytes + UInt32(0).bigEndianBytes
  }
}
