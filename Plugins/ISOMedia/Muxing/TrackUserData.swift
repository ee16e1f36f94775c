import RespoolPlugin

/// A writer of `meta` and `udta` of one track.
///
/// QuickTime movies have metadata with Apple's keys, and international text (QuickTime File Format,
/// "Metadata" and "User data"). Other movies have the track's name, and the 3GPP texts (TS 26.244 8), which
/// ISO files may contain.
struct TrackUserData {
  private let flavor: Flavor
  private let items: ItemListWriter
  private var name: String?
  private var texts: [(code: FourCC, text: String, language: UInt16)] = []
  private let kinds: [KindBox]
  /// Boxes of the source that are written unchanged.
  private let unknownBoxes: [UInt8]

  /// Creates the writer.
  ///
  /// `tags` are the tags of the track.
  init(_ track: TrackDescription, _ tags: [NativeTag], flavor: Flavor) {
    self.flavor = flavor
    let metadata = track.metadata
    kinds = KindBox.roles(of: track.disposition) + KindBox.boxes(in: track.sideData)
    unknownBoxes = track.sideData.filter { $0.type == .userData }.flatMap(\.bytes)
    items = ItemListWriter(tags)
    let names = flavor == .mov ? Self.international : Self.isoTexts
    for entry in metadata where !entry.value.isEmpty {
      if flavor == .mov, tags.contains(where: { $0.keySpace == "mdta" && $0.name == entry.name }) {
        continue
      }
      let tag = tags.first { $0.name == entry.name && $0.value == entry.value }
      let isTitle = entry.name.lowercased() == "title"
      // The name of the track comes before its other title.
      let hasOther = isTitle && metadata.count { $0.name.lowercased() == "title" } > 1
      if isTitle, name == nil, flavor != .mov || hasOther {
        name = entry.value
        continue
      }
      let own = tag.flatMap { $0.keySpace == "udta" ? FourCC($0.key) : nil }
      let isOwn = flavor == .mov && own.map { $0.rawValue >> 24 == 0xA9 } ?? false
      guard let code = isOwn ? own : names[entry.name.lowercased()],
        entry.value.utf8.count <= Int(UInt16.max)
      else { continue }
      let language = MediaHeaderBox.code(ofLanguage: tag?.language ?? "und")
      texts.append((code, entry.value, language))
    }
  }

  func write(to writer: inout BoxWriter) {
    items.write(to: &writer, hasPlainTypes: flavor != .mov)
    guard name != nil || !texts.isEmpty || !kinds.isEmpty || !unknownBoxes.isEmpty else { return }
    writer.box("udta") { udta in
      if let name { udta.box("name") { $0.raw(name.utf8) } }
      for kind in kinds { udta.write(kind) }
      for (code, text, language) in texts {
        udta.box(code) {
          if flavor == .mov {
            $0.u16(UInt16(text.utf8.count))
            $0.u16(language)
            $0.raw(text.utf8)
          } else {
            $0.versionAndFlags(0)
            $0.u16(language)
            $0.raw(text.utf8)
            $0.u8(0)
          }
        }
      }
      udta.raw(unknownBoxes)
    }
  }

  private static let international: [String: FourCC] = [
    "title": "\u{A9}nam", "artist": "\u{A9}ART", "album": "\u{A9}alb", "date": "\u{A9}day",
    "comment": "\u{A9}cmt", "genre": "\u{A9}gen", "composer": "\u{A9}com", "copyright": "\u{A9}cpy",
    "make": "\u{A9}mak", "model": "\u{A9}mod", "location": "\u{A9}xyz", "keywords": "\u{A9}key",
    "director": "\u{A9}dir", "producer": "\u{A9}prd", "performers": "\u{A9}prf",
    "warning": "\u{A9}wrn",
  ]

  private static let isoTexts: [String: FourCC] = [
    "title": "titl", "artist": "perf", "genre": "gnre", "album": "albm", "description": "dscp",
    "copyright": "cprt",
    "make": "manu", "model": "modl",
  ]
}
