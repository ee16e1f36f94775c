import RespoolPlugin

/// `co64`: 64-bit file offsets of the chunks (ISO/IEC 14496-12 8.7.5).
struct LargeChunkOffsetBox: Box {
  static let type: FourCC = "co64"
  var offsets: [UInt64]

  init(offsets: [UInt64]) { self.offsets = offsets }

  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    let count = Int(try reader.big(UInt32.self))
    let words = try reader.words(count * 2)
    offsets = (0..<count).map { UInt64(words[2 * $0]) << 32 | UInt64(words[2 * $0 + 1]) }
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(offsets.count))
    for offset in offsets { writer.u64(offset) }
  }
}
