import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

/// Tags, roles and names written to MP4, MOV and M4A and read again.
@Suite struct TagTests {
  private static let types: [any Muxer.Type] = [MP4Muxer.self, MOVMuxer.self, M4AMuxer.self]

  private func written(
    _ metadata: [MetadataEntry], _ native: [NativeTag] = [], _ type: any Muxer.Type = MP4Muxer.self
  ) throws -> MediaDescription {
    var movie = SyntheticMovie()
    (movie.media.metadata, movie.media.nativeTags) = (metadata, native)
    return try packets(of: movie.file(type)).0
  }

  private func value(_ name: String, _ media: MediaDescription) -> String? {
    media.metadata.first { $0.name == name }?.value
  }

  @Test func `totals of Vorbis comments are beside their numbers`() throws {
    let media = try written([
      MetadataEntry("track", "3"), MetadataEntry("TRACKTOTAL", "12"), MetadataEntry("disc", "1"),
      MetadataEntry("totaldiscs", "2"),
    ])
    #expect(value("track", media) == "3/12" && value("disc", media) == "1/2")
    let alone = try written([MetadataEntry("TRACKTOTAL", "12")])
    #expect(value("TRACKTOTAL", alone) == "12")
  }

  /// Matroska and Vorbis comments have names in capital letters; the name of ID3 lyrics contains a language.
  @Test func `names are recognized in every spelling`() throws {
    let media = try written([
      MetadataEntry("ARTIST", "Niemand"), MetadataEntry("lyrics-eng", "la la"),
      MetadataEntry("MAKE", "Maker"), MetadataEntry("Model", "One"),
    ])
    #expect(value("artist", media) == "Niemand" && value("lyrics", media) == "la la")
    #expect(value("make", media) == "Maker" && value("model", media) == "One")
  }

