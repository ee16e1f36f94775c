import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Small facts of MP4 and QuickTime movies, which a conversion keeps or reports as lost.
@Suite struct MovieFactsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns a movie with its movie box at the end.
  private func film(_ type: String = "mov", _ options: [String] = []) throws -> String {
    let path = scratch.path("film.\(type)")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=2"]
        + ["-f", "lavfi", "-i", "sine=duration=2", "-c:a", "aac", "-c:v", "libx264"]
        + ["-pix_fmt", "yuv420p"] + options + [path])
    return path
  }

  private func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    UInt32(body.count + 8).bigEndianBytes + Array(type.utf8) + body
  }

  /// Appends boxes to the first box at a path, which begins with `moov`.
  private func add(_ boxes: [UInt8], to path: [String], of file: String) throws {
    var bytes = try [UInt8](Data(contentsOf: URL(filePath: file)))
    var range = 0..<bytes.count
    for type in path {
      var place = range.lowerBound
      func size() -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
      while Array(bytes[place + 4..<place + 8]) != Array(type.utf8) { place += size() }
      range = place + 8..<place + size()
      bytes.replaceSubrange(
        place..<place + 4, with: UInt32(size() + boxes.count).bigEndianBytes)
    }
    bytes.insert(contentsOf: boxes, at: range.upperBound)
    try Data(bytes).write(to: URL(filePath: file))
  }

  private func losses(_ film: String, _ preset: String, _ type: String) throws -> [String] {
    var preset = try Pipeline.preset(preset)
    if type == "mov" { preset.container = type }
    try? FileManager.default.removeItem(atPath: scratch.path("out.\(type)"))
    let session = try ExportSession(input: film, preset: preset, registry: Pipeline.registry)
    return try session.exportAndWait(to: scratch.path("out.\(type)")).losses
  }

  private func contains(_ text: String, _ type: String) throws -> Bool {
    try Data(contentsOf: URL(filePath: scratch.path("out.\(type)"))).range(of: Data(text.utf8))
      != nil
  }

  private let lists = [
    ("remux-mp4", "mov"), ("remux-mp4", "mp4"), ("remux-mkv", "mkv"), ("web-480p", "mp4"),
  ]

  @Test func `boxes that no writer knows are named`() throws {
    let film = try film()
    try add(box("abcd", [1, 2, 3]), to: ["moov"], of: film)
    try add(box("load", [UInt8](repeating: 0, count: 16)), to: ["moov", "trak"], of: film)
    for (preset, type) in lists {
      let losses = try losses(film, preset, type)
      #expect(losses.contains("lost: the box 'abcd'"), "\(losses)")
      #expect(losses.contains("lost: the box 'load' of track 1"), "\(losses)")
      #expect(losses.count == 2, "\(losses)")
    }
  }

  @Test func `ID3 in a movie is kept or named`() throws {
    let film = try film("mp4")
    let handler = box(
      "hdlr",
      [UInt8](repeating: 0, count: 8) + Array("ID32".utf8) + [UInt8](repeating: 0, count: 13))
    let tag = box("ID32", [0, 0, 0, 0, 0x15, 0xC7] + Array("ID3\u{4}\0\0\0\0\0\0".utf8))
    try add(box("meta", [0, 0, 0, 0] + handler + tag), to: ["moov"], of: film)
    for type in ["mov", "mp4"] {
      #expect(try losses(film, "remux-mp4", type) == [])
      #expect(try contains("ID32", type))
    }
    #expect(
      try losses(film, "remux-mkv", "mkv")
        == [
          "lost: the metadata of a camera or program (meta) (\(handler.count + tag.count + 4) bytes)"
        ])
  }

  @Test func `apertures without a clean aperture are kept or named`() throws {
    let film = try film()
    func size(_ type: String, _ width: UInt32) -> [UInt8] {
      box(type, [0, 0, 0, 0] + [width << 16, 48 << 16].flatMap(\.bigEndianBytes))
    }
    try add(
      box("tapt", size("clef", 60) + size("prof", 64) + size("enof", 64)), to: ["moov", "trak"],
      of: film)
    #expect(try losses(film, "remux-mp4", "mov") == [])
    for (preset, type) in lists.dropFirst() {
      let losses = try losses(film, preset, type)
      #expect(losses == ["lost: the aperture dimensions (tapt) of track 1"], "\(losses)")
    }
  }

  @Test func `the gamma of QuickTime is kept or named`() throws {
    let film = try film()
    try add(
      box("gama", [0, 1, 0xCC, 0xCD]),
      to: ["moov", "trak", "mdia", "minf", "stbl"], of: film)
    // Moves the box from the sample table into the sample entry.
    var bytes = try [UInt8](Data(contentsOf: URL(filePath: film)))
    let gamma = try #require(bytes.firstRange(of: Array("gama".utf8))).lowerBound - 4
    let moved = Array(bytes[gamma..<gamma + 12])
    bytes.removeSubrange(gamma..<gamma + 12)
    for type in ["stsd", "avc1"] {
      let place = try #require(bytes.firstRange(of: Array(type.utf8))).lowerBound - 4
      let size = bytes[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bytes.replaceSubrange(place..<place + 4, with: (size + 12).bigEndianBytes)
      if type == "avc1" { bytes.insert(contentsOf: moved, at: place + Int(size)) }
    }
    try Data(bytes).write(to: URL(filePath: film))
    #expect(try losses(film, "remux-mp4", "mov") == [])
    #expect(try contains("gama", "mov"))
    for (preset, type) in lists.dropFirst() {
      let losses = try losses(film, preset, type)
      #expect(losses == ["lost: the gamma (gama) of track 1"], "\(losses)")
    }
  }

  @Test func `poster and preview are kept or named`() throws {
    let film = try film()
    // Preview of 1 s from 0.5 s, poster at 1.5 s, in milliseconds.
    try Patch.apply(
      film, "mvhd", 0, at: 72, [500, 1000, 1500].flatMap { UInt32($0).bigEndianBytes })
    #expect(try losses(film, "remux-mp4", "mov") == [])
    let media = try Pipeline.registry.openDemuxer(FileSource(path: scratch.path("out.mov"))).media
    let record = try #require(media.sideData[.displayTimes])
    let numbers = stride(from: 0, to: record.count, by: 4).map { place in
      record[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(numbers[1...3].map { Double($0) / Double(numbers[0]) } == [0.5, 1, 1.5])
    for (preset, type) in lists.dropFirst() {
      let losses = try losses(film, preset, type)
      #expect(
        losses == ["lost: the times of poster, preview and selection (mvhd)"], "\(losses)")
    }
  }

  @Test func `the place of frames is kept or named`() throws {
    let film = try film()
    try Patch.apply(film, "tkhd", 0, at: 64, [30, 20].flatMap { UInt32($0 << 16).bigEndianBytes })
    #expect(try losses(film, "remux-mp4", "mov") == [])
    #expect(try losses(film, "remux-mp4", "mp4") == [])
    for (preset, type) in lists.dropFirst(2) {
      let losses = try losses(film, preset, type)
      #expect(
        losses == ["lost: the translation of the display matrix of track 1 (30 20)"], "\(losses)")
    }
    // A rotation by 90 degrees moves frames by their height.
    let turned = try self.film("mp4", ["-metadata:s:v", "rotate=90"])
    for (preset, type) in lists { #expect(try losses(turned, preset, type) == []) }
  }

  @Test func `a name and a title of one track are kept`() throws {
    let film = try film("mp4")
    let titles =
      box("titl", [0, 0, 0, 0, 0x15, 0xC7] + Array("Title\0".utf8))
      + box("name", Array("Name".utf8))
    try add(box("udta", titles), to: ["moov", "trak"], of: film)
    for (preset, type) in lists.dropLast() where type != "mkv" {
      #expect(try losses(film, preset, type) == [])
      let out = scratch.path("out.\(type)")
      let track = try Pipeline.registry.openDemuxer(FileSource(path: out)).media.tracks[0]
      #expect(
        track.metadata.filter { $0.name == "title" }.map(\.value) == ["Name", "Title"], "\(type)")
    }
    let losses = try losses(film, "remux-mkv", "mkv")
    #expect(losses == [] || losses.contains { $0.contains("title of track 1") }, "\(losses)")
    #expect(try contains("Name", "mkv"))
  }

  @Test func `dates of tracks that differ are kept or named`() throws {
    let film = try film("mp4", ["-metadata", "creation_time=2020-01-02T03:04:05Z"])
    // The audio's date is a day later.
    try Patch.apply(film, "mdhd", 1, at: 4, UInt32(3_660_865_445).bigEndianBytes)
    for (preset, type) in lists {
      let losses = try losses(film, preset, type)
      guard losses.isEmpty else {
        #expect(losses.allSatisfy { $0.contains("creation_time of track 2") }, "\(losses)")
        continue
      }
      let out = scratch.path("out.\(type)")
      let track = try Pipeline.registry.openDemuxer(FileSource(path: out)).media.tracks[1]
      #expect(track.metadata.contains { $0.value.hasPrefix("2020-01-03T03:04:05") }, "\(type)")
    }
  }

  @Test func `the date of a track header is named`() throws {
    let film = try film("mp4", ["-metadata", "creation_time=2020-01-02T03:04:05Z"])
    try Patch.apply(film, "tkhd", 1, at: 4, UInt32(3_660_865_445).bigEndianBytes)
    for (preset, type) in lists {
      #expect(
        try losses(film, preset, type)
          == ["lost: the date of the track header (tkhd) of track 2"])
    }
  }

  @Test func `full range that becomes limited is a note`() throws {
    let film = try film("mp4", ["-vf", "scale=out_range=full", "-color_range", "pc"])
    let report = try Pipeline.export(film, "web-480p", to: scratch.path("out.mp4"))
    #expect(
      report.notes.contains("video: full-range video becomes limited range"), "\(report.notes)")
    let plain = try self.film("mp4")
    let other = try Pipeline.export(plain, "webm-720p", to: scratch.path("out.webm"))
    #expect(!other.notes.contains { $0.contains("range") }, "\(other.notes)")
  }

  @Test(arguments: [("wav", "wav"), ("opus-128k", "opus")])
  func `the end of the last chapter is named`(preset: String, type: String) throws {
    let list = scratch.path("chapters.txt")
    try """
    ;FFMETADATA1
    [CHAPTER]
    TIMEBASE=1/1000
    START=0
    END=500
    title=One
    [CHAPTER]
    TIMEBASE=1/1000
    START=500
    END=1200
    title=Two
    """.write(toFile: list, atomically: true, encoding: .utf8)
    let path = scratch.path("film.mka")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "sine=duration=2", "-i", list, "-map_metadata", "1"]
        + ["-c:a", "flac", path])
    let losses = try losses(path, preset, type)
    #expect(losses.contains { $0.contains("end of the last chapter") }, "\(losses)")
  }
}
