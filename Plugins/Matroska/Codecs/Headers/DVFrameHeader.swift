import RespoolPlugin

/// The header of a frame of DV (IEC 61834-2, SMPTE ST 314 and ST 370).
struct DVFrameHeader {
  let pixelFormat: PixelFormat

  /// Position of the source pack in the first VAUX block.
  private static let sourcePack = 80 * 5 + 48

  /// Returns `nil` if the bytes are no frame.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.sourcePack + 5, bytes[0] >> 5 == 0, bytes[2] == 0 else {
      return nil
    }
    let is50Hz = bytes[3] & 0x80 != 0
    let application = bytes[4] & 7
    switch bytes[Self.sourcePack + 3] & 0x1F {
    // 25 Mbit/s: 4:1:1 in 525 lines, and in 625 lines of SMPTE ST 314.
    case 0: pixelFormat = is50Hz && application == 0 ? .yuv420p : .yuv411p
    case 1: pixelFormat = .yuv420p
    case 4, 0x14, 0x18: pixelFormat = .yuv422p
    default: return nil
    }
  }
}
