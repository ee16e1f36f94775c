import RespoolPlugin

/// The identification header of Theora (Theora specification, 6.2).
struct TheoraHeader {
  let pixelFormat: PixelFormat
  var color: ColorDescription = .unspecified

  /// Reads the first header in CodecPrivate.
  ///
  /// `nil` if there is none.
  init?(_ extradata: [UInt8]) {
    guard let header = try? XiphLacing.headers(extradata).first else { return nil }
    var reader = ByteReader(header)
    guard let type = try? reader.take(7), type.elementsEqual([0x80] + Array("theora".utf8)),
      (try? reader.skip(29)) != nil, let space = try? reader.u8(), (try? reader.skip(3)) != nil,
      let last = try? reader.big(UInt16.self)
    else { return nil }
    // Quality has 6 bits, the shift of key frames 5, then 2 for the format.
    switch last >> 3 & 3 {
    case 0: pixelFormat = .yuv420p
    case 2: pixelFormat = .yuv422p
    case 3: pixelFormat = .yuv444p
    default: return nil
    }
    // BT.470 M and B/G (table 6.4).
    if space == 1 || space == 2 {
      (color.primaries, color.transfer) = (space == 1 ? 4 : 5, H273.Transfer.bt709)
      color.matrix = H273.Matrix.bt470BG
    }
  }
}
