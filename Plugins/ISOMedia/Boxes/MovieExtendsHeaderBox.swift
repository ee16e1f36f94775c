import RespoolPlugin

/// `mehd`: the duration of a movie with fragments (ISO/IEC 14496-12 8.8.2).
struct MovieExtendsHeaderBox: Box {
  static let type: FourCC = "mehd"
  /// In units of the movie's time scale.
  var duration: UInt64

  init(duration: UInt64) { self.duration = duration }

  init(from reader: inout ByteReader) throws(MediaError) {
    let version = try reader.versionAndFlags().version
    duration = try reader.number(version: version)
  }

  /// Writes the 64-bit form, so that the box can be overwritten when the duration is known.
  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(1)
    writer.u64(duration)
  }
}
