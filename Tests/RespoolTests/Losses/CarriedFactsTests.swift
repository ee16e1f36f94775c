import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Facts that containers store in different forms, or that only one of them stores.
@Suite struct CarriedFactsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  /// Creates a file with FFmpeg from arguments that follow its global ones.
  private func file(_ name: String, _ arguments: [String]) throws -> String {
    try PluginWorkshop.run("ffmpeg", ["-v", "error"] + arguments + [scratch.path(name)])
    return scratch.path(name)
  }

  private func losses(_ source: String, _ preset: String, _ name: String) throws -> [String] {
    try Pipeline.export(source, preset, to: scratch.path(name)).losses
  }

  /// Encoders store their settings as data of type 0 in an item of iTunes.
  @Test func `data in items is kept or named`() throws {
    let source = try file(
      "song.m4a",
      [
        "-i", Pipeline.clip("speech.wav"), "-metadata", "title=1234567", "-metadata",
        "genre=12345678",
      ])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: source))
    let title = try #require(
      bytes.range(of: Data("\u{A9}nam".unicodeScalars.map { UInt8($0.value) })))
    bytes.replaceSubrange(title, with: Data("egid".utf8))
    bytes.replaceSubrange(
      title.upperBound + 8..<title.upperBound + 23,
      with: [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4])
    let genre = try #require(
      bytes.range(of: Data("\u{A9}gen".unicodeScalars.map { UInt8($0.value) })))
    bytes.replaceSubrange(genre, with: Data("purl".utf8))
    bytes[genre.upperBound + 11] = 0
    try bytes.write(to: URL(fileURLWithPath: source))

    #expect(try losses(source, "remux-mp4", "copy.mp4") == [])
    let tags = try media(scratch.path("copy.mp4")).nativeTags
    #expect(tags.contains { $0.key == "purl" && $0.value == "12345678" && $0.dataType == 0 })
    #expect(tags.contains { $0.key == "egid" && $0.bytes == [1, 0, 2, 0, 3, 0, 4] })
    #expect(
      try losses(source, "remux-mkv", "copy.mkv") == [
        "lost: the item 'egid' (01000200030004)", "lost: the item 'purl' (12345678)",
      ])
  }

  @Test func `the writer of an AVI file is no loss`() throws {
    let source = try file("film.avi", ["-i", Pipeline.clip("pattern-h264.mp4"), "-c:v", "mpeg4"])
    #expect(try losses(source, "remux-mp4", "film.mp4") == [])
  }

  /// Readers take a DateUTC of 0 for an unknown date.
  @Test func `the beginning of 2001 is kept`() throws {
    let source = try file(
      "dated.mp4",
      ["-i", Pipeline.clip("pattern-h264.mp4"), "-c", "copy"]
        + ["-metadata", "creation_time=2001-01-01T00:00:00Z"])
    #expect(try losses(source, "remux-mkv", "dated.mkv") == [])
    let date = try media(scratch.path("dated.mkv")).metadata.first { $0.name == "CREATION_TIME" }
    #expect(date?.value.hasPrefix("2001-01-01T00:00:00") == true)
  }

  /// Samsung's cameras append a box with the data of slow motion.
  @Test func `boxes of cameras after the movie are named`() throws {
    let source = scratch.path("slow.mp4")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: Pipeline.clip("pattern-h264.mp4")))
    bytes += Data([0, 0, 0, 16] + Array("sefd".utf8) + Array("data".utf8) + Array("SEFT".utf8))
    bytes += Data([0, 0, 0, 9] + Array("abcd".utf8) + [1])
    try bytes.write(to: URL(fileURLWithPath: source))
    for (preset, name) in [("remux-mp4", "out.mp4"), ("remux-mkv", "out.mkv")] {
      #expect(
        try losses(source, preset, name) == [
          "lost: the Samsung trailer (sefd)", "lost: the box 'abcd'",
        ]
      )
    }
  }

  /// Matroska stores only the number of PCM channels, from which readers derive the usual loudspeakers.
  @Test(arguments: [
    ("5.1", true), ("5.1(side)", true), ("2.1", true), ("6.1", true), ("3.0", false),
    ("hexagonal", false),
  ])
  func `loudspeakers of PCM are named if they are not the usual ones`(layout: String, isUsual: Bool)
    throws
  {
    let source = try file(
      "a.wav", ["-f", "lavfi", "-i", "anullsrc=channel_layout=\(layout):duration=0.1"])
    let before = try media(source).tracks[0].channelLayout
    let found = try losses(source, "remux-mkv", "a.mkv")
    let after = try media(scratch.path("a.mkv")).tracks[0].channelLayout
    #expect(after == ChannelLayout(channelCount: before.channelCount))
    #expect(
      found
        == (isUsual
          ? [] : ["changed: the channel layout of track 1 from \(before) to \(after)"]))
  }

  /// Both containers say whether fields are stored apart or interleaved.
  @Test(arguments: [1, 6, 9, 14])
  func `the order of fields stays`(order: Int) throws {
    let source = try file(
      "film.mkv",
      ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.4", "-c:v", "mpeg4"])
    try PluginWorkshop.run(
      "mkvpropedit",
      ["-q", source, "-e", "track:1", "-s", "interlaced=1", "-s", "field-order=\(order)"])
    let words = "Field order: \(order) "
    #expect(try losses(source, "remux-mkv", "copy.mkv") == [])
    #expect(try PluginWorkshop.run("mkvinfo", [scratch.path("copy.mkv")]).contains(words))
    #expect(try losses(source, "remux-mp4", "copy.mp4") == [])
    #expect(try media(scratch.path("copy.mp4")).tracks[0].fieldDetail == UInt8(order))
  }

  /// Readers ignore FieldOrder without FlagInterlaced.
  @Test func `an order of fields without a flag is copied`() throws {
    let source = try file("film.mkv", ["-i", Pipeline.clip("pattern-h264.mp4"), "-c", "copy"])
    try PluginWorkshop.run(
      "mkvpropedit", ["-q", source, "-e", "track:1", "-d", "interlaced", "-s", "field-order=1"])
    #expect(try losses(source, "remux-mkv", "copy.mkv") == [])
    let words = try PluginWorkshop.run("mkvinfo", [scratch.path("copy.mkv")])
    #expect(words.contains("Field order: 1 ") && !words.contains("Interlaced"))
  }
}
