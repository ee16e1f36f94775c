import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Metadata of QuickTime movies, written under its original keys.
@Suite struct QuickTimeMetadata {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func item(_ key: String, _ value: MetadataItem.Value, _ type: MetadataDataType? = nil)
    -> MetadataItem
  {
    var item = MetadataItem(
      identifier: MetadataIdentifier(key: key, keySpace: .quickTimeMetadata), value: value)
    item.dataType = type
    return item
  }

  private func written(_ items: [MetadataItem], _ container: String = "mov") throws -> String {
    let writer = try Writing.writer(scratch, "out.\(container)", container)
    writer.metadata = items
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    try #require(input.append(Writing.picture(0)))
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return writer.path
  }

  private func read(_ path: String) throws -> [MetadataItem] {
    try Asset(path: path, registry: Pipeline.registry).metadata()
  }

  private var usual: [MetadataItem] {
    [
      item(MetadataKey.quickTimeMetadataKeyTitle.rawValue, .string("Am See")),
      item(MetadataKey.quickTimeMetadataKeyArtist.rawValue, .string("Niemand")),
      item(MetadataKey.quickTimeMetadataKeyLocationISO6709.rawValue, .string("+48.1371+011.5754/")),
      item(
        MetadataKey.quickTimeMetadataKeyCreationDate.rawValue, .string("2012-03-04T05:06:07+0100")),
      item("com.example.thing", .string("Ding")),
    ]
  }

  @Test func `items round-trip under their identifiers`() throws {
    let made = try read(written(usual))
    #expect(made.map(\.identifier) == usual.map(\.identifier))
    #expect(made.map(\.value) == usual.map(\.value))
    #expect(made.allSatisfy { $0.dataType == .utf8 })
    let asset = Asset(path: scratch.path("out.mov"), registry: Pipeline.registry)
    #expect(try asset.availableMetadataFormats() == [.quickTimeMetadata])
    #expect(try asset.creationDate()?.dateValue == 1_330_833_967)
    // The key is not stored as an iTunes key or in user data any more.
    #expect(try !Writing.contains(asset.path ?? "", "----"))
    #expect(try !Writing.contains(asset.path ?? "", "mdir"))
  }

  @Test func `other programs read the items`() throws {
    let path = try written(usual)
    let tags = try Writing.probe(path, ["-show_entries", "format_tags"])
    let told = try PluginWorkshop.run("mediainfo", [path])
    for text in ["Am See", "Niemand", "+48.1371+011.5754/", "Ding"] {
      #expect(tags.contains(text), "\(tags)")
      #expect(told.contains(text), "\(told)")
    }
    #expect(tags.contains("2012-03-04T05:06:07+0100"))
  }

  private static let typed: [(MetadataItem.Value, MetadataDataType?, MetadataDataType)] = [
    (.integer(-5), .int8, .int8), (.integer(3), nil, .int32), (.integer(1 << 40), nil, .int64),
    (.integer(7), .uint16, .uint16), (.real(0.5), nil, .float32), (.real(0.1), nil, .float64),
    (.real(0.25), .float64, .float64), (.string("Ä"), .utf16, .utf16),
    (.data([0, 1, 254]), nil, .rawData), (.numbers([1, 2.5]), .pointF32, .pointF32),
  ]

  @Test(arguments: typed)
  func `a value keeps its type`(
    value: MetadataItem.Value, type: MetadataDataType?, stored: MetadataDataType
  ) throws {
    let made = try read(written([item("com.example.thing", value, type)]))
    #expect(made.map(\.value) == [value])
    #expect(made.map(\.dataType) == [stored])
  }

  @Test func `one key has a value for each language`() throws {
    var items = [
      item("com.example.name", .string("See")), item("com.example.name", .string("lac")),
    ]
    items[0].extendedLanguageTag = "de-CH"
    items[1].locale = "fr"
    let made = try read(written(items))
    #expect(made.map(\.locale) == ["de_CH", "fr"])
    #expect(
      MetadataItem.metadataItems(
        from: made, filteredAndSortedAccordingToPreferredLanguages: ["fr", "de"]
      ).map(\.stringValue) == ["lac", "See"])
    #expect(
      MetadataItem.metadataItems(from: made, withLocale: "de_CH").map(\.stringValue) == ["See"])
  }

  @Test func `an export keeps the keys in a movie and uses those of the container in MP4`() throws {
    let source = try written(usual + [item("com.example.count", .integer(3))])
    func export(_ container: String) throws -> String {
      let session = try ExportSession(
        asset: Asset(path: source, registry: Pipeline.registry),
        presetName: "AVAssetExportPresetPassthrough", container: container,
        registry: Pipeline.registry)
      let path = scratch.path("copy.\(container)")
      #expect(try session.exportAndWait(to: path, progress: nil).losses.isEmpty)
      return path
    }
    #expect(try read(export("mov")) == read(source))
    let made = try read(export("mp4"))
    let identifiers = made.compactMap(\.identifier?.rawValue)
    for known in ["itsk/%A9nam", "itsk/%A9ART", "udta/%A9xyz", "itsk/%A9day"] {
      #expect(identifiers.contains(known), "\(identifiers)")
    }
    // Phones write custom keys into MP4, too.
    for own in ["mdta/com.example.thing", "mdta/com.example.count"] {
      #expect(identifiers.contains(own), "\(identifiers)")
    }
    #expect(!identifiers.contains { $0.hasPrefix("itlk/") }, "\(identifiers)")
  }

  @Test func `common metadata gets Apple's key and stays user data`() throws {
    let path = try written(
      [item("com.example.thing", .string("Ding"))] + [
        MetadataItem(.commonKeyTitle, "Ein Bild")
      ])
    #expect(
      try Set(read(path).compactMap(\.identifier?.rawValue)) == [
        "mdta/com.example.thing", "mdta/com.apple.quicktime.title", "itsk/%A9nam",
      ])
    #expect(try Writing.probe(path, ["-show_entries", "format_tags=title"]).contains("Ein Bild"))
  }
}
