import RespoolPlugin

/// Elements of a Matroska file that libavformat does not read, so that conversions can report them (RFC 9559).
///
/// Plugin Matroska reads them. Files with a codec that only libavformat describes come here.
struct MatroskaGaps {
  private enum ID {
    static let segment: UInt64 = 0x1853_8067
    static let tracks: UInt64 = 0x1654_AE6B
    static let trackEntry: UInt64 = 0xAE
    static let trackNumber: UInt64 = 0xD7
    static let flagEnabled: UInt64 = 0xB9
    static let languageBCP47: UInt64 = 0x22_B59D
    static let chapters: UInt64 = 0x1043_A770
    static let editionEntry: UInt64 = 0x45B9
    static let chapterAtom: UInt64 = 0xB6
    static let chapterDisplay: UInt64 = 0x80
  }

  /// Elements that are larger are not searched.
  private static let largest: Int64 = 4 << 20
  /// Maximum number of elements of the segment, and of an element that is searched.
  private static let most = 10_000

  /// The names of the elements.
  private(set) var names: [String] = []

  /// Searches the elements of the segment before the first cluster, and those after clusters of known size.
  ///
  /// Damage ends the search.
  init(_ source: ByteSource) {
    guard source.isSeekable, let size = source.size else { return }
    do throws(MediaError) {
      let head = try MatroskaExtent.element(source, at: 0)
      guard let afterHead = head.end else { return }
      let segment = try MatroskaExtent.element(source, at: afterHead)
      guard segment.id == ID.segment else { return }
      var offset = segment.bodyStart
      for _ in 0..<Self.most where offset < min(size, segment.end ?? size) {
        let child = try MatroskaExtent.element(source, at: offset)
        guard let length = child.size, let end = child.end, end <= size else { return }
        if child.id == ID.tracks || child.id == ID.chapters, length <= Self.largest {
          let body = try source.readExactly(at: child.bodyStart, count: Int(length))
          if child.id == ID.tracks { try readTracks(body) } else { try readChapters(body) }
        }
        offset = end
      }
    } catch {
      // The file ends early or is damaged, which libavformat reports.
    }
  }

  private mutating func readTracks(_ body: [UInt8]) throws(MediaError) {
    for entry in try Self.children(of: body[...]) where entry.id == ID.trackEntry {
      let children = try Self.children(of: entry.body)
      let number = children.first { $0.id == ID.trackNumber }.map { Self.number($0.body) } ?? 0
      if children.contains(where: { $0.id == ID.flagEnabled && Self.number($0.body) == 0 }) {
        names.append("flag that disables Matroska track \(number)")
      }
      if let language = children.first(where: { $0.id == ID.languageBCP47 }) {
        // The language without a region is in another element, which libavformat reads.
        let text = String(decoding: language.body.prefix(100), as: UTF8.self).printable()
        if text.contains("-") { names.append("language \(text) of Matroska track \(number)") }
      }
    }
  }

  private mutating func readChapters(_ body: [UInt8]) throws(MediaError) {
    let editions = try Self.children(of: body[...]).filter { $0.id == ID.editionEntry }
    if editions.count > 1 { names.append("chapters of further editions") }
    var (isNested, hasTranslations) = (false, false)
    for edition in editions {
      for atom in try Self.children(of: edition.body) where atom.id == ID.chapterAtom {
        let children = try Self.children(of: atom.body)
        isNested = isNested || children.contains { $0.id == ID.chapterAtom }
        hasTranslations = hasTranslations || children.count { $0.id == ID.chapterDisplay } > 1
      }
    }
    if isNested { names.append("nested chapters") }
    if hasTranslations { names.append("chapter names in further languages") }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func children(of body: ArraySlice<UInt8>) throws(MediaError) -> [(
    id: UInt64, body: ArraySlice<UInt8>
  )] {
    var reader = ByteReader(body)
    var result: [(id: UInt64, body: ArraySlice<UInt8>)] = []
    while !reader.isAtEnd, result.count < most {
      guard let id = try MatroskaExtent.number(&reader, longest: 4, keepsMarker: true),
        let size = try MatroskaExtent.number(&reader, longest: 8, keepsMarker: false)
      else { break }
      result.append((id, try reader.take(Int(clamping: size))))
    }
    return result
  }
}
