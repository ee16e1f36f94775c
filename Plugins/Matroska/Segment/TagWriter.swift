import RespoolPlugin

/// A writer of the Tags element (RFC 9559 5.1.8).
struct TagWriter {
  private let media: MediaDescription
  /// The entry that DateUTC fully represents.
  ///
  /// `nil` if there is none.
  private let date: MetadataEntry?
  /// `true` if the title tag differs from the Title element.
  private let hasOwnTitle: Bool
  /// The source's tags with a language or a level.
  private let native: [Key: NativeTag]
  private var tags = EBMLWriter()

  private struct Key: Hashable {
    var name: String
    var value: String
    var track: Int?
  }

  init(_ media: MediaDescription, date: MetadataEntry?, hasOwnTitle: Bool) {
    (self.media, self.date, self.hasOwnTitle) = (media, date, hasOwnTitle)
    let stated = media.nativeTags.filter { $0.language != nil || Self.level(of: $0) != nil }
    native = Dictionary(
      stated.flatMap { tag in
        [tag.name, tag.key].map { name in
          (Key(name: name.lowercased(), value: tag.text, track: tag.track), tag)
        }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The bytes of the element.
  ///
  /// Empty if there are no tags.
  var bytes: [UInt8] {
    guard tags.count > 0 else { return [] }
    var writer = EBMLWriter()
    writer.binary(.tags, tags.bytes)
    return writer.bytes
  }

  /// Names that have an element of their own, or describe the source's streams.
  private static let foreign: Set<String> = [
    "title", "language", "encoder", "filename", "mimetype", "bps", "number_of_frames",
    "number_of_bytes",
  ]

  /// Names that Matroska spells differently.
  ///
  /// Others are only converted to upper case.
  private static let names = ["track": "PART_NUMBER", "performer": "LEAD_PERFORMER"]

  /// Appends complete Tag elements.
  mutating func append(_ elements: [UInt8]) { tags.append(elements) }

  /// Adds the tags of a track.
  ///
  /// `nil` for tags of the file.
  mutating func add(_ metadata: [MetadataEntry], track: MatroskaTrack?) {
    let titles = metadata.count { $0.name.lowercased() == "title" }
    let kept = metadata.filter { entry in
      // Several titles are in several languages, and the Title element stores one.
      titles > 1 && entry.name.lowercased() == "title" || isKept(entry, track: track)
    }
    var groups: [(level: Level, entries: [MetadataEntry])] = []
    for entry in kept {
      let level = track == nil ? level(of: entry) : Level()
      if let place = groups.firstIndex(where: { $0.level == level }) {
        groups[place].entries.append(entry)
      } else {
        groups.append((level, [entry]))
      }
    }
    var written = EBMLWriter()
    for group in groups {
      written.master(.tag) { tag in
        tag.master(.targets) { targets in
          if let track { targets.unsigned(.tagTrackUID, track.number) }
          guard let value = group.level.value else { return }
          targets.unsigned(.targetTypeValue, Int(value))
          if !group.level.name.isEmpty { targets.text(.targetType, group.level.name) }
        }
        for node in nodes(of: group.entries, in: group.level, track) {
          write(node, track, to: &tag)
        }
      }
    }
    tags.append(written.bytes)
  }

  /// TargetTypeValue and TargetType of a group of tags, if known.
  private struct Level: Equatable {
    var value: UInt64?
    var name = ""
  }

  private func level(of entry: MetadataEntry) -> Level {
    // The level is the first part of a name, as in FFmpeg: ALBUM/TITLE.
    if let slash = entry.name.firstIndex(of: "/") {
      let front = entry.name[..<slash].uppercased()
      if let value = TagLevel.value(front), entry.name.index(after: slash) < entry.name.endIndex {
        return Level(value: value, name: front)
      }
    }
    return Level(value: stated(entry, nil).flatMap { Self.level(of: $0) })
  }

  /// Returns the level at the start of a key such as `30/TITLE`.
  private static func level(of tag: NativeTag) -> UInt64? {
    guard tag.keySpace == "org.matroska", let front = tag.key.split(separator: "/").first,
      let value = UInt64(front), TagLevel.isKnown(value)
    else { return nil }
    return value
  }

  /// A tag and the tags nested in it.
  private struct Node {
    var name: String
    var entry: MetadataEntry
    /// `false` if an earlier tag has the name in another language.
    var isDefault = true
    var inner: [Node] = []
  }

  /// Nests a tag `ARTIST/INSTRUMENTS` into a directly preceding tag `ARTIST`.
  private func nodes(
    of entries: [MetadataEntry], in level: Level, _ track: MatroskaTrack?
  ) -> [Node] {
    func insert(_ node: Node, into nodes: inout [Node], depth: Int) {
      if let last = nodes.indices.last, depth < TagReader.deepest {
        let front = Self.spelled(nodes[last].name) + "/"
        if node.name.utf8.count > front.utf8.count, node.name.uppercased().hasPrefix(front) {
          var inner = node
          inner.name = String(node.name.dropFirst(front.count))
          return insert(inner, into: &nodes[last].inner, depth: depth + 1)
        }
      }
      nodes.append(node)
    }
    var nodes: [Node] = []
    var languages: [String: String?] = [:]
    for entry in entries {
      let name = String(entry.name.dropFirst(level.name.isEmpty ? 0 : level.name.count + 1))
      let language = language(of: entry, track)
      let first = languages[name.lowercased()] ?? language
      languages[name.lowercased()] = .some(first)
      insert(
        Node(name: name, entry: entry, isDefault: first == language), into: &nodes, depth: 0)
    }
    return nodes
  }

  private func isKept(_ entry: MetadataEntry, track: MatroskaTrack?) -> Bool {
    let name = entry.name.lowercased()
    // The Title element does not store language and level.
    if name == "title", stated(entry, track) != nil || track == nil && hasOwnTitle {
      return true
    }
    if track != nil, name == MetadataDate.creationTime {
      // DateUTC applies to all tracks.
      return date.flatMap { MetadataDate.distance($0.value, entry.value) } != 0
    }
    if track == nil, name == "language" {
      return !media.tracks.contains { LanguageTag.isSame($0.language, entry.value) }
    }
    if track == nil, name == SegmentHead.titleElement.lowercased() { return false }
    if track == nil, entry == date { return false }
    return !Self.foreign.contains(name) && !entry.describesSourceFile && !name.isEmpty
  }

  /// Returns the source's tag for an entry if it has more than name and value.
  private func stated(_ entry: MetadataEntry, _ track: MatroskaTrack?) -> NativeTag? {
    native[Key(name: entry.name.lowercased(), value: entry.value, track: track?.index)]
  }

  private func language(of entry: MetadataEntry, _ track: MatroskaTrack?) -> String? {
    stated(entry, track)?.language
  }

  private func write(_ node: Node, _ track: MatroskaTrack?, to tag: inout EBMLWriter) {
    tag.master(.simpleTag) { simple in
      simple.text(.tagName, Self.spelled(node.name))
      if let language = language(of: node.entry, track) {
        let tag = LanguageTag(language)
        simple.text(.tagLanguage, tag.iso639)
        if let bcp47 = tag.bcp47 { simple.text(.tagLanguageBCP47, bcp47) }
      }
      // Readers show the default one of several languages (RFC 9559 5.1.8.1.2.4).
      if !node.isDefault { simple.unsigned(.tagDefault, 0) }
      simple.text(.tagString, node.entry.value)
      for inner in node.inner { write(inner, track, to: &simple) }
    }
  }

  /// Returns Matroska's name.
  ///
  /// Names of other systems, such as `com.apple.quicktime.make`, are case-sensitive.
  private static func spelled(_ name: String) -> String {
    names[name.lowercased()] ?? (name.hasPrefix("com.") ? name : name.uppercased())
  }
}
