import RespoolPlugin

/// A parser of the `udta` and `meta` boxes of a movie or a track.
struct MetadataReader {
  /// A cover image.
  struct Cover {
    var offset: Int64
    var length: Int64
    /// FFmpeg's codec name.
    ///
    /// Empty if the image is not JPEG, PNG or BMP.
    var codec: String
  }

  private(set) var entries: [MetadataEntry] = []
  /// The entries as stored in the file, and tags for which FFmpeg has no name.
  private(set) var tags: [NativeTag] = []
  private(set) var covers: [Cover] = []
  /// Names for which an iTunes item has already set a value.
  private var shopNames: Set<String> = []
  /// Key spaces of boxes in user data: QuickTime's and 3GPP's.
  private static let ofUserData: Set<String> = ["udta", "uiso"]
  private(set) var chapters: [ChapterListBox.Chapter] = []
  /// Roles of a track.
  private(set) var kinds: [KindBox] = []
  /// Unknown boxes of user data, complete with their headers: those of cameras and of XMP.
  private(set) var unknownBoxes: [UInt8] = []
  private static let mostUnknownBytes = 4 << 20

  /// Maximum number of tags.
  ///
  /// A tag takes ten times its size in memory, so a file with more may be an attack.
  private static let mostTags = 4096
  /// Maximum nesting depth that is parsed.
  private static let deepest = 16

  /// Sets a name to a value; a later value of the same name replaces an earlier one.
  mutating func set(_ name: String, _ value: String) {
    guard !value.isEmpty else { return }
    if let index = entries.firstIndex(where: { $0.name == name }) {
      entries[index].value = value
    } else {
      entries.append(MetadataEntry(name, value))
    }
  }

  /// Returns `true` if a tag with this key or name was already read in another language.
  ///
  /// Locations have no language, but phones mark them as English.
  func isTranslation(_ keySpace: String, _ key: String, _ name: String, _ language: String?) -> Bool
  {
    guard name != "location" else { return false }
    return tags.contains {
      $0.language != language
        && ($0.keySpace == keySpace && $0.key == key || !name.isEmpty && $0.name == name)
    }
  }

  /// Adds an entry beside those of the same name in other languages; first if it has no language.
  mutating func addTranslation(_ name: String, _ value: String, _ language: String?) {
    let entry = MetadataEntry(name, value)
    guard !value.isEmpty, entries.count < Self.mostTags, !entries.contains(entry) else { return }
    let first = language == nil ? entries.firstIndex { $0.name == name } : nil
    entries.insert(entry, at: first ?? entries.count)
  }

  /// Records a tag as stored, and sets the entry if the tag has a name.
  ///
  /// Values of an item in several languages become entries of their own. An item may have several values in one
  /// language, and items with names of their own may occur several times. If an iTunes item and a box of user data have different values for one name, the entry takes the item's value. The
  /// box becomes a tag without a name.
  mutating func take(
    _ value: String, name: String?, _ keySpace: String, _ key: String,
    kind: NativeTag.Kind = .text, dataType: UInt32? = nil, language: String? = nil
  ) {
    guard !value.isEmpty, tags.count < Self.mostTags else { return }
    var name = name
    let language = language == "und" ? nil : language
    if let name, isTranslation(keySpace, key, name, language) {
      addTranslation(name, value, language)
    } else if let known = name, keySpace == "itsk",
      let index = entries.firstIndex(where: { $0.name == known }),
      tags.contains(where: { $0.key == key && $0.keySpace == keySpace })
    {
      let isNew = !tags.contains { $0.key == key && $0.value == value }
      if isNew { entries[index].value += ";" + value }
    } else if let known = name, keySpace == "itlk", shopNames.contains(known) {
      let entry = MetadataEntry(known, value)
      if !entries.contains(entry), entries.count < Self.mostTags { entries.append(entry) }
    } else if let known = name, keySpace == "itlk" {
      shopNames.insert(known)
      for index in tags.indices
      where Self.ofUserData.contains(tags[index].keySpace) && tags[index].name == known
        && tags[index].value != value
      {
        tags[index].name = ""
      }
      set(known, value)
    } else if let known = name, Self.ofUserData.contains(keySpace), shopNames.contains(known) {
      if !entries.contains(MetadataEntry(known, value)) { name = nil }
    } else if let name, !entries.contains(MetadataEntry(name, value)),
      let place = entries.firstIndex(where: { $0.name == name }),
      isBesideName(key, of: name, keySpace), entries.count < Self.mostTags
    {
      entries.insert(MetadataEntry(name, value), at: key == "name" ? place : place + 1)
    } else if let name {
      set(name, value)
    }
    take(
      NativeTag(
        keySpace: keySpace, key: key, name: name ?? "", value: value, kind: kind,
        dataType: dataType, language: language))
  }

