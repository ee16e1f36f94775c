import RespoolPlugin

/// `tfhd`: defaults for the runs of one track in a fragment (ISO/IEC 14496-12 8.8.7).
struct TrackFragmentHeaderBox: Box {
  static let type: FourCC = "tfhd"
  static let baseIsMovieFragment: UInt32 = 0x2_0000

  /// Flags that do not announce a field.
  ///
  /// The other flags follow from the fields that are set.
  var otherFlags: UInt32 = 0
  var trackID: UInt32
  var baseDataOffset: UInt64?
  var descriptionIndex: UInt32?
  var duration: UInt32?
  var size: UInt32?
  var flags: UInt32?

  init(trackID: UInt32) { self.trackID = trackID }

  init(from reader: inout ByteReader) throws(MediaError) {
    let flags = try reader.versionAndFlags().flags
    otherFlags = flags & ~0x3B
    trackID = try reader.big()
    if flags & 0x01 != 0 { baseDataOffset = try reader.big() }
    if flags & 0x02 != 0 { descriptionIndex = try reader.big() }
    if flags & 0x08 != 0 { duration = try reader.big() }
    if flags & 0x10 != 0 { size = try reader.big() }
    if flags & 0x20 != 0 { self.flags = try reader.big() }
  }

  func write(to writer: inout BoxWriter) {
    var bits = otherFlags
    if baseDataOffset != nil { bits |= 0x01 }
    if descriptionIndex != nil { bits |= 0x02 }
    if duration != nil { bits |= 0x08 }
    if size != nil { bits |= 0x10 }
    if flags != nil { bits |= 0x20 }
    writer.versionAndFlags(0, bits)
    writer.u32(trackID)
    if let baseDataOffset { writer.u64(baseDataOffset) }
    for value in [descriptionIndex, duration, size, flags] {
      if let value { writer.u32(value) }
    }
  }
}
