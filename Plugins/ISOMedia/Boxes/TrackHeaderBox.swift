import RespoolPlugin

/// `tkhd`: ID, flags, display matrix and size of a track (ISO/IEC 14496-12 8.3.2).
struct TrackHeaderBox: Box {
  static let type: FourCC = "tkhd"
  static let enabled: UInt32 = 1
  static let inMovie: UInt32 = 2

  var flags: UInt32 = enabled | inMovie
  var creationTime: UInt64 = 0
  var modificationTime: UInt64 = 0
  var trackID: UInt32
  /// In units of the movie's time scale.
  ///
  /// All ones if unknown.
  var duration: UInt64
  var layer: Int16 = 0
  var alternateGroup: Int16 = 0
  /// 8.8 fixed point.
  ///
  /// 1.0 for audio, otherwise 0.
  var volume: Int16 = 0
  var matrix: DisplayMatrix = .identity
  /// 16.16 fixed point.
  var width: UInt32 = 0
  /// 16.16 fixed point.
  var height: UInt32 = 0
}

extension TrackHeaderBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    let (version, flags) = try reader.versionAndFlags()
    self.flags = flags
    creationTime = try reader.number(version: version)
    modificationTime = try reader.number(version: version)
    trackID = try reader.big()
    try reader.skip(4)
    let length = try reader.number(version: version)
    duration = version != 1 && length == UInt32.max ? .max : length
    try reader.skip(8)
    layer = try reader.big()
    alternateGroup = try reader.big()
    volume = try reader.big()
    try reader.skip(2)
    matrix = try DisplayMatrix(from: &reader)
    width = try reader.big()
    height = try reader.big()
  }

  func write(to writer: inout BoxWriter) {
    let version: UInt8 =
      max(duration, creationTime, modificationTime) > UInt32.max && duration != .max ? 1 : 0
    writer.versionAndFlags(version, flags)
    writer.number(creationTime, version: version)
    writer.number(modificationTime, version: version)
    writer.u32(trackID)
    writer.zeros(4)
    writer.number(duration, version: version)
    writer.zeros(8)
    writer.i16(layer)
    writer.i16(alternateGroup)
    writer.i16(volume)
    writer.zeros(2)
    matrix.write(to: &writer)
    writer.u32(width)
    writer.u32(height)
  }
}
