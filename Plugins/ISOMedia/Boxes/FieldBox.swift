import RespoolPlugin

/// `fiel`: the number and order of fields in a frame (QuickTime File Format, "Field handling").
struct FieldBox: Box {
  static let type: FourCC = "fiel"
  /// 1 for progressive, 2 for interlaced.
  var fieldCount: UInt8
  /// Field order: 1, 6, 9 and 14 state which field comes first.
  var detail: UInt8
}

extension FieldBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    fieldCount = try reader.u8()
    detail = try reader.u8()
  }

  func write(to writer: inout BoxWriter) {
    writer.u8(fieldCount)
    writer.u8(detail)
  }

  var order: TrackDescription.FieldOrder { .init(count: fieldCount, detail: detail) }
}
