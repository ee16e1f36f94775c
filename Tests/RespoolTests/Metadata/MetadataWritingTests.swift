import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Written metadata, as reported by ffprobe.
@Suite struct MetadataWriting {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func tag(_ name: String, of path: String) throws -> String {
    try Writing.probe(path, ["-show_entries", "format_tags=\(name)"])
      .split(separator: "\n").first.map { String($0) } ?? ""
  }

  @Test(
    .rule("Metadata is written under the keys of the file type"),
    arguments: [
      "comn/title", "itsk/%A9nam", "udta/%A9nam", "id3/TIT2", "riff/INAM",
      "mdta/com.apple.quicktime.title", "org.xiph.comment/TITLE", "org.matroska/TITLE",
      "name/title",
    ])
  func `a title of any key space is written under the container's key`(identifier: String) throws {
    let writer = try Writing.writer(scratch)
    writer.metadata = [
      MetadataItem(
        identifier: MetadataIdentifier(rawValue: identifier), value: .string("Ein Bild")),
      MetadataItem(identifier: .commonIdentifierArtwork, value: .data([1, 2, 3])),
    ]
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    try #require(input.append(Writing.picture(0)))
    writer.finishWritingAndWait()
    #expect(try tag("title", of: writer.path) == "Ein Bild")
    let read = try Asset(path: writer.path, registry: Pipeline.registry).commonMetadata()
    #expect(
      MetadataItem.metadataItems(from: read, withKey: "title", keySpace: .common)
        .map(\.identifier?.rawValue) == ["itsk/%A9nam"])
  }

  @Test(arguments: [("opus-128k", "opus"), ("remux-mkv", "mkv"), ("wav", "wav")])
  func `metadata about the source file is not written to another`(
    preset: String, name: String
  ) throws {
    let source = scratch.path("source.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-c", "copy", "-metadata",
        "title=Klatschen", source,
      ])
    let output = scratch.path("out.\(name)")
    try Pipeline.export(source, preset, to: output)
    let tags = try Writing.probe(output, ["-show_entries", "format_tags:stream_tags"]).lowercased()
    #expect(tags.contains("klatschen"))
    for word in ["isom", "soundhandler", "und\n", "lavf"] {
      #expect(!tags.contains(word), "\(tags)")
    }
  }

  @Test func `languages of tags survive Matroska`() throws {
    let writer = try Writing.writer(scratch, "spoken.mkv", "matroska")
    var items = [
      MetadataItem(.commonKeyArtist, "Niemand"), MetadataItem(.commonKeyDescription, "See"),
      MetadataItem(.commonKeyDescription, "lac"), MetadataItem(.commonKeyTitle, "Ein Bild"),
    ]
    items[1].extendedLanguageTag = "de"
    items[2].extendedLanguageTag = "fr"
    items[3].extendedLanguageTag = "de"
    writer.metadata = items
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    try #require(input.append(Writing.picture(0)))
    writer.finishWritingAndWait()
    let copy = scratch.path("copy.mkv")
    try Pipeline.export(writer.path, "remux-mkv", to: copy)
    for path in [writer.path, copy] {
      let asset = Asset(path: path, registry: Pipeline.registry)
      let told = try asset.metadata().map {
        [$0.identifier?.rawValue, $0.stringValue, $0.extendedLanguageTag]
      }
      let wanted = [
        ["org.matroska/ARTIST", "Niemand", nil], ["org.matroska/DESCRIPTION", "See", "de"],
        ["org.matroska/DESCRIPTION", "lac", "fr"], ["org.matroska/TITLE", "Ein Bild", "de"],
      ]
      for item in wanted { #expect(told.contains(item), "\(told)") }
      #expect(told.count { $0[0] == "org.matroska/TITLE" } == 1)
      #expect(told.count { $0[0] == "org.matroska/DESCRIPTION" } == 2)
    }
  }

  /// Writes an input with these items, and returns identifier, text and language of the track's metadata.
  private func trackTags(_ items: [MetadataItem], _ container: String, isInFragments: Bool = false)
    throws -> [[String?]]
  {
    let writer = try Writing.writer(scratch, "track-\(isInFragments).\(container)", container)
    if isInFragments { writer.movieFragmentInterval = MediaTime(value: 1, timescale: 4) }
    writer.metadata = [
      MetadataItem(
        identifier: MetadataIdentifier(
          key: "com.apple.quicktime.artist", keySpace: .quickTimeMetadata),
        value: .string("Movie"))
    ]
    let inputs = [Writing.audioInput(), Writing.videoInput()]
    inputs[1].metadata = items
    try Writing.start(writer, inputs)
    try Writing.feedASecond(inputs)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    let movie = try asset.metadata().map(\.stringValue)
    #expect(movie == ["Movie"])
    let tracks = try asset.tracks()
    #expect(tracks.first { $0.mediaType == .audio }?.metadata == [])
    let track = try #require(tracks.first { $0.mediaType == .video })
    return track.metadata.map { [$0.identifier?.rawValue, $0.stringValue, $0.extendedLanguageTag] }
  }

  @Test(arguments: [false, true])
  func `metadata of a track survives QuickTime movies`(isInFragments: Bool) throws {
    var items = [
      MetadataItem(
        identifier: MetadataIdentifier(key: "com.example.lens", keySpace: .quickTimeMetadata),
        value: .integer(35)),
      MetadataItem(
        identifier: MetadataIdentifier(
          key: "com.apple.quicktime.title", keySpace: .quickTimeMetadata), value: .string("See")),
      MetadataItem(
        identifier: MetadataIdentifier(rawValue: "udta/%A9inf"), value: .string("Hinweis")),
      MetadataItem(.commonKeyCopyrights, "niemand"),
    ]
    items[1].extendedLanguageTag = "de-CH"
    items[3].extendedLanguageTag = "fr"
    let told = try trackTags(items, "mov", isInFragments: isInFragments)
    let wanted: [[String?]] = [
      ["mdta/com.example.lens", "35", nil],
      ["mdta/com.apple.quicktime.title", "See", "de-CH"],
      ["udta/%A9inf", "Hinweis", nil], ["udta/%A9cpy", "niemand", "fr"],
    ]
    #expect(Set(told) == Set(wanted), "\(told)")
  }

  @Test func `MP4 keeps the track metadata that it can store`() throws {
    var items = [
      MetadataItem(.commonKeyTitle, "See"), MetadataItem(.commonKeyCopyrights, "niemand"),
      MetadataItem(name: "description", "Ufer"),
    ]
    items[1].extendedLanguageTag = "fr"
    let told = try trackTags(items, "mp4")
    let wanted: [[String?]] = [
      ["udta/name", "See", nil], ["uiso/cprt", "niemand", "fr"], ["uiso/dscp", "Ufer", nil],
    ]
    #expect(Set(told) == Set(wanted), "\(told)")
  }

  @Test(arguments: ["mov", "matroska"])
  func `tags of tracks that identify people are not shared`(container: String) throws {
    let items = [
      MetadataItem(.commonKeyTitle, "See"), MetadataItem(.commonKeyLocation, "+48.1371+011.5754/"),
      MetadataItem(.commonKeyMake, "Kamera"),
    ]
    #expect(try trackTags(items, "mov").count == 3)
    func export(_ name: String, _ filter: MetadataItemFilter?) throws -> [String?] {
      let session = try ExportSession(
        asset: Asset(path: scratch.path("track-false.mov"), registry: Pipeline.registry),
        presetName: "AVAssetExportPresetPassthrough", container: container,
        registry: Pipeline.registry)
      session.metadataItemFilter = filter
      let path = scratch.path("\(name).\(container)")
      _ = try session.exportAndWait(to: path, progress: nil)
      let asset = Asset(path: path, registry: Pipeline.registry)
      let track = try #require(try asset.tracks(withMediaType: .video).first)
      return track.metadata.map(\.stringValue).filter { $0 != "VideoHandler" }
    }
    let copied = try export("copied", nil)
    for value in ["See", "+48.1371+011.5754/", "Kamera"] { #expect(copied.contains(value)) }
    let shared = try export("shared", .forSharing())
    #expect(shared.contains("See"))
    for value in ["+48.1371+011.5754/", "Kamera"] { #expect(!shared.contains(value)) }
  }

  @Test func `a track keeps only its name if metadata is dropped`() throws {
    _ = try trackTags(
      [MetadataItem(.commonKeyTitle, "See"), MetadataItem(.commonKeyMake, "Kamera")], "mov")
    var preset = try Pipeline.preset("remux-mkv")
    preset.metadata = .drop
    let session = try ExportSession(
      input: scratch.path("track-false.mov"), preset: preset, registry: Pipeline.registry)
    let path = scratch.path("out.mkv")
    _ = try session.exportAndWait(to: path, progress: nil)
    let tags = try Writing.probe(path, ["-show_entries", "format_tags:stream_tags"])
    #expect(tags.contains("See"))
    #expect(!tags.contains("Kamera") && !tags.contains("Movie"))
  }

  @Test(
    .rule("A metadata filter applies to the metadata of the source"),
    .rule("Metadata is copied from the source unless it is set"))
  func `an export copies, replaces or filters metadata`() throws {
    let source = scratch.path("source.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-c", "copy",
        "-metadata", "title=Klatschen", "-metadata", "location=+48.1371+011.5754/",
        "-metadata", "comment=privat", source,
      ])
    func export(_ name: String, _ prepare: (ExportSession) -> Void) throws -> [String] {
      let session = try ExportSession(
        input: source, preset: try Pipeline.preset("remux-mp4"), registry: Pipeline.registry)
      prepare(session)
      let path = scratch.path(name)
      _ = try session.exportAndWait(to: path, progress: nil)
      return try ["title", "location", "comment"].map { try tag($0, of: path) }
    }
    #expect(
      try export("copied.mp4") { _ in } == ["Klatschen", "+48.1371+011.5754/", "privat"])
    #expect(
      try export("shared.mp4") { $0.metadataItemFilter = .forSharing() } == ["Klatschen", "", ""])
    #expect(
      try export("other.mp4") { $0.metadata = [MetadataItem(.commonKeyTitle, "Neu")] }
        == ["Neu", "", ""])
    #expect(try export("none.mp4") { $0.metadata = [] } == ["", "", ""])
  }
}
