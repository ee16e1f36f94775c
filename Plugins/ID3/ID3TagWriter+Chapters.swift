package import RespoolMedia

/// Chapters and their table of contents (ID3v2 Chapter Frame Addendum 1.0).
extension ID3TagWriter {
  /// Maximum number of entries of a table, which counts them in one byte.
  private static let tableLimit = 255

  /// Adds chapters.
  ///
  /// `records` are frames of the source: its chapters with more than a title, such as links and pictures, keep their
  /// frames if they start at the same time.
  package mutating func add(chapters: [MediaDescription.Chapter], records: [ID3Frame]) {
    let chapters = chapters.prefix(Self.tableLimit * Self.tableLimit)
    guard !chapters.isEmpty else { return }
    let known = records.filter { $0.name == "CHAP" && !$0.isCoded }
    let title = records.first { $0.name == "CTOC" && !$0.isCoded }?.contentOfTable ?? []
    let content = title.flatMap { version.bytes($0) ?? [] }
    for (index, chapter) in chapters.enumerated() {
      let start = milliseconds(chapter.start)
      let times = start.bigEndianBytes + milliseconds(chapter.end).bigEndianBytes
      let record = known.first { $0.times?.start == start }
      var content: [UInt8] = []
      for frame in record?.content ?? [] where frame.name != "TIT2" {
        content += version.bytes(frame) ?? []
      }
      if !chapter.title.isEmpty {
        content = (version.bytes(ID3Frame("TIT2", version.body([chapter.title]))) ?? []) + content
      }
      // The offsets in bytes are not used.
      let offsets = [UInt8](repeating: 0xFF, count: 8)
      add("CHAP", name("chp", index) + times + offsets + content)
    }
    let names = chapters.indices.map { name("chp", $0) }
    guard names.count > Self.tableLimit else {
      return addTable("toc", isTop: true, names, content)
    }
    let tables = stride(from: 0, to: names.count, by: Self.tableLimit).map {
      Array(names[$0..<min($0 + Self.tableLimit, names.count)])
    }
    addTable("toc", isTop: true, tables.indices.map { name("toc", $0) }, content)
    for (index, names) in tables.enumerated() {
      addTable("toc\(index + 1)", isTop: false, names, [])
    }
  }

  private func name(_ kind: String, _ index: Int) -> [UInt8] {
    Array("\(kind)\(index + 1)".utf8) + [0]
  }

  /// Adds an ordered table with the names of its entries and with frames, such as a title.
  private mutating func addTable(
    _ name: String, isTop: Bool, _ names: [[UInt8]], _ content: [UInt8]
  ) {
    let head = Array(name.utf8) + [0, isTop ? 3 : 1, UInt8(clamping: names.count)]
    add("CTOC", head + names.joined() + content)
  }

  private func milliseconds(_ nanoseconds: Int64) -> UInt32 {
    UInt32(clamping: (max(0, nanoseconds).addingClamped(500_000)) / 1_000_000)
  }
}

extension ID3Frame {
  /// Start and end of a chapter in milliseconds; `nil` if the frame is cut off.
  fileprivate var times: (start: UInt32, end: UInt32)? {
    var reader = ByteReader(body)
    while let byte = try? reader.u8(), byte != 0 {}
    guard let start = try? reader.big(UInt32.self), let end = try? reader.big(UInt32.self) else {
      return nil
    }
    return (start, end)
  }

  /// Frames in a chapter.
  fileprivate var content: [ID3Frame] {
    Self.frames(in: body.drop { $0 != 0 }.dropFirst(17))
  }

  /// Frames in a table of contents, which follow the names of its entries.
  fileprivate var contentOfTable: [ID3Frame] {
    var rest = body.drop { $0 != 0 }.dropFirst(2)
    for _ in 0..<(rest.popFirst() ?? 0) { rest = rest.drop { $0 != 0 }.dropFirst() }
    return Self.frames(in: rest)
  }

  private static func frames(in part: ArraySlice<UInt8>) -> [ID3Frame] {
    let frames = Array(part)
    guard !frames.isEmpty else { return [] }
    return ID3Tag(Array("ID3".utf8) + [4, 0, 0] + syncSafe(frames.count) + frames).frames
  }
}
