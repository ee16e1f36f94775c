import RespoolPlugin

/// The tags of the segment, grouped by their targets (RFC 9559 5.1.8).
struct TagReader {
  /// A tag with FFmpeg's name.
  struct Entry {
    var name: String
    var value: String
    /// Language.
    ///
    /// `nil` if undetermined.
    var language: String?
    /// The level, if only its number is stored.
    ///
    /// 0 for the default level, and if the name contains the level.
    var level: UInt64 = 0
    /// `true` unless the file marks another language of the tag as its default.
    var isDefault = true
  }

  /// The segment's own tags.
  private(set) var segment: [Entry] = []
  private(set) var tracks: [UInt64: [Entry]] = [:]
  private(set) var attachments: [UInt64: [Entry]] = [:]
  /// Complete Tag elements for chapters and editions.
  private(set) var chapters: [UInt8] = []
  /// Names of binary tags.
  private(set) var ofData: [String] = []
  private var count = 0

  /// Maximum number of tags: a file has a few hundred.
  private static let most = 8192
  static let deepest = 8
  /// Maximum number of targets of one tag: tracks, chapters and attachments.
  private static let mostTargets = 100

  /// Parses Tags elements.
  ///
  /// A damaged one is parsed up to the damage, which is returned.
  mutating func read(_ elements: [EBMLElement]) -> MediaError? {
    var failure: MediaError?
    for element in elements {
      do throws(MediaError) {
        try element.forEachChild { (tag) throws(MediaError) in
          if tag.id == .tag { try readTag(tag) }
        }
      } catch { failure = failure ?? error }
    }
    return failure
  }

  private mutating func readTag(_ tag: EBMLElement) throws(MediaError) {
    var entries: [Entry] = []
    var type = ""
    var level: UInt64 = 0
    var uids: [(ElementID, UInt64)] = []
    try tag.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .targets:
        try child.forEachChild { (target) throws(MediaError) in
          switch target.id {
          case .targetType: type = target.text
          case .targetTypeValue: level = try target.unsigned
          case .tagTrackUID, .tagChapterUID, .tagEditionUID, .tagAttachmentUID:
            let uid = try target.unsigned
            if uid != 0, uids.count < Self.mostTargets,
              !uids.contains(where: { $0 == (target.id, uid) })
            {
              uids.append((target.id, uid))
            }
          default: break
          }
        }
      case .simpleTag: try readSimple(child, prefix: "", depth: 0, into: &entries)
      default: break
      }
    }
    if uids.isEmpty {
      if !type.isEmpty {
        for index in entries.indices { entries[index].name = Self.name(entries[index], at: type) }
      } else if level != TagLevel.usual, TagLevel.isKnown(level) {
        for index in entries.indices { entries[index].level = level }
      }
      segment += entries
    }
    if uids.contains(where: { $0.0 == .tagChapterUID || $0.0 == .tagEditionUID }) {
      var writer = EBMLWriter()
      writer.binary(.tag, tag.payload.bytes)
      chapters += writer.bytes
    }
    // Each target gets all entries.
    count += entries.count * max(0, uids.count - 1)
    guard count <= Self.most else { return }
    for (id, uid) in uids {
      if id == .tagTrackUID { tracks[uid, default: []] += entries }
      if id == .tagAttachmentUID { attachments[uid, default: []] += entries }
    }
  }

  private mutating func readSimple(
    _ element: EBMLElement, prefix: String, depth: Int, into entries: inout [Entry]
  ) throws(MediaError) {
    guard depth < Self.deepest, count < Self.most else { return }
    count += 1
    var (isData, isDefault) = (false, true)
    var (name, value): (String, String?) = ("", nil)
    var (language, bcp47) = ("und", "")
    var nested: [EBMLElement] = []
    try element.forEachChild { (child) throws(MediaError) in
      switch child.id {
      case .tagName: name = child.text
      case .tagString: value = child.text
      case .tagBinary: isData = true
      case .tagLanguage: language = child.text
      case .tagLanguageBCP47: bcp47 = child.text
      case .tagDefault: isDefault = try child.unsigned != 0
      case .simpleTag: if nested.count < 1000 { nested.append(child) }
      default: break
      }
    }
    guard !name.isEmpty else { return }
    let full = prefix.isEmpty ? name : "\(prefix)/\(name)"
    if let value {
      entries.append(
        Entry(
          name: Self.ffmpegNames[full.uppercased()] ?? full, value: value,
          language: LanguageTag.spoken(iso639: language, bcp47: bcp47), isDefault: isDefault))
    } else if isData {
      ofData.append(full)
    }
    for child in nested {
      try readSimple(child, prefix: full, depth: depth + 1, into: &entries)
    }
  }

  /// Returns the segment's tags with each name at one level only.
  ///
  /// A name at several levels is kept for the smallest unit: a song keeps `TITLE`, and its album has
  /// `ALBUM/TITLE`.
  func segmentByLevel(hasVideo: Bool) -> [Entry] {
    func level(_ entry: Entry) -> UInt64 { entry.level == 0 ? TagLevel.usual : entry.level }
    let smallest = Dictionary(
      segment.map { ($0.name.lowercased(), level($0)) }, uniquingKeysWith: min)
    return segment.map { entry in
      guard level(entry) != smallest[entry.name.lowercased()],
        let type = TagLevel.name(level(entry), hasVideo: hasVideo)
      else { return entry }
      return Entry(
        name: Self.name(entry, at: type), value: entry.value, language: entry.language,
        isDefault: entry.isDefault)
    }
  }

  /// Returns a name with its level, as in FFmpeg: `ALBUM/TITLE`.
  private static func name(_ entry: Entry, at level: String) -> String {
    "\(level)/\(matroskaNames[entry.name.lowercased()] ?? entry.name)"
  }

  /// Names that FFmpeg spells differently.
  private static let ffmpegNames = ["PART_NUMBER": "track", "LEAD_PERFORMER": "performer"]
  static let matroskaNames = ["track": "PART_NUMBER", "performer": "LEAD_PERFORMER"]
}

