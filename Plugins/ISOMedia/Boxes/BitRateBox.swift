import RespoolPlugin

/// `btrt`: buffer size and bit rates (ISO/IEC 14496-12 8.5.2).
struct BitRateBox: Box {
  static let type: FourCC = "btrt"
  /// Bytes.
  var bufferSize: UInt32 = 0
  /// Bits per second.
  var maximum: UInt32
  /// Bits per second.
  var average: UInt32
}

extension BitRateBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    bufferSize = try reader.big()
    maximum = try reader.big()
    average = try reader.big()
  }

  func write(to writer: inout BoxWriter) { writer.words([bufferSize, maximum, average]) }
}
