import RespoolPlugin

/// `colr`: the color space of the frames (ISO/IEC 14496-12 12.1.5; QuickTime's `nclc`).
struct ColorBox: Box {
  static let type: FourCC = "colr"

  enum Kind: Hashable, Sendable {
    /// QuickTime's type, which does not store the range.
    case nclc
    case nclx(isFullRange: Bool)
    /// ICC profiles and other types, unparsed.
    case other(FourCC, [UInt8])
  }

  var kind: Kind
  var primaries = UInt16(H273.unspecified)
  var transfer = UInt16(H273.unspecified)
  var matrix = UInt16(H273.unspecified)
}

extension ColorBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    let type = FourCC(rawValue: try reader.big())
    guard type == "nclc" || type == "nclx" else {
      kind = .other(type, Array(try reader.take(reader.remaining)))
      return
    }
    primaries = try reader.big()
    transfer = try reader.big()
    matrix = try reader.big()
    // Some writers omit the range byte of nclx, which makes the box an nclc box with another type.
    if type == "nclx", !reader.isAtEnd {
      kind = .nclx(isFullRange: try reader.u8() & 0x80 != 0)
    } else {
      kind = .nclc
    }
  }

  func write(to writer: inout BoxWriter) {
    switch kind {
    case .nclc: writer.code("nclc")
    case .nclx: writer.code("nclx")
    case .other(let type, let bytes):
      writer.code(type)
      writer.raw(bytes)
      return
    }
    writer.u16(primaries)
    writer.u16(transfer)
    writer.u16(matrix)
    if case .nclx(let isFullRange) = kind { writer.u8(isFullRange ? 0x80 : 0) }
  }

  /// The color description.
  ///
  /// `nil` if the box has a profile.
  var color: ColorDescription? {
    let range: ColorDescription.Range
    switch kind {
    case .nclc: range = .unspecified
    case .nclx(let isFullRange): range = isFullRange ? .full : .limited
    case .other: return nil
    }
    func code(_ value: UInt16, _ known: ClosedRange<UInt16>) -> UInt8 {
      known.contains(value) && value != 3 ? UInt8(value) : H273.unspecified
    }
    return ColorDescription(
      primaries: code(primaries, 1...22), transfer: code(transfer, 1...18),
      matrix: matrix == 0 ? H273.Matrix.identity : code(matrix, 1...14), range: range)
  }
}
