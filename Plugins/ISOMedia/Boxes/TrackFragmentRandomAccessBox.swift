import RespoolPlugin

/// `tfra`: the sync samples of a track in fragments (ISO/IEC 14496-12 8.8.10).
struct TrackFragmentRandomAccessBox: Box {
  static let type: FourCC = "tfra"

  struct Entry: Hashable, Sendable {
    /// Presentation time in units of the media's time scale.
    var time: UInt64
    /// File offset of the `moof`.
    var offset: UInt64
    /// The three numbers count from 1.
    var trackNumber: UInt32
    var runNumber: UInt32
    var sampleNumber: UInt32
  }

  var trackID: UInt32
  var entries: [Entry]
}

extension TrackFragmentRandomAccessBox {
  init(from reader: inout ByteReader) throws(MediaError) {
    let version = try reader.versionAndFlags().version
    trackID = try reader.big()
    let sizes = try reader.big(UInt32.self)
    let count = Int(try reader.big(UInt32.self))
    let widths = [4, 2, 0].map { Int(sizes >> UInt32($0)) & 3 + 1 }
    try reader.require(count * ((version == 1 ? 16 : 8) + widths.reduce(0, +)))
    entries = []
    for _ in 0..<count {
      let (time, offset) = (
        try reader.number(version: version), try reader.number(version: version)
      )
      var numbers: [UInt32] = []
      for width in widths {
        var number: UInt32 = 0
        for _ in 0..<width { number = number << 8 | UInt32(try reader.u8()) }
        numbers.append(number)
      }
      entries.append(
        Entry(
          time: time, offset: offset, trackNumber: numbers[0], runNumber: numbers[1],
          sampleNumber: numbers[2]))
    }
  }

  /// Writes the form with 64-bit times and offsets.
  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(1)
    writer.u32(trackID)
    writer.u32(0x3F)
    writer.u32(UInt32(entries.count))
    for entry in entries {
      writer.u64(entry.time)
      writer.u64(entry.offset)
      writer.words([entry.trackNumber, entry.runNumber, entry.sampleNumber])
    }
  }
}