extension MediaDescription {
  /// Adds the tags.
  ///
  /// `tracks` and `attachments` map UIDs to track indices.
  mutating func add(_ tags: TagReader, tracks: [UInt64: Int], attachments: [UInt64: Int]) {
    var native: [NativeTag] = []
    var saysMore = false
    func add(_ entries: [TagReader.Entry], to metadata: inout [MetadataEntry], track: Int?) {
      for entry in entries.movingBack(name: \.name, isLater: { !$0.isDefault }) {
        metadata.append(MetadataEntry(entry.name, entry.value))
        let plain = MetadataEntry(entry.name, entry.value)
        guard !plain.describesSourceFile, entry.name.lowercased() != MetadataDate.creationTime
        else {
          continue
        }
        if entry.language != nil || entry.level != 0 { saysMore = true }
        let key = TagReader.matroskaNames[entry.name.lowercased()] ?? entry.name.uppercased()
        native.append(
          NativeTag(
            keySpace: "org.matroska", key: entry.level == 0 ? key : "\(entry.level)/\(key)",
            name: entry.name, value: entry.value, language: entry.language, track: track))
      }
    }
    // A tag overrides the element of the same meaning, as in FFmpeg. Both are kept if they differ: programs
    // that copy a file set DateUTC to the time of the copy.
    let segment = tags.segmentByLevel(hasVideo: self.tracks.contains { $0.kind == .video })
    let names = Set(segment.map { $0.name.lowercased() })
    let date = segment.first { $0.name.lowercased() == MetadataDate.creationTime }?.value
    for index in metadata.indices where metadata[index].name == MetadataDate.creationTime {
      guard let date, MetadataDate.seconds(date) != MetadataDate.seconds(metadata[index].value)
      else { continue }
      metadata[index].name = SegmentHead.dateElement
    }
    let titles = segment.filter { $0.name.lowercased() == "title" }
    let element = metadata.first { $0.name == "title" }?.value
    // FFmpeg writes the title without a language only as the element, and others as tags.
    let isDefault =
      element != nil && !titles.isEmpty
      && titles.allSatisfy { $0.language != nil && $0.value != element }
    for index in metadata.indices where metadata[index].name == "title" && !isDefault {
      if let title = titles.first?.value, title != metadata[index].value {
        metadata[index].name = SegmentHead.titleElement
      }
    }
    metadata.removeAll { names.contains($0.name.lowercased()) }
    if isDefault, let element {
      add([TagReader.Entry(name: "title", value: element)], to: &metadata, track: nil)
    }
    add(segment, to: &metadata, track: nil)
    for (uid, index) in tracks.sorted(by: { $0.value < $1.value }) {
      add(tags.tracks[uid] ?? [], to: &self.tracks[index].metadata, track: index)
    }
    for (uid, index) in attachments.sorted(by: { $0.value < $1.value }) {
      add(tags.attachments[uid] ?? [], to: &self.tracks[index].metadata, track: index)
    }
    // Without languages and levels, the metadata entries are equivalent.
    if saysMore { nativeTags = native }
  }
}
