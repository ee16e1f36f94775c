import RespoolPlugin

/// `pasp`: the pixel aspect ratio (ISO/IEC 14496-12 12.1.4).
struct PixelAspectBox: Box {
  static let type: FourCC = "pasp"
  var horizontalSpacing: UInt32
  var verticalSpacing: UInt32
}

extension PixelAspectBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    horizontalSpacing = try reader.big()
    verticalSpacing = try reader.big()
  }

  func write(to writer: inout BoxWriter) {
    writer.u32(horizontalSpacing)
    writer.u32(verticalSpacing)
  }
}
