import RespoolPlugin

/// The header of a JPEG frame (ITU-T T.81 B.2.2).
struct JPEGFrame {
  let width: Int
  let height: Int
  /// Format of the decoded image; `none` for CMYK and unusual sampling.
  let pixelFormat: PixelFormat

  /// Reads the body of the segment.
  ///
  /// `transform` is the number of Adobe's segment (ITU-T T.872 6.5.3).
  init(_ body: [UInt8], transform: UInt8?) throws(MediaError) {
    var reader = ByteReader(body)
    let depth = try reader.u8()
    height = Int(try reader.big(UInt16.self))
    width = Int(try reader.big(UInt16.self))
    let count = Int(try reader.u8())
    var sampling: [UInt8] = []
    var names: [UInt8] = []
    for _ in 0..<count {
      names.append(try reader.u8())
      sampling.append(try reader.u8())
      try reader.skip(1)
    }
    guard depth == 8 else {
      pixelFormat = .none
      return
    }
    let isRGB = transform == 0 || transform == nil && names == Array("RGB".utf8)
    switch (count, sampling) {
    case (1, _): pixelFormat = .gray
    case (3, _) where isRGB: pixelFormat = .none
    case (3, [0x22, 0x11, 0x11]): pixelFormat = .yuv420p
    case (3, [0x21, 0x11, 0x11]): pixelFormat = .yuv422p
    case (3, [0x11, 0x11, 0x11]): pixelFormat = .yuv444p
    case (3, [0x12, 0x11, 0x11]): pixelFormat = .yuv440p
    case (3, [0x41, 0x11, 0x11]): pixelFormat = .yuv411p
    default: pixelFormat = .none
    }
  }
}
