import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Metadata of files that FFmpeg wrote.
@Suite struct MetadataReading {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func made(
    _ name: String, from clip: String = "speech.wav", _ options: [String] = []
  ) throws -> Asset {
    let path = scratch.path(name)
    let tags = [
      "title": "Ein Lied", "artist": "Niemand", "album": "Nichts", "date": "2021-03-04",
      "comment": "leise", "genre": "Jazz", "track": "3/12",
    ]
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip(clip), "-map_metadata", "-1"] + options
        + tags.sorted { $0.key < $1.key }.flatMap { ["-metadata", "\($0.key)=\($0.value)"] }
        + [path])
    return Asset(path: path, registry: Pipeline.registry)
  }

  struct Container: Sendable, CustomTestStringConvertible {
    let name: String
    let options: [String]
    let format: MetadataFormat
    let title: String
    let artist: String
    var testDescription: String { name }
  }

  static let containers = [
    Container(
      name: "song.m4a", options: [], format: .iTunesMetadata, title: "itsk/%A9nam",
      artist: "itsk/%A9ART"),
    Container(
      name: "song.mov", options: [], format: .quickTimeUserData, title: "udta/%A9nam",
      artist: "udta/%A9ART"),
    Container(
      name: "song.mp3", options: [], format: .id3Metadata, title: "id3/TIT2", artist: "id3/TPE1"),
    Container(
      name: "song.flac", options: [], format: .vorbisComment, title: "org.xiph.comment/TITLE",
      artist: "org.xiph.comment/ARTIST"),
    Container(
      name: "song.opus", options: [], format: .vorbisComment, title: "org.xiph.comment/TITLE",
      artist: "org.xiph.comment/ARTIST"),
    Container(
      name: "song.mka", options: ["-c:a", "libopus"], format: .matroskaTags,
      title: "org.matroska/TITLE", artist: "org.matroska/ARTIST"),
    Container(
      name: "song.wav", options: [], format: .riffInfo, title: "riff/INAM", artist: "riff/IART"),
  ]

  @Test(arguments: containers)
  func `an item has its container's key and a common key`(
    of container: Container
  )
    throws
  {
    let asset = try made(container.name, container.options)
    let items = try asset.metadata()
    #expect(try asset.availableMetadataFormats().contains(container.format))
    #expect(try asset.metadata(forFormat: container.format).count >= 6)
    #expect(try asset.metadata(forFormat: .isoUserData).isEmpty)
    for (identifier, text) in [(container.title, "Ein Lied"), (container.artist, "Niemand")] {
      let found = MetadataItem.metadataItems(
        from: items, filteredByIdentifier: MetadataIdentifier(rawValue: identifier))
      #expect(found.map(\.stringValue) == [text], "\(items.compactMap(\.identifier?.rawValue))")
    }
    let common: [(MetadataIdentifier, String)] = [
      (.commonIdentifierTitle, "Ein Lied"), (.commonIdentifierArtist, "Niemand"),
      (.commonIdentifierAlbumName, "Nichts"), (.commonIdentifierType, "Jazz"),
      (.commonIdentifierCreationDate, "2021-03-04"),
    ]
    for (identifier, text) in common {
      let found = MetadataItem.metadataItems(
        from: try asset.commonMetadata(), filteredByIdentifier: identifier)
      #expect(found.compactMap(\.stringValue) == [text], "\(identifier)")
    }
    #expect(try asset.creationDate()?.dateValue == 1_614_816_000)
  }

  @Test func `QuickTime metadata has its own keys and a number is a number`() throws {
    let path = scratch.path("keys.mov")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("portrait.mov"), "-map_metadata", "-1", "-c", "copy",
        "-movflags", "use_metadata_tags",
        "-metadata", "com.apple.quicktime.title=Am See",
        "-metadata", "com.apple.quicktime.location.ISO6709=+48.1371+011.5754/",
        "-metadata", "com.apple.quicktime.creationdate=2012-03-04T05:06:07+0100", path,
      ])
    let asset = Asset(path: path, registry: Pipeline.registry)
    let items = try asset.metadata(forFormat: .quickTimeMetadata)
    let places = MetadataItem.metadataItems(
      from: items, withKey: "com.apple.quicktime.location.ISO6709", keySpace: .quickTimeMetadata)
    #expect(places.map(\.commonKey) == [.commonKeyLocation])
    #expect(
      MetadataItem.metadataItems(
        from: items,
        filteredByIdentifier: MetadataIdentifier(rawValue: "mdta/com.apple.quicktime.title")
      ).map(\.stringValue) == ["Am See"])
    #expect(try asset.creationDate()?.dateValue == 1_330_833_967)
  }

  @Test func `a cover is an item with the bytes of the image`() throws {
    let cover = Pipeline.clip("still.png")
    let path = scratch.path("cover.m4a")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("speech.wav"), "-i", cover, "-map", "0", "-map", "1",
        "-c:a", "aac", "-c:v", "copy", "-disposition:v", "attached_pic", path,
      ])
    let items = MetadataItem.metadataItems(
      from: try Asset(path: path, registry: Pipeline.registry).commonMetadata(),
      filteredByIdentifier: .commonIdentifierArtwork)
    #expect(items.count == 1 && items.first?.identifier?.rawValue == "itsk/covr")
    #expect(items.first?.dataValue == [UInt8](try Data(contentsOf: URL(filePath: cover))))
    #expect(items.first?.stringValue == nil)
  }

  @Test func `asynchronous and blocking loading give the same`() async throws {
    let asset = try made("song.m4a")
    #expect(try await asset.load(.metadata) == asset.metadata())
    #expect(try await asset.load(.commonMetadata) == asset.commonMetadata())
    #expect(try await asset.load(.availableMetadataFormats) == [.iTunesMetadata])
    #expect(try await asset.loadMetadata(for: .iTunesMetadata) == asset.metadata())
    #expect(try await asset.load(.creationDate) == asset.creationDate())
    let track = try asset.tracks()[0]
    #expect(try await track.load(.metadata) == track.metadata)
  }

  @Test func `a composition has no metadata`() throws {
    let film = MutableComposition()
    #expect(try film.metadata().isEmpty && film.availableMetadataFormats().isEmpty)
    #expect(try film.creationDate() == nil)
  }
}
