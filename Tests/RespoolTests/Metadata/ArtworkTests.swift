import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Artwork that is given as metadata.
@Suite struct Artwork {
  let scratch: Scratch
  let picture: [UInt8]

  init() throws {
    scratch = try Scratch()
    picture = [UInt8](try Data(contentsOf: URL(filePath: Pipeline.clip("still.png"))))
  }

  private func artwork(_ bytes: [UInt8]) -> MetadataItem {
    MetadataItem(identifier: .commonIdentifierArtwork, value: .data(bytes))
  }

  private func covers(_ path: String) throws -> [[UInt8]] {
    MetadataItem.metadataItems(
      from: try Asset(path: path, registry: Pipeline.registry).metadata(),
      filteredByIdentifier: .commonIdentifierArtwork
    ).compactMap(\.dataValue)
  }

  private func probed(_ path: String) throws -> String {
    try PluginWorkshop.run(
      "ffprobe",
      [
        "-v", "error", "-of", "csv=p=0", "-show_entries",
        "stream=codec_name:stream_disposition=attached_pic", path,
      ])
  }

  @Test(arguments: ["mp4", "mov", "m4a", "matroska"])
  func `a writer makes a cover of artwork`(container: String) throws {
    let writer = try Writing.writer(scratch, "out.\(container)", container)
    writer.metadata = [artwork(picture), MetadataItem(.commonKeyTitle, "Bild")]
    let input = Writing.audioInput()
    try Writing.start(writer, [input])
    for number in 0..<25 { try #require(input.append(Writing.tone(number * 1920))) }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(try covers(writer.path) == [picture])
    #expect(try probed(writer.path).contains("png,1"))
  }

  @Test(arguments: ["remux-mp4", "remux-mkv"])
  func `an export writes artwork in place of the source's covers`(preset: String) throws {
    let source = scratch.path("source.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("clap-and-flash.mp4"), "-f", "lavfi", "-i",
        "color=red:s=16x16:d=0.04", "-map", "0", "-map", "1", "-c", "copy", "-c:v:1", "png",
        "-frames:v:1", "1", "-disposition:v:1", "attached_pic", source,
      ])
    try #require(try covers(source).count == 1)
    func export(_ name: String, _ items: [MetadataItem]) throws -> String {
      let session = try ExportSession(
        input: source, preset: try Pipeline.preset(preset), registry: Pipeline.registry)
      session.metadata = items
      let path = scratch.path(name + preset)
      #expect(try session.exportAndWait(to: path, progress: nil).losses.isEmpty)
      return path
    }
    #expect(try covers(export("own", [])) == covers(source))
    #expect(try covers(export("new", [artwork(picture)])) == [picture])
  }

  @Test func `audio in Ogg has artwork in its comments`() throws {
    let session = try ExportSession(
      input: Pipeline.clip("speech.wav"), preset: try Pipeline.preset("opus-128k"),
      registry: Pipeline.registry)
    session.metadata = [artwork(picture)]
    let path = scratch.path("out.opus")
    #expect(try session.exportAndWait(to: path, progress: nil).losses.isEmpty)
    #expect(try covers(path) == [picture])
    #expect(try probed(path).contains("png,1"))
  }

  @Test func `artwork that cannot be stored is reported as a loss`() throws {
    func losses(_ preset: String, _ name: String, _ item: MetadataItem) throws -> [String] {
      let session = try ExportSession(
        input: Pipeline.clip("speech.wav"), preset: try Pipeline.preset(preset),
        registry: Pipeline.registry)
      session.metadata = [item]
      return try session.exportAndWait(to: scratch.path(name), progress: nil).losses
    }
    #expect(try losses("caf", "a.caf", artwork(picture)).first?.contains("comn/artwork") == true)
    #expect(
      try losses("opus-128k", "b.opus", artwork([1, 2, 3])).first?.contains("image file") == true)
    let data = MetadataItem(
      identifier: MetadataIdentifier(rawValue: "itsk/xyzw"), value: .data([1]))
    #expect(try losses("opus-128k", "c.opus", data).first?.contains("itsk/xyzw") == true)
    #expect(try losses("opus-128k", "d.opus", MetadataItem(.commonKeyTitle, "x")).isEmpty)
  }

  @Test(arguments: [
    ("itsk/tvsn", MetadataItem.Value.integer(3), "season_number"),
    ("itsk/tves", .integer(12), "episode_sort"), ("itsk/tvsh", .string("Serie"), "show"),
    ("itsk/hdvd", .integer(1), "hd_video"), ("itsk/sonm", .string("Bild, Ein"), "sort_name"),
  ])
  func `iTunes items are written as such`(
    identifier: String, value: MetadataItem.Value, name: String
  ) throws {
    let writer = try Writing.writer(scratch)
    writer.metadata = [
      MetadataItem(identifier: MetadataIdentifier(rawValue: identifier), value: value)
    ]
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    try #require(input.append(Writing.picture(0)))
    writer.finishWritingAndWait()
    let read = try Asset(path: writer.path, registry: Pipeline.registry).metadata()
    #expect(read.map(\.identifier?.rawValue) == [identifier])
    #expect(read.map(\.value) == [value])
    let text = try #require(read.first?.stringValue)
    #expect(
      try Writing.probe(writer.path, ["-show_entries", "format_tags=\(name)"]).contains(text))
  }
}
