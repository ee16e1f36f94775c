import RespoolPlugin

/// The header of a PNG image (ISO/IEC 15948 11.2.2).
struct PNGHeader {
  let pixelFormat: PixelFormat

  /// Returns `nil` if the bytes are no PNG image, or end before the header.
  init?(_ bytes: [UInt8]) {
    let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    guard bytes.starts(with: start + Array("IHDR".utf8)), bytes.count >= 26 else { return nil }
    switch (bytes[25], bytes[24]) {
    case (0, 1): pixelFormat = .monoblack
    case (0, 8): pixelFormat = .gray
    case (0, 16): pixelFormat = .gray16be
    case (2, 8): pixelFormat = .rgb24
    case (2, 16): pixelFormat = .rgb48be
    case (3, _): pixelFormat = .pal8
    case (4, 8): pixelFormat = .ya8
    case (4, 16): pixelFormat = .ya16be
    case (6, 8): pixelFormat = .rgba
    case (6, 16): pixelFormat = .rgba64be
    default: pixelFormat = .none
    }
  }
}