  /// `true` for a second title: QuickTime's `name` and a title of 3GPP are boxes of their own.
  private func isBesideName(_ key: String, of name: String, _ keySpace: String) -> Bool {
    Self.ofUserData.contains(keySpace)
      && tags.contains {
        $0.name == name && Self.ofUserData.contains($0.keySpace) && $0.key != key
          && ($0.key == "name" || key == "name")
      }
  }

  mutating func take(_ tag: NativeTag) {
    if tags.count < Self.mostTags { tags.append(tag) }
  }

  mutating func take(_ cover: Cover) { covers.append(cover) }

  /// Encoder delay in audio samples, from the tag that iTunes writes instead of an edit list.
  ///
  /// `nil` if unknown.
  var gaplessPriming: Int64? {
    guard let text = entries.first(where: { $0.name == "iTunSMPB" })?.value else { return nil }
    let words = text.split(separator: " ")
    guard words.count >= 3, let priming = Int64(words[1], radix: 16), (1..<16384).contains(priming)
    else { return nil }
    return priming
  }

  /// Reads the payload of `udta`.
  mutating func read(userData reader: ByteReader, depth: Int = 0) throws(MediaError) {
    guard depth < Self.deepest else { return }
    var reader = reader
    while case (let type, var payload)? = try reader.nextBox() {
      do throws(MediaError) {
        switch type {
        case "meta": try read(meta: payload, depth: depth + 1)
        case ChapterListBox.type: chapters = try ChapterListBox(from: &payload).chapters
        case KindBox.type: kinds.append(try KindBox(from: &payload))
        default: try read(userItem: type, &payload)
        }
      } catch {
        // Skips a damaged item and keeps the others.
      }
    }
  }

  /// Parses the payload of `meta`: a full box in ISO files, a plain one in QuickTime's.
  mutating func read(meta reader: ByteReader, depth: Int = 0) throws(MediaError) {
    guard depth < Self.deepest else { return }
    var reader = reader
    var probe = reader
    try probe.skip(4)
    if FourCC(rawValue: try probe.big()) != HandlerBox.type { try reader.skip(4) }
    var keys = ItemKeys()
    while case (let type, var payload)? = try reader.nextBox() {
      switch type {
      case "keys": try keys.read(keys: &payload)
      case "ctry": try keys.read(countries: &payload)
      case "lang": try keys.read(languages: &payload)
      case "ilst": try read(items: payload, keys: keys)
      default: break
      }
    }
  }

  /// Parses an item directly in `udta`: QuickTime's international text, a full box of 3GPP, or plain text.
  private mutating func read(userItem type: FourCC, _ payload: inout ByteReader)
    throws(MediaError)
  {
    let name = ItemNames.text[type]
    if type.rawValue >> 24 == 0xA9 {
      if payload.remaining >= 8 {
        // Some writers put an iTunes data box here.
        var probe = payload
        if let box = try? probe.nextBox(), box.type == "data" {
          try read(item: type, payload, keys: ItemKeys())
          return
        }
      }
      for (text, language) in try Self.internationalTexts(&payload) {
        // Cameras store their firmware here, libavformat its own name as the writer of the file.
        let isWriter = type == "\u{A9}swr" && text.hasPrefix("Lavf")
        take(
          text, name: isWriter ? "encoder" : name, "udta", type.description, language: language)
      }
      return
    }
    guard let name else {
      keep(type, payload)
      return
    }
    switch type {
    case "name":
      let text = Self.text(try payload.take(payload.remaining))
      take(text, name: name, "udta", type.description)
    case "loci": try readLocation(&payload)
    case "yrrc":
      _ = try payload.versionAndFlags()
      let year = "\(try payload.big(UInt16.self))"
      take(year, name: name, "uiso", type.description, kind: .integer)
    case "manu", "modl", "titl", "auth", "perf", "gnre", "albm", "dscp", "cprt":
      _ = try payload.versionAndFlags()
      let language = MediaHeaderBox.language(ofCode: try payload.big())
      let text = Self.text(try payload.take(payload.remaining))
      take(text, name: name, "uiso", type.description, language: language)
    default: break
    }
  }

