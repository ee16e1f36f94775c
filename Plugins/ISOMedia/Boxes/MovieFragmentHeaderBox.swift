import RespoolPlugin

/// `mfhd`: the sequence number of a fragment (ISO/IEC 14496-12 8.8.5).
struct MovieFragmentHeaderBox: Box {
  static let type: FourCC = "mfhd"
  /// Counts from 1.
  var sequenceNumber: UInt32

  init(sequenceNumber: UInt32) { self.sequenceNumber = sequenceNumber }

  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    sequenceNumber = try reader.big()
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.u32(sequenceNumber)
  }
}
