import RespoolPlugin

/// `stsd`: the sample descriptions of a track (ISO/IEC 14496-12 8.5.2).
struct SampleDescriptionBox: Box {
  static let type: FourCC = "stsd"

  /// One sample entry with unparsed fields.
  struct Entry: Hashable, Sendable {
    var format: FourCC
    /// Bytes after size and format: 6 zeros, the data reference index, then the fields of the media type.
    var payload: [UInt8]
    /// File offset of the payload.
    var origin: Int64 = 0

    static func == (a: Entry, b: Entry) -> Bool {
      a.format == b.format && a.payload == b.payload
    }
    func hash(into hasher: inout Hasher) {
      hasher.combine(format)
      hasher.combine(payload)
    }
  }

  /// 1 if audio sample entries may have version 1 of ISO/IEC 14496-12 12.2.3.
  ///
  /// Default 0.
  var version: UInt8 = 0
  var entries: [Entry]

  init(entries: [Entry]) { self.entries = entries }

  init(from reader: inout ByteReader) throws(MediaError) {
    version = try reader.versionAndFlags().version
    let count = try reader.big(UInt32.self)
    entries = []
    while entries.count < count, let box = try reader.nextBox() {
      entries.append(
        Entry(format: box.type, payload: Array(box.payload.bytes), origin: box.payload.origin))
    }
    guard entries.count == count else {
      throw MediaError(
        .malformed, "\(count) sample descriptions are declared, but \(entries.count) are present",
        offset: reader.offset)
    }
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(version)
    writer.u32(UInt32(entries.count))
    for entry in entries { writer.box(entry.format) { $0.raw(entry.payload) } }
  }
}
