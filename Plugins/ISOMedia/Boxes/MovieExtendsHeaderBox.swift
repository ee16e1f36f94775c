import RespoolPlugin

/// `mehd`: how long a movie with fragments is (ISO/IEC 14496-12 8.8.2).
struct MovieExtendsHeaderBox: Box {
  static let type: FourCC = "mehd"
  /// In units of the movie's time scale.
  var duration: UInt64

  init(duration: UInt64) { self.duration = duration }

  init(from reader: inout ByteReader) throws(MediaError) {
    let version = try reader.versionAndFlags().version
    duration = try reader.number(version: version)
  }

  /// Always in the long form: the box is written again when the duration is known.
  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(1)
    writer.u64(duration)
  }
}
