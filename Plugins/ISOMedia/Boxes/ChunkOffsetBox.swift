import RespoolPlugin

/// `stco`: file offsets of the chunks (ISO/IEC 14496-12 8.7.5).
struct ChunkOffsetBox: Box {
  static let type: FourCC = "stco"
  var offsets: [UInt32]

  init(offsets: [UInt32]) { self.offsets = offsets }

  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    offsets = try reader.words(Int(try reader.big(UInt32.self)))
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(offsets.count))
    writer.words(offsets)
  }
}
