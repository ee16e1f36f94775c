import RespoolPlugin

/// The chapters of the segment (RFC 9559 5.1.7).
struct ChapterReader {
  /// Chapters of the default edition, without those nested in others.
  private(set) var chapters: [MediaDescription.Chapter] = []
  /// `true` if `chapters` omits something: other editions, nested chapters, further titles, flags.
  private(set) var hasMore = false
  /// `true` if the only edition has the default flag, which carries no information.
  private(set) var hasDefaultFlag = false

  private static let most = 10_000

  private struct Edition {
    var isDefault = false
    var isHidden = false
    var isOrdered = false
    var uid: UInt64 = 0
    var chapters: [MediaDescription.Chapter] = []
  }

  /// Parses a Chapters element.
  ///
  /// `offset` is subtracted from all times, in nanoseconds.
  init(_ element: EBMLElement, offset: Int64) throws(MediaError) {
    var editions: [Edition] = []
    var count = 0
    try element.forEachChild { (child) throws(MediaError) in
      guard child.id == .editionEntry, editions.count < 100 else { return }
      var edition = Edition()
      try child.forEachChild { (part) throws(MediaError) in
        switch part.id {
        case .editionUID: edition.uid = try part.unsigned
        case .editionFlagDefault: edition.isDefault = try part.unsigned != 0
        case .editionFlagHidden: edition.isHidden = try part.unsigned != 0
        case .editionFlagOrdered: edition.isOrdered = try part.unsigned != 0
        case .chapterAtom:
          count += 1
          guard count <= Self.most else { return }
          if let chapter = try readAtom(part, offset) { edition.chapters.append(chapter) }
        default: break
        }
      }
      editions.append(edition)
    }
    let shown = editions.first { $0.isDefault } ?? editions.first { !$0.isHidden } ?? editions.first
    chapters = shown?.chapters ?? []
    if editions.count > 1 || editions.contains(where: { $0.isHidden || $0.isOrdered }) {
      hasMore = true
    }
    hasDefaultFlag = editions.contains(where: \.isDefault)
  }

  private mutating func readAtom(_ atom: EBMLElement, _ offset: Int64) throws(MediaError)
    -> MediaDescription.Chapter?
  {
    var (start, end): (UInt64?, UInt64?) = (nil, nil)
    var uid: UInt64 = 0
    var displays: [(title: String, language: String?)] = []
    try atom.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .chapterUID: uid = try child.unsigned
      case .chapterTimeStart: start = try child.unsigned
      case .chapterTimeEnd: end = try child.unsigned
      case .chapterFlagHidden: if try child.unsigned != 0 { hasMore = true }
      case .chapterFlagEnabled: if try child.unsigned == 0 { hasMore = true }
      case .chapterAtom: hasMore = true
      case .chapterDisplay: if displays.count < 100 { displays.append(try Self.display(child)) }
      default: break
      }
    }
    if displays.count > 1 { hasMore = true }
    guard let start else { return nil }
    let begin = max(0, Int64(clamping: start).subtractingClamped(offset))
    let stop = end.map { Int64(clamping: $0).subtractingClamped(offset) }
    return MediaDescription.Chapter(
      id: Int64(truncatingIfNeeded: uid), start: begin, end: max(begin, stop ?? begin),
      title: displays.first?.title ?? "", language: displays.first?.language)
  }

  private static func display(_ element: EBMLElement) throws(MediaError) -> (
    title: String, language: String?
  ) {
    var title = ""
    var (language, bcp47) = ("eng", "")
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .chapString: title = child.text
      case .chapLanguage: language = child.text
      case .chapLanguageBCP47: bcp47 = child.text
      default: break
      }
    }
    return (title, LanguageTag.spoken(iso639: language, bcp47: bcp47))
  }
}
