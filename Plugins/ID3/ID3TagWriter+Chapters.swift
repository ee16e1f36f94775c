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
    let table = records.first { $0.name == "CTOC" && !$0.isCoded }?.table
    let content = (table?.content ?? []).flatMap { version.bytes($0) ?? [] }
    let tableName = table?.name ?? Array("toc".utf8)
    // Chapters keep their names if the table has one for each.
    let isSame =
      table?.entries.count == chapters.count && Set(table?.entries ?? []).count == chapters.count
    let names = chapters.indices.map { index in
      (isSame ? table?.entries[index] : nil) ?? name("chp", index)
    }
    for (index, chapter) in chapters.enumerated() {
      let start = milliseconds(chapter.start)
      let times = start.bigEndianBytes + milliseconds(chapter.end).bigEndianBytes
      let record = known.first { $0.times?.start == start }
      var content: [UInt8] = []
      let kept = record?.content ?? []
      // The encoding of the source stays, unless version 2.3 does not have it.
      let keepsTitle = version == .v4 && ID3Frame.title(in: kept) == chapter.title
      for frame in kept where frame.name != "TIT2" || keepsTitle {
        content += version.bytes(frame) ?? []
      }
      if !chapter.title.isEmpty, !keepsTitle {
        content = (version.bytes(ID3Frame("TIT2", version.body([chapter.title]))) ?? []) + content
      }
      // The offsets in bytes are not used.
      let offsets = [UInt8](repeating: 0xFF, count: 8)
      add("CHAP", names[index] + times + offsets + content)
    }
    guard names.count > Self.tableLimit else {
      return addTable(tableName, isTop: true, names, content)
    }
    let tables = stride(from: 0, to: names.count, by: Self.tableLimit).map {
      Array(names[$0..<min($0 + Self.tableLimit, names.count)])
    }
    addTable(tableName, isTop: true, tables.indices.map { name("toc", $0) }, content)
    for (index, names) in tables.enumerated() {
      addTable(Array("toc\(index + 1)".utf8), isTop: false, names, [])
    }
  }

  private func name(_ kind: String, _ index: Int) -> [UInt8] {
    Array("\(kind)\(index + 1)".utf8) + [0]
  }

  /// Adds an ordered table with the names of its entries and with frames, such as a title.
  private mutating func addTable(
    _ name: [UInt8], isTop: Bool, _ names: [[UInt8]], _ content: [UInt8]
  ) {
    let head = name + [0, isTop ? 3 : 1, UInt8(clamping: names.count)]
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

  /// The name of a table of contents, the names of its entries with their zeros, and frames such as a title.
  fileprivate var table: (name: [UInt8], entries: [[UInt8]], content: [ID3Frame]) {
    let name = Array(body.prefix { $0 != 0 })
    var rest = body.dropFirst(name.count + 2)
    var entries: [[UInt8]] = []
    for _ in 0..<(rest.popFirst() ?? 0) {
      let entry = Array(rest.prefix { $0 != 0 })
      rest = rest.dropFirst(entry.count + 1)
      entries.append(entry + [0])
    }
    return (name, entries, Self.frames(in: rest))
  }

  /// Returns the title among the frames of a chapter.
  fileprivate static func title(in frames: [ID3Frame]) -> String? {
    let title = frames.first { $0.name == "TIT2" }?.bytes ?? []
    return Self.tag(title).texts.first?.value
  }

  private static func tag(_ frames: [UInt8]) -> ID3Tag {
    ID3Tag(Array("ID3".utf8) + [4, 0, 0] + syncSafe(frames.count) + frames)
  }

  private static func frames(in part: ArraySlice<UInt8>) -> [ID3Frame] {
    let frames = Array(part)
    return frames.isEmpty ? [] : tag(frames).frames
  }
}