  @Test func `locations, makers and models are kept in every flavor`() throws {
    let tags = [
      MetadataEntry("location", "+48.1371+011.5754/"), MetadataEntry("make", "Maker"),
      MetadataEntry("model", "One"), MetadataEntry("date", "2012-03-04T05:06:07+0100"),
    ]
    for type in Self.types {
      let media = try written(tags, [], type)
      for tag in tags { #expect(value(tag.name, media) == tag.value, "\(tag)") }
    }
  }

  /// Phones write QuickTime metadata keys into MP4, some with values that are not text.
  @Test func `keys of QuickTime metadata are kept in MP4`() throws {
    let tags = [
      NativeTag(
        keySpace: "mdta", key: "com.android.capture.fps", name: "com.android.capture.fps",
        value: "30.0", kind: .real, dataType: 23),
      NativeTag(
        keySpace: "mdta", key: "com.apple.quicktime.make", name: "com.apple.quicktime.make",
        value: "Maker", dataType: 1),
    ]
    let entries = [
      MetadataEntry("com.android.capture.fps", "30.000000"), MetadataEntry("make", "Maker"),
    ]
    for type in Self.types {
      let media = try written(entries, tags, type)
      #expect(media.nativeTags.filter { $0.keySpace == "mdta" } == tags)
      #expect(value("com.apple.quicktime.make", media) == "Maker")
      #expect(!media.nativeTags.contains { $0.keySpace == "itlk" })
    }
  }

  @Test func `common metadata is stored in MOV under Apple's keys`() throws {
    let tags = [
      MetadataEntry("title", "Am See"), MetadataEntry("artist", "Niemand"),
      MetadataEntry("date", "2012-03-04"), MetadataEntry("location", "+48.1371+011.5754/"),
      MetadataEntry("mine", "kept"),
    ]
    let media = try written(tags, [], MOVMuxer.self)
    let keys = media.nativeTags.filter { $0.keySpace == "mdta" }.map(\.key)
    let domain = "com.apple.quicktime."
    #expect(
      keys == ["title", "artist", "creationdate", "location.ISO6709"].map { domain + $0 })
    // Players that read only user data find the tags there.
    for tag in tags { #expect(value(tag.name, media) == tag.value) }
    // Writing the file again duplicates nothing.
    let again = try written(media.metadata, media.nativeTags, MOVMuxer.self)
    #expect(again.nativeTags.filter { $0.keySpace == "mdta" }.map(\.key) == keys)
    #expect(!media.nativeTags.contains { $0.keySpace == "mdta" && $0.key == "mine" })
  }

  @Test func `shop identifiers and names of other writers round-trip`() throws {
    let tags = [
      NativeTag(keySpace: "itsk", key: "cnID", value: "203", kind: .integer),
      NativeTag(keySpace: "itsk", key: "xid ", value: "Label:isrc:1"),
      NativeTag(keySpace: "itlk", key: "org.example.Thing", name: "Thing", value: "Ding"),
    ]
    let media = try written([MetadataEntry("Thing", "Ding")], tags)
    func facts(_ tags: [NativeTag]) -> Set<[String]> {
      Set(tags.map { [$0.keySpace, $0.key, $0.value] })
    }
    #expect(facts(media.nativeTags).isSuperset(of: facts(tags)))
  }

  /// Podcast items and private items of encoders have data of the reserved type 0.
  @Test func `items of the reserved type keep it`() throws {
    let tags = [
      NativeTag(keySpace: "itsk", key: "purl", value: "http://p", dataType: 0),
      NativeTag(keySpace: "itsk", key: "egid", bytes: [1, 2, 3], dataType: 0),
      NativeTag(
        keySpace: "itlk", key: "com.apple.iTunes.Encoding Params", bytes: [0, 1, 2], dataType: 0),
      NativeTag(keySpace: "itlk", key: "org.own.bin", bytes: [1, 2], dataType: 0),
      NativeTag(
        keySpace: "itlk", key: "org.own.number", name: "number", value: "7", kind: .integer),
    ]
    for type in Self.types {
      let media = try written([MetadataEntry("number", "7")], tags, type)
      for tag in tags { #expect(media.nativeTags.contains(tag), "\(media.nativeTags)") }
      // Bytes are not a number.
      #expect(media.metadata.filter { $0.name == "egid" || $0.name == "purl" }.isEmpty)
    }
  }

  @Test func `roles, titles and encoders of tracks round-trip`() throws {
    var movie = SyntheticMovie()
    let roles: TrackDescription.Disposition = [.commentary, .hearingImpaired, .default]
    movie.media.tracks[1].disposition = roles
    movie.media.tracks[1].metadata = [MetadataEntry("TITLE", "Director")]
    movie.media.tracks[0].metadata = [MetadataEntry("encoder", "AVC Coding")]
    for type in Self.types {
      let tracks = try packets(of: movie.file(type)).0.tracks
      #expect(tracks[1].disposition == roles)
      let names = ["title", "handler_name"].map { name in
        tracks[1].metadata.first { $0.name == name }?.value
      }
      #expect(names == ["Director", "Director"])
      #expect(tracks[0].metadata.contains(MetadataEntry("encoder", "AVC Coding")))
    }
  }

  /// Returns a box of international text with texts and their languages.
  private func international(_ texts: [(String, String)], _ end: [UInt8] = []) -> [UInt8] {
    var writer = BoxWriter()
    writer.box("\u{A9}nam") {
      for (text, language) in texts {
        $0.u16(UInt16(text.utf8.count))
        $0.u16(MediaHeaderBox.code(ofLanguage: language))
        $0.raw(text.utf8)
      }
      $0.raw(end)
    }
    return writer.bytes
  }

  /// Returns a `meta` box with a title.
  private func movieItems(_ title: String) -> [UInt8] {
    var writer = BoxWriter()
    writer.box("meta") { meta in
      meta.versionAndFlags(0)
      meta.write(HandlerBox(handlerType: "mdir", name: ""))
      meta.box("ilst") {
        $0.box("\u{A9}nam") {
          $0.box("data") {
            $0.u32(1)
            $0.u32(0)
            $0.raw(title.utf8)
          }
        }
      }
    }
    return writer.bytes
  }

  private func read(_ bytes: [UInt8]) throws -> MetadataReader {
    var reader = MetadataReader()
    try reader.read(userData: ByteReader(bytes))
    return reader
  }

  @Test func `all languages of a text are read, and the undetermined one is first`() throws {
    let texts = [("Il titolo", "ita"), ("Standard", "und"), ("Le titre", "fra")]
    let titles = ["Standard", "Il titolo", "Le titre"]
    for box in [international(texts), texts.flatMap { international([$0]) }] {
      let reader = try read(box)
      #expect(reader.entries == titles.map { MetadataEntry("title", $0) })
      #expect(reader.tags.map(\.language) == ["ita", nil, "fra"])
    }
    // A title without a language may be an item, and another one a box.
    let boxes = movieItems("IT") + international([("UT", "eng"), ("Titre", "fra")])
    #expect(try read(boxes).entries.map(\.value) == ["IT", "UT", "Titre"])
    // Bytes after the first text that are not complete texts are ignored.
    for end in [[0, 0, 0, 0], [0, 9, 0x55, 0xC4, 65], [65, 66, 67, 68, 69]] as [[UInt8]] {
      #expect(try read(international([texts[0]], end)).entries.map(\.value) == ["Il titolo"])
    }
  }

  @Test func `languages of titles are kept`() throws {
    let tags = [("Standard", nil), ("Le titre", "fr-CA"), ("Il titolo", "ita")].map {
      NativeTag(keySpace: "x", key: "TITLE", name: "title", value: $0.0, language: $0.1)
    }
    let media = try written(tags.map { MetadataEntry("title", $0.value) }, tags)
    #expect(media.metadata.filter { $0.name == "title" }.map(\.value) == tags.map(\.value))
    let languages = media.nativeTags.filter { $0.name == "title" }.map(\.language)
    #expect(languages == [nil, "fra-CA", "ita"])
    // Items with names of their own have languages, too.
    let own = NativeTag(keySpace: "x", key: "MINE", name: "Mine", value: "Ding", language: "deu")
    let named = try written([MetadataEntry("Mine", "Ding")], [own]).nativeTags
    #expect(named.first { $0.name == "Mine" }?.language == "deu")
    // Players that show one title show the first value of the item.
    #expect(media.nativeTags.count { $0.key == "\u{A9}nam" } == 3)
  }
}
