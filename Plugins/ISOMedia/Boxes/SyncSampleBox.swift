import RespoolPlugin

/// `stss`: the numbers of the sync samples (ISO/IEC 14496-12 8.6.2).
struct SyncSampleBox: Box {
  static let type: FourCC = "stss"
  /// Count from 1, in ascending order.
  var sampleNumbers: [UInt32]

  init(sampleNumbers: [UInt32]) { self.sampleNumbers = sampleNumbers }

  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    sampleNumbers = try reader.words(Int(try reader.big(UInt32.self)))
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(sampleNumbers.count))
    writer.words(sampleNumbers)
  }
}
