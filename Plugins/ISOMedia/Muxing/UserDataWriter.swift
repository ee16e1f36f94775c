import RespoolPlugin

/// A writer of `udta`: metadata in iTunes' format, which every reader supports, and Nero's chapter list.
struct UserDataWriter {
  private let metadata: [MetadataEntry]
  private let covers: [(codec: String, bytes: [UInt8])]
  private let chapters: [MediaDescription.Chapter]
  /// The tags of the movie as stored in the source.
  private let tags: [NativeTag]
  /// Boxes of the source's user data to write unchanged.
  private let records: [SideData]
  private let languages: EntryLanguages

  init(
    metadata: [MetadataEntry], covers: [(codec: String, bytes: [UInt8])],
    chapters: [MediaDescription.Chapter], tags: [NativeTag] = [], records: [SideData] = []
  ) {
    (self.metadata, self.covers, self.chapters) = (metadata, covers, chapters)
    (self.tags, self.records) = (tags, records)
    languages = EntryLanguages(tags)
  }

  func write(to writer: inout BoxWriter) {
    let entries = Self.combined(
      metadata.filter {
        !$0.describesSourceFile && !Dates.isStored($0) && !$0.value.isEmpty
      })
    let vendor = records.filter { $0.type == .userData }
    let parts = [
      entries.isEmpty, covers.isEmpty, chapters.isEmpty, vendor.isEmpty, shopTags.isEmpty,
    ]
    guard parts.contains(false) else { return }
    writer.box("udta") { udta in
      // QuickTime's international text, in which phones and cameras store location and device.
      let isText = { (entry: MetadataEntry) in
        Self.texts[entry.name.lowercased()] != nil && entry.value.utf8.count <= Int(UInt16.max)
          && (entry.name.lowercased() != "location" || Self.isPosition(entry.value))
      }
      let listed = entries.filter { !isText($0) }
      if !listed.isEmpty || !covers.isEmpty || !shopTags.isEmpty {
        udta.box("meta") { meta in
          meta.versionAndFlags(0)
          var handler = HandlerBox(handlerType: "mdir", name: "")
          handler.manufacturer = FourCC("appl").rawValue
          meta.write(handler)
          meta.box("ilst") { list in
            write(listed, to: &list)
            for tag in shopTags { write(tag, to: &list) }
            writeCovers(to: &list)
          }
        }
      }
      // Written after the items: a reader that uses the last of two locations gets the one that FFmpeg used.
      for entry in entries where isText(entry) {
        guard let code = Self.texts[entry.name.lowercased()] else { continue }
        udta.box(code) {
          $0.u16(UInt16(entry.value.utf8.count))
          // English, as on Android; its readers expect it for locations.
          $0.u16(code == "\u{A9}xyz" ? 0x15C7 : MediaHeaderBox.undetermined)
          $0.raw(entry.value.utf8)
        }
      }
      if !chapters.isEmpty {
        let list = chapters.sorted { $0.start < $1.start }.map {
          ChapterListBox.Chapter(start: UInt64(max(0, $0.start)) / 100, title: $0.title)
        }
        udta.write(ChapterListBox(chapters: list))
      }
      for record in vendor { udta.raw(record.bytes) }
    }
  }

  /// Types of the boxes that belong directly into user data.
  private static let texts: [String: FourCC] = [
    "location": "\u{A9}xyz", "make": "\u{A9}mak", "model": "\u{A9}mod", "software": "\u{A9}swr",
  ]

  /// Returns `true` for coordinates of ISO 6709, such as `+48.8577+002.295/`.
  ///
  /// Readers take any other text for coordinates, too: a name of a place must not be stored as coordinates.
  static func isPosition(_ text: String) -> Bool {
    guard let sign = text.first, sign == "+" || sign == "-" else { return false }
    return text.dropFirst().first?.isASCII == true && text.dropFirst().first?.isNumber == true
  }

