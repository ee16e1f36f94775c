import RespoolPlugin

/// `tfdt`: the decoding time of a fragment's first sample (ISO/IEC 14496-12 8.8.12).
struct TrackFragmentDecodeTimeBox: Box {
  static let type: FourCC = "tfdt"
  var decodeTime: UInt64

  init(decodeTime: UInt64) { self.decodeTime = decodeTime }

  init(from reader: inout ByteReader) throws(MediaError) {
    let version = try reader.versionAndFlags().version
    decodeTime = try reader.number(version: version)
  }

  func write(to writer: inout BoxWriter) {
    let version: UInt8 = decodeTime > UInt32.max ? 1 : 0
    writer.versionAndFlags(version)
    writer.number(decodeTime, version: version)
  }
}
