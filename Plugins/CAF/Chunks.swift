import RespoolPlugin

/// Chunks of a file: a name of four characters, a size of 64 bits and a body.
enum Chunks {
  /// Bytes of a name and a size.
  static let headerSize = 12

  static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + Int64(body.count).bigEndianBytes + body
  }

  /// Keys of texts that the specification names, by FFmpeg's names ("Information Chunk").
  private static let keys = [
    "track": "track number", "date": "year", "comment": "comments",
    "encoder": "encoding application",
  ]

  /// Returns the chunk of texts; empty if there are none.
  static func texts(_ entries: [MetadataEntry]) -> [UInt8] {
    var (count, body): (UInt32, [UInt8]) = (0, [])
    for entry in entries {
      let key = Array((keys[entry.name.lowercased()] ?? entry.name).utf8)
      let value = Array(entry.value.utf8)
      // Both end with 0.
      guard !key.isEmpty, !value.isEmpty, !key.contains(0), !value.contains(0) else { continue }
      count += 1
      body += key + [0] + value + [0]
    }
    return count == 0 ? [] : chunk("info", count.bigEndianBytes + body)
  }

  /// Returns the chunks of markers at the starts of chapters, and of their titles; empty if there are none.
  ///
  /// A marker has no end: that of a chapter is the next one's start.
  static func markers(_ chapters: [MediaDescription.Chapter], sampleRate: Int) -> [UInt8] {
    let chapters = chapters.prefix(65_536)
    guard !chapters.isEmpty, sampleRate > 0 else { return [] }
    var markers = UInt32(0).bigEndianBytes + UInt32(chapters.count).bigEndianBytes
    var (table, titles): ([UInt8], [UInt8]) = ([], [])
    for (index, chapter) in chapters.enumerated() {
      let id = UInt32(index + 1)
      let sample = Rational.nanoseconds.convert(
        chapter.start, to: Rational(1, Int32(clamping: sampleRate)))
      // Without a type, a time in a film and a channel.
      markers += UInt32(0).bigEndianBytes + Double(sample).bitPattern.bigEndianBytes
      markers += id.bigEndianBytes + [UInt8](repeating: 0xFF, count: 8) + UInt32(0).bigEndianBytes
      table += id.bigEndianBytes + Int64(titles.count).bigEndianBytes
      titles += chapter.title.utf8.filter { $0 != 0 } + [0]
    }
    return chunk("mark", markers)
      + chunk("strg", UInt32(chapters.count).bigEndianBytes + table + titles)
  }

  /// Returns the packet table: numbers of packets and samples, and the size of each packet in groups of seven bits.
  static func packets(_ sizes: [Int], samples: Int64) -> [UInt8] {
    var body = Int64(sizes.count).bigEndianBytes + samples.bigEndianBytes
    // No samples are hidden at the start or the end.
    body += Int32(0).bigEndianBytes + Int32(0).bigEndianBytes
    for size in sizes {
      var rest = size >> 7
      var groups = [UInt8(size & 0x7F)]
      while rest > 0 {
        groups.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      body += groups.reversed()
    }
    return chunk("pakt", body)
  }
}
