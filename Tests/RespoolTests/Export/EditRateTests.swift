import Foundation
import ReadingFixtures
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Edit lists that play their media faster, slower or not at all (ISO/IEC 14496-12 8.6.6).
@Suite struct EditRateTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// An edit in units of the movie and of the media.
  struct Edit {
    var duration: UInt32
    var start: Int32
    var rate: UInt32
  }

  /// Returns a clip of 2 s with a clap at 0.5 s and a flash with the frame after it, both tracks of which have these edits.
  ///
  /// `start` counts from the first shown sample.
  private func film(_ edits: [Edit]) throws -> String {
    let path = scratch.path("film.mp4")
    var bytes = try [UInt8](Data(contentsOf: URL(filePath: Pipeline.clip("clap-and-flash.mp4"))))
    let total = edits.reduce(0) { $0 + $1.duration }
    var search = 0
    for scale in [12800, 48000] as [Int32] {
      let place = try #require(bytes[search...].firstRange(of: Array("elst".utf8))).upperBound
      let first = bytes[place + 12..<place + 16].reduce(Int32(0)) { $0 << 8 | Int32($1) }
      let list = edits.flatMap { edit in
        let start = edit.start < 0 ? -1 : first + edit.start * (scale / 100)
        return [edit.duration, UInt32(bitPattern: start), edit.rate].flatMap(\.bigEndianBytes)
      }
      bytes.replaceSubrange(
        place + 4..<place + 20, with: UInt32(edits.count).bigEndianBytes + list)
      try grow(&bytes, around: place - 4, by: list.count - 12)
      search = place + 4
    }
    let header = try #require(bytes.firstRange(of: Array("mvhd".utf8))).upperBound
    bytes.replaceSubrange(header + 16..<header + 20, with: total.bigEndianBytes)
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  /// Adds `count` to the sizes of a box list, of its parents, and moves the media in the file.
  private func grow(_ bytes: inout [UInt8], around type: Int, by count: Int) throws {
    guard count > 0 else { return }
    func add(_ place: Int) {
      let value = bytes[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bytes.replaceSubrange(place..<place + 4, with: (value + UInt32(count)).bigEndianBytes)
    }
    for name in ["elst", "edts", "trak", "moov"] {
      let range = try #require(bytes[..<(type + 4)].ranges(of: Array(name.utf8)).last)
      add(range.lowerBound - 4)
    }
    let movie = try #require(bytes.firstRange(of: Array("moov".utf8))).lowerBound
    let media = try #require(bytes.firstRange(of: Array("mdat".utf8))).lowerBound
    guard movie < media else { return }
    for chunks in bytes.ranges(of: Array("stco".utf8)) {
      let number = bytes[chunks.upperBound + 4..<chunks.upperBound + 8]
        .reduce(0) { $0 << 8 | Int($1) }
      for index in 0..<number { add(chunks.upperBound + 8 + 4 * index) }
    }
  }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  private func expectDuration(_ path: String, _ seconds: Double) throws {
    let media = try media(path)
    #expect(abs(Double(try #require(media.duration)) / 1e9 - seconds) < 0.03, "\(path)")
    for track in media.tracks {
      guard let duration = track.duration else { continue }
      let length = Double(duration) * track.timeBase.doubleValue
      #expect(abs(length - seconds) < 0.03, "\(track.kind) of \(path)")
    }
  }

  @Test(
    arguments: [(0x20000, 1000), (0x8000, 4000), (0x18000, 1333)] as [(UInt32, UInt32)],
    ["remux-mp4", "remux-mkv", "web-480p"])
  func `media plays at the rate of its edit`(
    _ edit: (rate: UInt32, length: UInt32), preset: String
  ) throws {
    let rate = Double(edit.rate) / 65536
    let film = try film([Edit(duration: edit.length, start: 0, rate: edit.rate)])
    let seconds = Double(edit.length) / 1000
    try expectDuration(film, seconds)
    let before = try Pipeline.events(film)
    #expect(abs(before.flash - 0.52 / rate) < 0.001)
    #expect(abs(before.clap - 0.5 / rate) < 0.01)
    let out = scratch.path("out.\(preset == "remux-mkv" ? "mkv" : "mp4")")
    let report = try Pipeline.export(film, preset, to: out)
    #expect(!report.losses.contains { $0.contains("playback rate") }, "\(report.losses)")
    let after = try Pipeline.events(out)
    #expect(abs(after.flash - before.flash) < 0.002)
    #expect(abs(after.clap - before.clap) < 0.01)
    try expectDuration(out, seconds)
  }

  @Test func `an edit at another rate is copied with its samples`() throws {
    let film = try film([Edit(duration: 1000, start: 0, rate: 0x20000)])
    let out = scratch.path("out.mp4")
    let report = try Pipeline.export(film, "remux-mp4", to: out)
    #expect(report.losses == [])
    let (before, after) = (try media(film), try media(out))
    #expect(after.tracks.map(\.codec) == before.tracks.map(\.codec))
    #expect(after.tracks.map { $0.edits.map(\.rate) } == [[2], [2]])
    #expect(after.tracks[1].timeBase == Rational(1, 96000))
    // FFmpeg ignores the rate, so it reads the media's own times.
    for path in [film, out] {
      let times = try PluginWorkshop.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time", "-of",
          "csv=p=0", path,
        ])
      #expect(times.split(separator: "\n").prefix(3).last == "0.021333", "\(path)")
    }
  }

  @Test(arguments: ["remux-mp4", "remux-mkv", "web-480p"])
  func `an edit at rate 0 holds one frame`(preset: String) throws {
    let edits = [
      Edit(duration: 500, start: 0, rate: 0x10000), Edit(duration: 1000, start: 50, rate: 0),
      Edit(duration: 1500, start: 50, rate: 0x10000),
    ]
    let film = try film(edits)
    let out = scratch.path("out.\(preset == "remux-mkv" ? "mkv" : "mp4")")
    let report = try Pipeline.export(film, preset, to: out)
    #expect(
      report.losses.contains(
        "lost: the audio of an edit at rate 0 of track 2"), "\(report.losses)")
    for path in [film, out] {
      let times = try Pipeline.pictures(path).map(\.presentationTimeStamp.seconds)
      // 12 frames until 0.48 s and half of one, a held frame, and the rest.
      #expect(!times.contains { $0 > 0.501 && $0 < 1.499 }, "\(path) \(times)")
      let found = try Pipeline.events(path)
      #expect(abs(found.flash - 1.52) < 0.002, "\(path)")
      #expect(abs(found.clap - 1.5) < 0.01, "\(path)")
      try expectDuration(path, 3)
    }
  }

  @Test func `rates that cannot be played are named`() throws {
    let film = try film([Edit(duration: 2000, start: 0, rate: 0xFFFF_0000)])
    let report = try Pipeline.export(film, "remux-mp4", to: scratch.path("out.mp4"))
    #expect(
      report.losses.contains(
        "lost: the speed of an edit at rate -1 of track 1"), "\(report.losses)")
    let sloppy = try self.film([Edit(duration: 2000, start: 0, rate: 1)])
    #expect(try Pipeline.export(sloppy, "remux-mp4", to: scratch.path("two.mp4")).losses == [])
    try expectDuration(scratch.path("two.mp4"), 2)
  }
}
