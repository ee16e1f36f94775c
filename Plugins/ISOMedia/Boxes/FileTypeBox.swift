import RespoolPlugin

/// `ftyp`: the brands of the file (ISO/IEC 14496-12 4.3).
struct FileTypeBox: Box {
  static let type: FourCC = "ftyp"
  var majorBrand: FourCC
  var minorVersion: UInt32
  var compatibleBrands: [FourCC]
}

extension FileTypeBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    majorBrand = FourCC(rawValue: try reader.big())
    minorVersion = try reader.big()
    compatibleBrands = try reader.words(reader.remaining / 4).map { FourCC(rawValue: $0) }
  }

  func write(to writer: inout BoxWriter) {
    writer.code(majorBrand)
    writer.u32(minorVersion)
    for brand in compatibleBrands { writer.code(brand) }
  }
}
