import RespoolPlugin

/// The parameters of an FFV1 stream (RFC 9043 4.2), as far as they state the pixel format.
struct FFV1Parameters {
  let pixelFormat: PixelFormat
  let bitsPerSample: Int

  /// Reads the configuration record, or the first frame of the versions before 3, which have none.
  ///
  /// `nil` if the bytes are no parameters.
  init?(record: [UInt8], firstFrame: [UInt8]) {
    guard var decoder = RangeDecoder(record.isEmpty ? firstFrame[...] : record[...]) else {
      return nil
    }
    if record.isEmpty {
      var keyState: UInt8 = 128
      guard decoder.bit(&keyState) else { return nil }
    }
    var states = RangeDecoder.initialStates
    guard let version = decoder.number(&states), (0...4).contains(version),
      version < 3 || !record.isEmpty
    else { return nil }
    if version > 2 { _ = decoder.number(&states) }
    guard let coder = decoder.number(&states), (0...2).contains(coder) else { return nil }
    if coder == 2 { for _ in 1..<256 { _ = decoder.number(&states, isSigned: true) } }
    guard let space = decoder.number(&states), (0...1).contains(space),
      let bits = version > 0 ? decoder.number(&states) : 8
    else { return nil }
    let hasChroma = decoder.bit(&states[0])
    guard let horizontal = decoder.number(&states), let vertical = decoder.number(&states) else {
      return nil
    }
    let hasAlpha = decoder.bit(&states[0])
    guard !decoder.isPastEnd else { return nil }
    bitsPerSample = bits == 0 ? 8 : bits
    let depth = bitsPerSample == 8 ? "" : "\(bitsPerSample)le"
    var name = hasChroma ? "yuv" : hasAlpha ? "ya" : "gray"
    if space == 1 {
      name = bitsPerSample == 8 ? hasAlpha ? "bgra" : "bgr0" : hasAlpha ? "gbrap" : "gbrp"
    } else if hasChroma {
      if hasAlpha { name += "a" }
      switch (horizontal, vertical) {
      case (0, 0): name += "444p"
      case (1, 0): name += "422p"
      case (1, 1): name += "420p"
      case (0, 1): name += "440p"
      case (2, 0): name += "411p"
      case (2, 2): name += "410p"
      default: name = ""
      }
    } else if hasAlpha, depth.isEmpty {
      name += "8"
    }
    pixelFormat = PixelFormat(name: name + depth) ?? .none
  }
}
