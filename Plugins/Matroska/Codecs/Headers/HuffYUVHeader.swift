import RespoolPlugin

/// The data of HuffYUV and FFVHuff that precedes their tables, which states the pixel format.
struct HuffYUVHeader {
  let pixelFormat: PixelFormat

  /// `bits` is the number of bits per pixel in the container.
  init(_ extradata: [UInt8], bits: Int) {
    if extradata.count > 3, bits & 7 == 0 || bits == 12, extradata[3] != 0 {
      pixelFormat = Self.planar(extradata[1], extradata[2])
      return
    }
    // Later versions store the number again, others count their predictors in the lowest bits.
    let stated = extradata.count > 3 && bits & 7 == 0 ? Int(extradata[1]) : 0
    switch stated > 0 ? stated : bits == 12 ? 12 : bits & ~7 {
    case 12: pixelFormat = .yuv420p
    case 16: pixelFormat = .yuv422p
    case 24: pixelFormat = .bgr0
    case 32: pixelFormat = .bgra
    default: pixelFormat = .none
    }
  }

  /// Returns the pixel format of FFVHuff, version 3.
  private static func planar(_ layout: UInt8, _ flags: UInt8) -> PixelFormat {
    let bits = Int(layout >> 4) + 1
    let hasAlpha = flags & 4 != 0
    var name: String
    if flags & 3 == 0 {
      name = "gray"
    } else if flags & 1 == 0 {
      name = hasAlpha ? "gbrap" : "gbrp"
    } else {
      name = hasAlpha ? "yuva" : "yuv"
      switch (layout & 3, layout >> 2 & 3) {
      case (0, 0): name += "444p"
      case (0, 1): name += "440p"
      case (1, 0): name += "422p"
      case (1, 1): name += "420p"
      case (2, 0): name += "411p"
      case (2, 2): name += "410p"
      default: return .none
      }
    }
    return PixelFormat(name: bits == 8 ? name : "\(name)\(bits)le") ?? .none
  }
}