  /// Returns the texts of a box with their languages (QuickTime File Format, "User data").
  ///
  /// The first may exceed the box. Texts after it are returned only if all of them fit, because some writers store a
  /// wrong size.
  private static func internationalTexts(_ payload: inout ByteReader) throws(MediaError)
    -> [(text: String, language: String?)]
  {
    func language(_ code: UInt16) -> String? {
      MediaHeaderBox.language(ofCode: code, isMacintosh: true)
    }
    let size = Int(try payload.big(UInt16.self))
    let code = try payload.big(UInt16.self)
    let first = (text(try payload.take(min(size, payload.remaining))), language(code))
    var texts = [first]
    while payload.remaining >= 4, texts.count < 256 {
      let size = Int(try payload.big(UInt16.self))
      let code = try payload.big(UInt16.self)
      guard size > 0, size <= payload.remaining, language(code) != nil else { return [first] }
      texts.append((text(try payload.take(size)), language(code)))
    }
    return texts
  }

  private mutating func keep(_ type: FourCC, _ payload: ByteReader) {
    // Hints (8.13 and 9) are for tracks that no muxer writes.
    guard !["free", "skip", "wide", "hnti", "hinf"].contains(type),
      unknownBoxes.count + payload.count + 8 <= Self.mostUnknownBytes
    else { return }
    var writer = BoxWriter()
    writer.box(type) { $0.raw(payload.bytes) }
    unknownBoxes += writer.bytes
  }

  /// Parses `loci` (3GPP TS 26.244 8.12) and stores it as ISO 6709, as FFmpeg does.
  private mutating func readLocation(_ payload: inout ByteReader) throws(MediaError) {
    _ = try payload.versionAndFlags()
    try payload.skip(2)
    let place = try payload.take(payload.remaining)
    guard let end = place.firstIndex(of: 0) else { return }
    var rest = ByteReader(place[(end + 1)...])
    // The role of the location: filming location or fictional location.
    try rest.skip(1)
    let longitude = Double(try rest.big(Int32.self)) / 65536
    let latitude = Double(try rest.big(Int32.self)) / 65536
    let altitude = (try? rest.big(Int32.self)).map { Double($0) / 65536 } ?? 0
    let height = altitude == 0 ? "" : Self.degrees(altitude, 1)
    let text = Self.degrees(latitude, 2) + Self.degrees(longitude, 3) + height + "/"
    take(text, name: "location", "uiso", "loci")
    // Astronomical body and notes each end with a zero.
    let words = ((try? rest.take(rest.remaining)) ?? []).split(
      separator: 0, omittingEmptySubsequences: false)
    let notes = words.count > 1 ? Self.text(words[1]) : ""
    for words in [Self.text(place[..<end]), notes] where !words.isEmpty {
      take(NativeTag(keySpace: "uiso", key: "loci", value: words))
    }
  }

  private static func degrees(_ value: Double, _ digits: Int) -> String {
    let scaled = Int((abs(value) * 10000).rounded())
    var whole = "\(scaled / 10000)"
    var part = "\(scaled % 10000)"
    while whole.count < digits { whole = "0" + whole }
    while part.count < 4 { part = "0" + part }
    return (value < 0 ? "-" : "+") + whole + "." + part
  }

  /// Decodes UTF-8, or UTF-16 with a byte order mark.
  ///
  /// Invalid bytes are replaced.
  static func text(_ bytes: ArraySlice<UInt8>) -> String {
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      let isBig = bytes.first == 0xFE
      var units: [UInt16] = []
      for place in stride(from: bytes.startIndex + 2, to: bytes.endIndex - 1, by: 2) {
        let high = UInt16(bytes[isBig ? place : place + 1])
        let low = UInt16(bytes[isBig ? place + 1 : place])
        units.append(high << 8 | low)
      }
      return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
    }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
