import RespoolPlugin

/// The fields of a video sample entry (ISO/IEC 14496-12 12.1.3).
struct VisualSampleEntry: Hashable, Sendable {
  var dataReferenceIndex: UInt16 = 1
  /// QuickTime's version, revision, vendor and qualities: 16 bytes.
  ///
  /// Zeros in ISO files.
  var quickTime: [UInt8] = Array(repeating: 0, count: 16)
  var width: UInt16
  var height: UInt16
  /// Horizontal and vertical pixels per inch, 16.16 fixed point each, as stored.
  var resolution = Self.usualResolution
  /// At most 31 bytes of text.
  var compressorName = ""
  var depth: UInt16 = 24
  /// QuickTime's color table ID.
  ///
  /// Default -1 (none).
  ///
  /// 0 if a color table follows.
  var colorTable: Int16 = -1
  /// The boxes after the fields, unparsed.
  var children: [UInt8] = []
  /// File offset of the children.
  var childrenOrigin: Int64 = 0

  /// 72 pixels per inch.
  static let usualResolution: [UInt8] = [0, 72, 0, 0, 0, 72, 0, 0]
}

extension VisualSampleEntry {
  init(from reader: inout ByteReader) throws(MediaError) {
    try reader.skip(6)
    dataReferenceIndex = try reader.big()
    quickTime = Array(try reader.take(16))
    width = try reader.big()
    height = try reader.big()
    resolution = Array(try reader.take(8))
    try reader.skip(6)
    let count = Int(try reader.u8())
    let name = try reader.take(31)
    compressorName = String(decoding: name.prefix(min(31, count)), as: UTF8.self)
    depth = try reader.big()
    colorTable = try reader.big()
    childrenOrigin = reader.offset
    children = Array(try reader.take(reader.remaining))
  }

  func write(to writer: inout BoxWriter) {
    writer.zeros(6)
    writer.u16(dataReferenceIndex)
    writer.raw(quickTime)
    writer.u16(width)
    writer.u16(height)
    writer.raw(resolution)
    writer.u32(0)
    writer.u16(1)
    let name = Array(compressorName.utf8.prefix(31))
    writer.u8(UInt8(name.count))
    writer.raw(name)
    writer.zeros(31 - name.count)
    writer.u16(depth)
    writer.i16(colorTable)
    writer.raw(children)
  }
}
