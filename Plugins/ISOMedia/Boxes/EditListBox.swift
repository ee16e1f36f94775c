import RespoolPlugin

/// `elst`: the parts of the media that are presented, and their times (ISO/IEC 14496-12 8.6.6).
struct EditListBox: Box {
  static let type: FourCC = "elst"

  struct Entry: Hashable, Sendable {
    /// In units of the movie's time scale.
    var duration: UInt64
    /// In units of the track's time scale.
    ///
    /// -1 for an empty edit.
    var mediaTime: Int64
    /// Playback rate, 16.16 fixed point.
    ///
    /// Default 1.0.
    var rate: Int32 = EditListBox.normalRate
  }

  static let normalRate: Int32 = 0x10000

  var entries: [Entry]

  init(entries: [Entry]) { self.entries = entries }

  init(from reader: inout ByteReader) throws(MediaError) {
    let version = try reader.versionAndFlags().version
    let count = Int(try reader.big(UInt32.self))
    try reader.require(count * (version == 1 ? 20 : 12))
    entries = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      let duration = try reader.number(version: version)
      let mediaTime =
        version == 1 ? try reader.big(Int64.self) : Int64(try reader.big(Int32.self))
      entries.append(Entry(duration: duration, mediaTime: mediaTime, rate: try reader.big()))
    }
  }

  func write(to writer: inout BoxWriter) {
    let isLong = entries.contains {
      $0.duration > UInt32.max || Int32(exactly: $0.mediaTime) == nil
    }
    writer.versionAndFlags(isLong ? 1 : 0)
    writer.u32(UInt32(entries.count))
    for entry in entries {
      writer.number(entry.duration, version: isLong ? 1 : 0)
      if isLong {
        writer.big(entry.mediaTime)
      } else {
        writer.i32(Int32(clamping: entry.mediaTime))
      }
      writer.i32(entry.rate)
    }
  }
}
