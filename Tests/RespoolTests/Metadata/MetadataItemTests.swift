import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

@Suite struct MetadataItems {
  @Test(arguments: [
    ("\u{A9}nam", MetadataKeySpace.iTunes, "itsk/%A9nam"), ("TIT2", .id3, "id3/TIT2"),
    ("com.apple.quicktime.title", .quickTimeMetadata, "mdta/com.apple.quicktime.title"),
    ("title", .common, "comn/title"), ("a b/c", .vorbisComment, "org.xiph.comment/a%20b%2Fc"),
    ("\u{E4}", .matroska, "org.matroska/%C3%A4"),
  ])
  func `an identifier has a key space and a key, and returns both`(
    key: String, space: MetadataKeySpace, text: String
  ) {
    let identifier = MetadataIdentifier(key: key, keySpace: space)
    #expect(identifier.rawValue == text)
    #expect(identifier.parts?.keySpace == space && identifier.parts?.key == key)
    var item = MetadataItem()
    item.identifier = identifier
    #expect(item.identifier == identifier)
  }

  @Test(arguments: ["", "title", "/title", "comn/"])
  func `an invalid identifier names nothing`(text: String) {
    #expect(MetadataIdentifier(rawValue: text).parts == nil)
    let item = MetadataItem(
      identifier: MetadataIdentifier(rawValue: text), value: .string("x"))
    #expect(item.key == nil && item.commonKey == nil && item.tagName == nil)
  }

  @Test func `values are text, number, date or data`() {
    func item(_ value: MetadataItem.Value) -> MetadataItem {
      MetadataItem(identifier: .commonIdentifierTitle, value: value)
    }
    #expect(item(.integer(7)).stringValue == "7" && item(.integer(7)).numberValue == 7)
    #expect(item(.string("1.5")).numberValue == 1.5 && item(.string("x")).numberValue == nil)
    #expect(item(.real(0.25)).numberValue == 0.25 && item(.real(0.25)).dataValue == nil)
    #expect(item(.data([1])).dataValue == [1] && item(.data([1])).stringValue == nil)
    #expect(MetadataItem().stringValue == nil && MetadataItem().dateValue == nil)
  }

  // Computed with `date -u -d`.
  @Test(arguments: [
    ("1970", 0.0), ("2012-03", 1_330_560_000), ("2012-03-04", 1_330_819_200),
    ("2012-03-04T05:06:07Z", 1_330_837_567), ("2012-03-04T05:06:07.500000Z", 1_330_837_567.5),
    ("2012-03-04T05:06:07+0100", 1_330_833_967), ("2012-03-04 05:06:07-02:30", 1_330_846_567),
    ("2000-02-29T23:59", 951_868_740), ("1969-12-31", -86400), ("0001-01-01", -62_135_596_800),
  ])
  func `dates of ISO 8601 are read`(text: String, seconds: Double) {
    #expect(MetadataDate.seconds(text) == seconds)
  }

  @Test(arguments: [
    "1970-01-01T00:00:00.000000Z", "2000-02-29T23:59:59.500000Z", "1969-12-31T23:59:59.999999Z",
    "1903-12-31T00:00:01.000000Z", "9999-12-31T23:59:59.000000Z",
  ])
  func `times are written as they are read`(text: String) throws {
    let seconds = try #require(MetadataDate.seconds(text))
    #expect(MetadataDate.text(microseconds: Int64((seconds * 1_000_000).rounded())) == text)
  }

  @Test(arguments: [
    "", "12", "2012-13-01", "2012-1-1", "2012-03-04T", "2012-03-04T25:00", "gestern",
    "2012-03-04T05:06:07+", "2012-03-04T05:06:07Zx", "99999", "2012-03-32",
  ])
  func `an invalid date is not a date`(text: String) { #expect(MetadataDate.seconds(text) == nil) }

  @Test func `languages are found in the order of preference`() {
    let items = ["fr", "de-CH", nil, "en", "de"].map { language in
      MetadataItem(
        identifier: .commonIdentifierTitle, value: .string(language ?? "none"),
        extendedLanguageTag: language)
    }
    func found(_ languages: [String]) -> [String?] {
      MetadataItem.metadataItems(
        from: items, filteredAndSortedAccordingToPreferredLanguages: languages
      ).map(\.stringValue)
    }
    #expect(found(["en-US", "de"]) == ["en", "de-CH", "de"])
    #expect(found(["de-CH"]) == ["de-CH", "de"])
    #expect(found(["deu"]) == ["de-CH", "de"])
    #expect(found(["it"]).isEmpty && found([]).isEmpty)
  }

  @Test func `a key, a key space or both filter`() {
    let items = [
      MetadataItem(.commonKeyTitle, "a"), MetadataItem(.commonKeyArtist, "b"),
      MetadataItem(
        identifier: MetadataIdentifier(rawValue: "itsk/%A9nam"), value: .string("c")),
    ]
    func found(_ key: String?, _ space: MetadataKeySpace?) -> [String?] {
      MetadataItem.metadataItems(from: items, withKey: key, keySpace: space).map(\.stringValue)
    }
    #expect(found("title", .common) == ["a", "c"])
    #expect(found(nil, .iTunes) == ["c"])
    #expect(found("\u{A9}nam", nil) == ["c"])
    #expect(found(nil, nil).count == 3 && found(nil, .common).count == 3)
    #expect(found("title", .id3).isEmpty)
  }

  @Test(.rule) func `the filter for sharing removes metadata that identifies people`() {
    let kept = [
      "itsk/%A9nam", "itsk/apID", "itsk/%A9day", "id3/TPE1", "comn/copyrights", "itsk/covr",
    ]
    let gone = [
      "comn/location", "comn/make", "comn/model", "comn/software", "comn/creationDate",
      "comn/description", "mdta/com.apple.quicktime.location.ISO6709", "udta/%A9xyz",
      "udta/%A9day", "mdta/com.apple.quicktime.author", "itlk/com.example.Owner", "id3/PRIV",
    ]
    let items = (kept + gone).map {
      MetadataItem(identifier: MetadataIdentifier(rawValue: $0), value: .string("x"))
    }
    let shared = MetadataItem.metadataItems(from: items, filteredBy: .forSharing())
    #expect(shared.compactMap(\.identifier?.rawValue) == kept)
  }

  @Test func `an item with another key is not the same`() {
    var item = MetadataItem(
      keySpace: .iTunes, key: "\u{A9}nam", value: .string("x"), name: "title", language: nil)
    #expect(item.tagName == "title")
    item.key = "\u{A9}ART"
    #expect(item.tagName == "artist" && item.commonKey == .commonKeyArtist)
  }
}
