import RespoolPlugin

/// `trex`: defaults for the samples of fragments (ISO/IEC 14496-12 8.8.3).
struct TrackExtendsBox: Box {
  static let type: FourCC = "trex"
  var trackID: UInt32
  var descriptionIndex: UInt32 = 1
  var duration: UInt32 = 0
  var size: UInt32 = 0
  var flags: UInt32 = 0

  init(trackID: UInt32) { self.trackID = trackID }

  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    trackID = try reader.big()
    descriptionIndex = try reader.big()
    duration = try reader.big()
    size = try reader.big()
    flags = try reader.big()
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.words([trackID, descriptionIndex, duration, size, flags])
  }
}
