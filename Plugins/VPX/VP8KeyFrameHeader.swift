import RespoolPlugin

/// The start of a key frame of VP8 (RFC 6386 9.1).
struct VP8KeyFrameHeader {
  let width: Int
  let height: Int
  /// Size in bytes of the first partition, which has the prediction modes.
  let modeSize: Int

  /// `nil` for other frames.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 10, bytes[0] & 1 == 0, bytes[3...5].elementsEqual([0x9D, 1, 0x2A]) else {
      return nil
    }
    modeSize = Int(bytes[0]) >> 5 | Int(bytes[1]) << 3 | Int(bytes[2]) << 11
    width = (Int(bytes[6]) | Int(bytes[7]) << 8) & 0x3FFF
    height = (Int(bytes[8]) | Int(bytes[9]) << 8) & 0x3FFF
  }

  /// Smallest size in bytes of the prediction modes.
  ///
  /// The probabilities of key frames are fixed (RFC 6386 11.2): the cheapest modes of a macroblock, DC_PRED for luma and
  /// for chroma, take 2.6 and 0.8 bits. Rounding in the arithmetic coder saves less than the rest above 3 bits.
  var leastModeSize: Int { (width + 15) / 16 * ((height + 15) / 16) * 3 / 8 }

  /// Throws `malformed` if the modes of the frame cannot fit into its first partition.
  ///
  /// libvpx reads zeros after the end of the partition. It would decode hundreds of millions of pixels from a few bytes.
  func check() throws(MediaError) {
    guard modeSize < leastModeSize else { return }
    throw MediaError(
      .malformed,
      "a key frame of VP8 states \(width)x\(height) pixels, whose prediction modes have at least \(leastModeSize) "
        + "bytes; its first partition has \(modeSize)")
  }
}
