/// An ID3v2 tag of version 2.2, 2.3 or 2.4, which stands in front of a file or in a chunk of one.
///
/// A tag that is cut off or damaged gives what is whole in front of the damage.
public struct ID3Tag: Sendable {
  /// Frames in the order of the tag.
  public private(set) var frames: [ID3Frame] = []
  private var version: UInt8 = 4

  /// Bytes of the tag's header.
  public static let headSize = 10

  /// Reads a tag; the result has no frames if the bytes are not a tag.
  public init(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let head = try? reader.take(Self.headSize), head.starts(with: Array("ID3".utf8)) else {
      return
    }
    let flags = head[5]
    version = head[3]
    // Bit 6 of version 2.2 says that the tag is compressed in a way that was never settled.
    guard (2...4).contains(version), version > 2 || flags & 0x40 == 0 else { return }
    let size = ID3Frame.syncSafe(head[6...])
    guard let rest = try? reader.take(min(size, reader.remaining)) else { return }
    let isUnsynchronised = flags & 0x80 != 0
    var body = rest
    if isUnsynchronised, version < 4 { body = Self.synchronised(rest)[...] }
    if flags & 0x40 != 0 {
      // The size of the extended header is without itself in 2.3 and with itself in 2.4.
      let count = body.prefix(4)
      let plain = 4 + count.reduce(0) { $0 << 8 | Int($1) }
      body = body.dropFirst(version == 3 ? plain : max(4, ID3Frame.syncSafe(count)))
    }
    frames = read(body, isUnsynchronised: isUnsynchronised)
  }

  private func read(_ bytes: ArraySlice<UInt8>, isUnsynchronised: Bool) -> [ID3Frame] {
    var reader = ID3FrameReader(bytes, version: version, isUnsynchronised: isUnsynchronised)
    var frames: [ID3Frame] = []
    // Frames after a damaged one cannot be found.
    while frames.count < Self.limit, let frame = try? reader.next() { frames.append(frame) }
    return frames
  }

  /// More frames than this are an attack, not a tag.
  private static let limit = 8192

  /// Returns the bytes without the zeros that keep a decoder of MPEG audio from taking a tag for a frame (2.4.0
  /// section 6.1).
  static func synchronised(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var last: UInt8 = 0
    for byte in bytes {
      if last != 0xFF || byte != 0 { result.append(byte) }
      last = byte
    }
    return result
  }
}

/// Attached pictures and chapters.
extension ID3Tag {
  /// An attached picture, `APIC` (2.4.0 section 4.14).
  public struct Picture: Hashable, Sendable {
    public var mimeType: String
    /// Picture type; 3 is the front cover.
    public var kind: UInt8
    public var title: String
    public var file: ArraySlice<UInt8>
  }

  /// Pictures whose bytes are in the tag, without links to pictures.
  public var pictures: [Picture] {
    frames.filter { $0.name == "APIC" && !$0.isCoded }.compactMap { frame in
      var text = ID3Text(frame.body)
      let mimeType = text.plain()
      let kind = text.take(1).first ?? 0
      let title = text.next()
      guard !text.rest.isEmpty, mimeType != "-->" else { return nil }
      return Picture(mimeType: mimeType, kind: kind, title: title, file: text.rest)
    }
  }

  /// Chapters in the order of their starts (ID3v2 Chapter Frame Addendum 1.0, 3.1).
  public var chapters: [MediaDescription.Chapter] {
    let found = frames.filter { $0.name == "CHAP" && !$0.isCoded }.compactMap(readChapter)
    return found.sorted { $0.start < $1.start }.enumerated().map { index, chapter in
      let title = chapter.frames.first { $0.name == "TIT2" }.map { frame in
        var text = ID3Text(frame.body)
        return text.next()
      }
      return MediaDescription.Chapter(
        id: Int64(index) + 1, start: Int64(chapter.start) * 1_000_000,
        end: Int64(max(chapter.start, chapter.end)) * 1_000_000, title: title ?? "")
    }
  }

  /// Returns the times of a chapter in milliseconds and the frames inside of it; `nil` if it is cut off.
  private func readChapter(
    _ chapter: ID3Frame
  ) -> (start: UInt32, end: UInt32, frames: [ID3Frame])? {
    var reader = ByteReader(chapter.body)
    reader.skipElementID()
    guard let start = try? reader.big(UInt32.self), let end = try? reader.big(UInt32.self),
      (try? reader.skip(8)) != nil, let rest = try? reader.take(reader.remaining)
    else { return nil }
    return (start, end, read(rest, isUnsynchronised: false))
  }

  /// Returns `true` if a table of contents contains frames, such as a title (Addendum 3.2).
  func containsFrames(_ tableOfContents: ID3Frame) -> Bool {
    var reader = ByteReader(tableOfContents.body)
    reader.skipElementID()
    guard (try? reader.skip(1)) != nil, let childCount = try? reader.u8() else { return false }
    for _ in 0..<childCount { reader.skipElementID() }
    guard let rest = try? reader.take(reader.remaining) else { return false }
    return !read(rest, isUnsynchronised: false).isEmpty
  }

  /// Returns `true` if a chapter contains more than times and a title.
  func containsMoreThanTitle(_ chapter: ID3Frame) -> Bool {
    chapter.isCoded || readChapter(chapter)?.frames.contains { $0.name != "TIT2" } != false
  }
}

extension ByteReader {
  /// Skips the name of a chapter or of a table of contents, which ends with a zero byte.
  fileprivate mutating func skipElementID() { while let byte = try? u8(), byte != 0 {} }
}
