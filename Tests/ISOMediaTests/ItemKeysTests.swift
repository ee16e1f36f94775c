import RespoolMedia
import Testing

@testable import ISOMedia

/// Locales and values of QuickTime metadata.
@Suite struct ItemKeysTests {
  @Test func `a locale is a code or an index into a list`() throws {
    var keys = ItemKeys()
    // Two lists of countries, one with CH and AT and an empty one, and a list of languages with deu.
    var countries = ByteReader([0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0x43, 0x48, 0x41, 0x54, 0, 0])
    try keys.read(countries: &countries)
    var languages = ByteReader([0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x10, 0xB5])
    try keys.read(languages: &languages)
    #expect(keys.language(country: 0, language: 0) == nil)
    #expect(keys.language(country: 1, language: 1) == "deu-CH")
    #expect(keys.language(country: 2, language: 1) == "deu")
    #expect(keys.language(country: 0x4652, language: 0) == "und-FR")
    #expect(keys.language(country: 9, language: 9) == nil)
    let locale = ItemKeys.locale(of: "de-Latn-CH")
    #expect(locale.country == 0x4348 && locale.language == 0x10B5)
    #expect(ItemKeys.locale(of: nil) == (0, 0))
  }

  @Test func `damaged lists end with their bytes`() {
    for bytes: [UInt8] in [
      [], [0, 0, 0, 0], [0, 0, 0, 0, 255, 255, 255, 255, 255, 255],
      [0, 0, 0, 0, 0, 0, 0, 9, 0, 1],
    ] {
      var keys = ItemKeys()
      var reader = ByteReader(bytes)
      try? keys.read(countries: &reader)
      var names = ByteReader(bytes)
      try? keys.read(keys: &names)
      #expect(keys.language(country: 1, language: 0) == nil)
      #expect(keys.key(of: FourCC(rawValue: 1)) == nil)
    }
  }

  @Test(
    arguments: [
      (NativeTag.Kind.text, "Ä", 1, [0xC3, 0x84]), (.integer, "-2", 67, [255, 255, 255, 254]),
      (.integer, "4294967296", 74, [0, 0, 0, 1, 0, 0, 0, 0]), (.real, "0.5", 23, [0x3F, 0, 0, 0]),
      (.real, "0.1", 24, [0x3F, 0xB9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A]),
      (.data, "00ff", 0, [0, 255]),
    ] as [(NativeTag.Kind, String, UInt32, [UInt8])])
  func `values are stored as well-known types`(
    kind: NativeTag.Kind, value: String, type: UInt32, bytes: [UInt8]
  ) throws {
    let tag = NativeTag(keySpace: "mdta", key: "a", name: "a", value: value, kind: kind)
    let stored = try #require(TypedValue(tag))
    #expect(stored == TypedValue(type: type, bytes: bytes))
    let back = stored.tag(keySpace: "mdta", key: "a", language: nil)
    #expect(back.value == value && back.kind == kind && back.dataType == type)
  }

  @Test func `bytes that do not fit their type are data`() {
    for (type, bytes): (UInt32, [UInt8]) in [(1, [0xFF]), (67, [1]), (24, [1, 2]), (2, [0, 65])] {
      let tag = TypedValue(type: type, bytes: bytes).tag(keySpace: "mdta", key: "a", language: nil)
      #expect(tag.kind == .data && tag.dataType == type && tag.bytes == bytes)
    }
  }
}