  /// Returns the entries with the totals of Vorbis comments appended to their numbers, such as `3/12`.
  private static func combined(_ entries: [MetadataEntry]) -> [MetadataEntry] {
    var entries = entries
    let totals = [
      "track": ["tracktotal", "totaltracks"], "disc": ["disctotal", "totaldiscs"],
    ]
    for (name, names) in totals {
      guard let number = entries.firstIndex(where: { $0.name.lowercased() == name }),
        !entries[number].value.contains("/"),
        let total = entries.first(where: { names.contains($0.name.lowercased()) })?.value,
        pair("\(entries[number].value)/\(total)") != nil
      else { continue }
      entries[number].value += "/\(total)"
      entries.removeAll { names.contains($0.name.lowercased()) }
    }
    return entries
  }

  /// Returns the lookup name of an entry: FFmpeg's in lower case, without the language suffix of ID3 lyrics.
  private static func key(_ entry: MetadataEntry) -> String {
    let name = entry.name.lowercased()
    return name.hasPrefix("lyrics-") ? "lyrics" : name
  }

  private static func itemType(_ entry: MetadataEntry) -> FourCC? {
    let name = key(entry)
    return ItemNames.itunes.first { $0.name == name }?.code
  }

  /// Writes entries in order; those of one item that have another language than its first are values of that item.
  private func write(_ entries: [MetadataEntry], to writer: inout BoxWriter) {
    let items = languages.isEmpty ? [:] : Dictionary(grouping: entries, by: Self.itemType)
    var translated: Set<MetadataEntry> = []
    var begun: Set<FourCC> = []
    for entry in entries where !translated.contains(entry) {
      var translations: [MetadataEntry] = []
      if let type = Self.itemType(entry), begun.insert(type).inserted {
        translations = items[type]?.filter { languages[$0] != languages[entry] } ?? []
        translated.formUnion(translations)
      }
      write(entry, translations, to: &writer)
    }
  }

  private func write(
    _ entry: MetadataEntry, _ translations: [MetadataEntry], to writer: inout BoxWriter
  ) {
    let name = Self.key(entry)
    if let code = Self.itemType(entry) {
      writer.box(code) {
        for value in values(of: entry) {
          let language = languages[MetadataEntry(entry.name, value)]
          Self.data(1, Array(value.utf8), language: language, to: &$0)
        }
        // The default is the first value, which is the only one that FFmpeg 5 reads.
        for other in translations {
          Self.data(1, Array(other.value.utf8), language: languages[other], to: &$0)
        }
      }
    } else if name == "track" || name == "disc",
      let pair = Self.pair(entry.value)
    {
      writer.box(name == "track" ? "trkn" : "disk") {
        var bytes: [UInt8] = [0, 0]
        for number in [pair.0, pair.1] { bytes += [UInt8(number >> 8), UInt8(number & 0xFF)] }
        if entry.name == "track" { bytes += [0, 0] }
        Self.data(0, bytes, to: &$0)
      }
    } else if let code = ItemNames.numbers.first(where: { $0.value == name })?.key,
      let number = Int32(entry.value)
    {
      writer.box(code) {
        let bytes: [UInt8] =
          code == "tves" || code == "tvsn"
          ? withUnsafeBytes(of: number.bigEndian) { Array($0) }
          : code == "tmpo"
            ? withUnsafeBytes(of: Int16(clamping: number).bigEndian) { Array($0) }
            : [UInt8(clamping: number)]
        Self.data(21, bytes, to: &$0)
      }
    } else {
      // FFmpeg's programs look up the date of a movie by its lower-case name.
      let own = name == MetadataDate.creationTime ? name : entry.name
      let stored = tag(of: entry).flatMap { $0.value == entry.value ? $0 : nil }
      let (kind, bytes) = stored.map { Self.typed($0) } ?? (1, Array(entry.value.utf8))
      Self.item(domain(of: entry), own, kind, bytes, language: languages[entry], to: &writer)
    }
  }

  /// Writes an item whose key has a domain and a name.
  private static func item(
    _ domain: String, _ name: String, _ kind: UInt32, _ bytes: [UInt8], language: String? = nil,
    to writer: inout BoxWriter
  ) {
    writer.box("----") {
      for (type, text) in [("mean" as FourCC, domain), ("name", name)] {
        $0.box(type) {
          $0.versionAndFlags(0)
          $0.raw(text.utf8)
        }
      }
      data(kind, bytes, language: language, to: &$0)
    }
  }

