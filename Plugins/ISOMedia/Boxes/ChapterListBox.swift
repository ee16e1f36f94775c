import RespoolPlugin

/// `chpl`: the chapter list in `udta` that Nero introduced.
///
/// No standard describes it.
struct ChapterListBox: Box {
  static let type: FourCC = "chpl"

  struct Chapter: Hashable, Sendable {
    /// In units of 100 ns.
    var start: UInt64
    /// At most 255 bytes of UTF-8.
    var title: String
  }

  var chapters: [Chapter]

  init(chapters: [Chapter]) { self.chapters = chapters }

  init(from reader: inout ByteReader) throws(MediaError) {
    if try reader.versionAndFlags().version > 0 { try reader.skip(4) }
    let count = try reader.u8()
    chapters = []
    for _ in 0..<count {
      let start = try reader.big(UInt64.self)
      let title = try reader.text(Int(try reader.u8()))
      chapters.append(Chapter(start: start, title: title))
    }
  }

  func write(to writer: inout BoxWriter) {
    let chapters = chapters.prefix(255)
    writer.versionAndFlags(1)
    writer.u32(0)
    writer.u8(UInt8(chapters.count))
    for chapter in chapters {
      var title = Array(chapter.title.utf8)
      if title.count > 255 {
        var end = 255
        while end > 0, title[end] & 0xC0 == 0x80 { end -= 1 }
        title.removeSubrange(end...)
      }
      writer.u64(chapter.start)
      writer.u8(UInt8(title.count))
      writer.raw(title)
    }
  }
}
