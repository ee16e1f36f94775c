import RespoolPlugin

/// Makes the Tags element (RFC 9559 5.1.8).
struct TagWriter {
  private let media: MediaDescription
  /// The tag that DateUTC stands for; `nil`: there is none.
  private let date: MetadataEntry?
  /// `true` if the tag of that name states another title than the element Title.
  private let hasOwnTitle: Bool
  private var tags = EBMLWriter()

  init(_ media: MediaDescription, date: MetadataEntry?, hasOwnTitle: Bool) {
    (self.media, self.date, self.hasOwnTitle) = (media, date, hasOwnTitle)
  }

  /// The element; empty if there are no tags.
  var bytes: [UInt8] {
    guard tags.count > 0 else { return [] }
    var writer = EBMLWriter()
    writer.binary(.tags, tags.bytes)
    return writer.bytes
  }

  /// Names that have an element of their own, or tell about the source's streams.
  private static let foreign: Set<String> = [
    "title", "language", "encoder", "filename", "mimetype", "bps", "number_of_frames",
    "number_of_bytes",
  ]

  /// Names that Matroska spells in another way; others are only in capitals.
  private static let names = ["track": "PART_NUMBER", "performer": "LEAD_PERFORMER"]

  /// What a tag is about: TargetType and its value (RFC 9559 5.1.8.1.1.1).
  private static let levels: [String: Int] = [
    "COLLECTION": 70, "EDITION": 60, "ISSUE": 60, "VOLUME": 60, "OPUS": 60, "SEASON": 60,
    "SEQUEL": 60, "ALBUM": 50, "OPERA": 50, "CONCERT": 50, "MOVIE": 50, "EPISODE": 50, "PART": 40,
    "SESSION": 40, "TRACK": 30, "SONG": 30, "CHAPTER": 30, "SUBTRACK": 20, "MOVEMENT": 20,
    "SCENE": 20, "SHOT": 10,
  ]

  /// Adds Tag elements as they are.
  mutating func append(_ elements: [UInt8]) { tags.append(elements) }

  /// Adds the tags of a track, or of the file.
  mutating func add(_ metadata: [MetadataEntry], track: MatroskaTrack?) {
    let kept = metadata.filter { isKept($0, track: track) }
    // The level is the front of a name, as FFmpeg has it: ALBUM/TITLE.
    var groups: [(level: String, entries: [MetadataEntry])] = []
    for entry in kept {
      let level = track == nil ? Self.level(of: entry.name) : ""
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
          guard let value = Self.levels[group.level] else { return }
          targets.unsigned(.targetTypeValue, value)
          targets.text(.targetType, group.level)
        }
        for entry in group.entries { write(entry, level: group.level, track, to: &tag) }
      }
    }
    tags.append(written.bytes)
  }

  private static func level(of name: String) -> String {
    guard let slash = name.firstIndex(of: "/") else { return "" }
    let front = name[..<slash].uppercased()
    return levels[front] != nil && name.index(after: slash) < name.endIndex ? front : ""
  }

  private func isKept(_ entry: MetadataEntry, track: MatroskaTrack?) -> Bool {
    let name = entry.name.lowercased()
    // The title's own element says nothing of its language.
    if name == "title", language(of: entry, track) != nil || track == nil && hasOwnTitle {
      return true
    }
    if track == nil, name == SegmentHead.titleElement.lowercased() { return false }
    if track == nil, entry == date { return false }
    return !Self.foreign.contains(name) && !entry.isOfFile && !name.isEmpty
  }

  private func language(of entry: MetadataEntry, _ track: MatroskaTrack?) -> String? {
    media.nativeTags.first {
      $0.language != nil && $0.track == track?.index && $0.value == entry.value
        && $0.name.lowercased() == entry.name.lowercased()
    }?.language
  }

  private func write(
    _ entry: MetadataEntry, level: String, _ track: MatroskaTrack?, to tag: inout EBMLWriter
  ) {
    tag.master(.simpleTag) { simple in
      let name = level.isEmpty ? entry.name : String(entry.name.dropFirst(level.count + 1))
      simple.text(.tagName, Self.spelled(name))
      if let language = language(of: entry, track) {
        let tag = LanguageTag(language)
        simple.text(.tagLanguage, tag.iso639)
        if let bcp47 = tag.bcp47 { simple.text(.tagLanguageBCP47, bcp47) }
      }
      simple.text(.tagString, entry.value)
    }
  }

  /// Names of other systems, such as `com.apple.quicktime.make`, tell capitals from small letters.
  private static func spelled(_ name: String) -> String {
    names[name.lowercased()] ?? (name.hasPrefix("com.") ? name : name.uppercased())
  }
}