  /// Returns the type and the bytes of a value.
  private static func typed(_ tag: NativeTag) -> (kind: UInt32, bytes: [UInt8]) {
    if let bytes = tag.bytes { return (tag.dataType ?? 0, bytes) }
    guard tag.kind == .integer, let number = Int64(tag.value) else {
      return (tag.dataType == 0 ? 0 : 1, Array(tag.value.utf8))
    }
    // Type 21: a signed integer of variable length.
    return (21, Int32(exactly: number)?.bigEndianBytes ?? number.bigEndianBytes)
  }

  /// Returns the values of an entry.
  ///
  /// Values of Vorbis comments stay joined, because FFmpeg joins them and reads one per item.
  private func values(of entry: MetadataEntry) -> [String] {
    guard entry.value.contains(";") else { return [entry.value] }
    return TagValues(tags.filter { $0.keySpace != "org.xiph.comment" })[entry]
  }

  /// Items without an entry: iTunes items without an FFmpeg name, such as store IDs, items with data, and locations
  /// that differ from the one in user data.
  private var shopTags: [NativeTag] {
    tags.filter { tag in
      if tag.kind == .data, tag.keySpace == "itlk" { return true }
      return tag.keySpace == "itsk" && tag.key.unicodeScalars.count == 4
        && (tag.kind == .data || tag.name.isEmpty
          || Self.texts[tag.name] != nil && !tag.isStated(by: metadata))
        && (tag.kind != .integer || Int64(tag.value) != nil) && tag.kind != .real
    }
  }

  private func write(_ tag: NativeTag, to writer: inout BoxWriter) {
    let (kind, bytes) = Self.typed(tag)
    guard tag.keySpace == "itlk" else {
      return writer.box(FourCC(tag.key)) { Self.data(kind, bytes, to: &$0) }
    }
    // A domain has dots, and most names have none.
    let isApples = tag.key.hasPrefix(Self.domain + ".")
    let end = isApples ? Self.domain.endIndex : tag.key.lastIndex(of: ".")
    let name = end.map { tag.key[tag.key.index(after: $0)...] } ?? tag.key[...]
    Self.item(end.map { String(tag.key[..<$0]) } ?? "", String(name), kind, bytes, to: &writer)
  }

  /// Domain of the names that iTunes and tagging programs use.
  private static let domain = "com.apple.iTunes"

  /// Returns the domain of an entry that is not an iTunes item.
  private func domain(of entry: MetadataEntry) -> String {
    tag(of: entry).map { String($0.key.dropLast(entry.name.count + 1)) } ?? Self.domain
  }

  /// Returns the source's tag for an entry that is not an iTunes item.
  private func tag(of entry: MetadataEntry) -> NativeTag? {
    let named = tags.filter {
      $0.keySpace == "itlk" && $0.name == entry.name && $0.key.hasSuffix("." + entry.name)
    }
    return named.first { $0.value == entry.value } ?? named.first
  }

  private func writeCovers(to writer: inout BoxWriter) {
    guard !covers.isEmpty else { return }
    writer.box("covr") {
      for cover in covers {
        let kind: UInt32 = cover.codec == "png" ? 14 : cover.codec == "bmp" ? 27 : 13
        Self.data(kind, cover.bytes, to: &$0)
      }
    }
  }

  private static func data(
    _ kind: UInt32, _ bytes: [UInt8], language: String? = nil, to writer: inout BoxWriter
  ) {
    let locale = ItemKeys.locale(of: language)
    writer.box("data") {
      $0.u32(kind)
      $0.u16(locale.country)
      $0.u16(locale.language)
      $0.raw(bytes)
    }
  }

  /// Parses `3` or `3/12`.
  private static func pair(_ text: String) -> (UInt16, UInt16)? {
    let parts = text.split(separator: "/", maxSplits: 1)
    guard let first = parts.first.flatMap({ UInt16($0) }) else { return nil }
    guard parts.count == 2 else { return (first, 0) }
    return UInt16(parts[1]).map { (first, $0) }
  }
}
