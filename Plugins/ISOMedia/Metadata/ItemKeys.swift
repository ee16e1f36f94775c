import RespoolPlugin

/// Tables to which the items of QuickTime's `ilst` refer by number: keys, countries and languages (QuickTime
/// File Format, "Metadata").
struct ItemKeys {
  private var keys: [(keySpace: String, name: String)] = []
  private var countries: [String?] = []
  private var languages: [String?] = []

  /// Returns the key whose number is the item's type.
  ///
  /// `nil` if the type is not a key number.
  func key(of type: FourCC) -> (keySpace: String, name: String)? {
    let index = Int(type.rawValue) - 1
    return keys.indices.contains(index) ? keys[index] : nil
  }

  /// Reads the `keys` box.
  mutating func read(keys reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    let count = Int(try reader.big(UInt32.self))
    keys = []
    while keys.count < count, reader.remaining >= 8 {
      let size = Int(try reader.big(UInt32.self))
      let space = FourCC(rawValue: try reader.big())
      keys.append((space.description, try reader.text(size - 8)))
    }
  }

  /// Reads the `ctry` box: the first country of each list.
  mutating func read(countries reader: inout ByteReader) throws(MediaError) {
    countries = try Self.lists(&reader).map { Self.country($0) }
  }

  /// Reads the `lang` box: the first language of each list.
  mutating func read(languages reader: inout ByteReader) throws(MediaError) {
    languages = try Self.lists(&reader).map { MediaHeaderBox.language(ofCode: $0) }
  }

  /// Returns a locale indicator as a BCP 47 tag.
  ///
  /// `nil` if it applies to all locales.
  func language(country: UInt16, language: UInt16) -> String? {
    func listed(_ list: [String?], _ number: UInt16) -> String? {
      list.indices.contains(Int(number) - 1) ? list[Int(number) - 1] : nil
    }
    let country = country < 0x100 ? listed(countries, country) : Self.country(country)
    let tongue =
      (1..<0x100).contains(language)
      ? listed(languages, language) : MediaHeaderBox.language(ofCode: language)
    guard let country else { return tongue }
    return (tongue ?? "und") + "-" + country
  }

  /// Returns the first member of each list.
  ///
  /// 0 if a list is empty.
  private static func lists(_ reader: inout ByteReader) throws(MediaError) -> [UInt16] {
    _ = try reader.versionAndFlags()
    let count = Int(try reader.big(UInt32.self))
    var firsts: [UInt16] = []
    while firsts.count < min(count, 255), reader.remaining >= 2 {
      let members = Int(try reader.big(UInt16.self))
      firsts.append(members > 0 ? try reader.big(UInt16.self) : 0)
      try reader.skip(2 * max(0, members - 1))
    }
    return firsts
  }

  /// Returns the country's two letters (ISO 3166).
  private static func country(_ code: UInt16) -> String? {
    let letters = [UInt8(code >> 8), UInt8(code & 0xFF)]
    return letters.allSatisfy { (0x41...0x5A).contains($0) }
      ? String(decoding: letters, as: UTF8.self) : nil
  }

  /// Returns the locale indicator of a BCP 47 tag: country and language.
  ///
  /// 0 for a part that the tag lacks.
  static func locale(of tag: String?) -> (country: UInt16, language: UInt16) {
    guard let tag else { return (0, 0) }
    let parts = tag.split(whereSeparator: { $0 == "-" || $0 == "_" })
    let code = MediaHeaderBox.code(ofLanguage: tag)
    let region = parts.dropFirst().first { $0.utf8.count == 2 }.map { Array($0.uppercased().utf8) }
    return (
      region.map { UInt16($0[0]) << 8 | UInt16($0[1]) } ?? 0,
      code == MediaHeaderBox.undetermined ? 0 : code
    )
  }
}
