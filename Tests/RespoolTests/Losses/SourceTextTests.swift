import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Texts of one name in several languages, recording dates, chunks and layouts of files that FFmpeg reads only in part.
@Suite struct SourceTextTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  private func losses(_ source: String, _ preset: String, _ output: String) throws -> [String] {
    try Pipeline.export(source, preset, to: scratch.path(output)).losses
  }

  private func values(_ name: String, _ path: String) throws -> [String] {
    try media(path).metadata.filter { $0.name.lowercased() == name }.map(\.value)
  }

  private func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: scratch.path(name)))
    return scratch.path(name)
  }

  @discardableResult private func ffmpeg(_ arguments: [String], _ name: String) throws -> String {
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error"] + arguments + ["-fflags", "+bitexact", scratch.path(name)])
    return scratch.path(name)
  }

  /// Returns the languages of the titles by their texts.
  private func languages(_ path: String) throws -> [String: String] {
    let tags = try media(path).nativeTags.filter { $0.name.lowercased().hasSuffix("title") }
    return Dictionary(tags.map { ($0.value, LanguageCode($0.language ?? "")?.twoLetters ?? "") }) {
      first, _ in first
    }
  }

  @Test func `titles of several languages are kept, and the first has none`() throws {
    let source = try ffmpeg(
      [
        "-i", Pipeline.clip("speech.wav"), "-c:a", "flac", "-metadata", "title-fre=Le titre",
        "-metadata", "title-ita=Il titolo", "-metadata", "title=Standard",
      ], "source.mkv")
    let expected = ["Standard": "", "Il titolo": "it", "Le titre": "fr"]
    #expect(try languages(source) == expected)
    #expect(try losses(source, "remux-mp4", "out.mp4") == [])
    let movie = scratch.path("out.mp4")
    #expect(try values("title", movie) == ["Standard", "Il titolo", "Le titre"])
    #expect(try languages(movie) == expected)
    #expect(try losses(movie, "remux-mkv", "again.mkv") == [])
    #expect(try values("title", scratch.path("again.mkv")).first == "Standard")
    #expect(try languages(scratch.path("again.mkv")) == expected)
    // A list of comments has no languages; the first title is the default.
    let lost = try losses(movie, "opus-128k", "out.opus")
    #expect(lost.allSatisfy { $0.hasPrefix("lost: the language of tags") } && lost.count == 2)
    #expect(try values("title", scratch.path("out.opus")).first?.hasPrefix("Standard") == true)
  }

  // MARK: DV

  private func dv(_ name: String) throws -> String {
    try ffmpeg(
      [
        "-f", "lavfi", "-i", "color=s=720x576:r=25:d=0.2", "-f", "lavfi", "-i",
        "anullsrc=r=48000:cl=stereo", "-shortest", "-target", "pal-dv", "-metadata",
        "creation_time=2004-05-06T07:08:09Z", "-f", "dv",
      ], name)
  }

  @Test func `the recording date of DV is the creation time`() throws {
    let source = try dv("a.dv")
    #expect(try values("creation_time", source) == ["2004-05-06T07:08:09"])
    for container in ["avi", "mov"] {
      let copy = try ffmpeg(["-i", source, "-c", "copy"], "copy.\(container)")
      #expect(try values("creation_time", copy) == ["2004-05-06T07:08:09"], "\(container)")
    }
    #expect(
      try !losses(source, "web-480p", "out.mp4").contains { $0.contains("creation_time") })
    let date = try #require(try values("creation_time", scratch.path("out.mp4")).first)
    #expect(MetadataDate.distance(date, "2004-05-06T07:08:09") == 0)
    // A file that states another date keeps both.
    let dated = try ffmpeg(
      ["-i", source, "-c", "copy", "-metadata", "creation_time=2011-01-01T00:00:00Z"], "dated.mov")
    #expect(try values("creation_time", dated).first?.hasPrefix("2011") == true)
    #expect(try values("date", dated) == ["2004-05-06T07:08:09"])
  }

  // MARK: CAF

  private func big(_ number: some FixedWidthInteger) -> [UInt8] { number.bigEndianBytes }

  private func caf(_ chunks: [(String, [UInt8])]) throws -> String {
    let format =
      big(Double(8000).bitPattern) + Array("lpcm".utf8)
      + [0, 2, 1, 1, 16].flatMap { big(UInt32($0)) }
    let audio = [0, 0, 0, 0] + [UInt8](repeating: 1, count: 32_000)
    let all = [("desc", format)] + chunks + [("data", audio)]
    return try write(
      Array("caff".utf8) + [0, 1, 0, 0]
        + all.flatMap { Array($0.0.utf8) + big(Int64($0.1.count)) + $0.1 }, "a.caf")
  }

  private func marker(_ type: [UInt8], _ sample: Double, _ id: UInt32) -> [UInt8] {
    type + big(sample.bitPattern) + big(id) + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0, 0]
  }

  @Test func `markers of CAF become chapters, and other chunks are named`() throws {
    let markers =
      marker([0, 0, 0, 0], 0, 7) + marker(Array("indx".utf8), 8000, 8)
      + marker(Array("slbg".utf8), 9000, 9)
    let texts = [(UInt32(7), UInt64(0)), (8, 6)].flatMap { big($0.0) + big($0.1) }
    let comment = String(repeating: "x", count: 3000)
    let source = try caf([
      ("mark", big(UInt32(0)) + big(UInt32(3)) + markers),
      ("strg", big(UInt32(2)) + texts + Array("Intro\0Verse\0".utf8)),
      (
        "info",
        big(UInt32(3))
          + Array("track number\0\u{33}\0comments\0\(comment)\0nominal bit rate\09\0".utf8)
      ),
      ("uuid", [UInt8](repeating: 1, count: 20)), ("midi", [1]), ("regn", [2]), ("inst", [3]),
      ("ovvw", [4]),
    ])
    let chapters = try media(source).chapters
    #expect(chapters.map(\.title) == ["Intro", "Verse"])
    #expect(chapters.map(\.start) == [0, 1_000_000_000])
    #expect(chapters.map(\.end) == [1_000_000_000, 2_000_000_000])
    let named = ["inst", "midi", "ovvw", "regn", "uuid"].map { "lost: the chunk '\($0)' of CAF" }
    #expect(
      try losses(source, "remux-mkv", "out.mkv") == named + ["lost: the marker 'slbg' of CAF"])
    let output = scratch.path("out.mkv")
    #expect(try media(output).chapters.map(\.title) == ["Intro", "Verse"])
    #expect(try values("comment", output) == [comment] && values("track", output) == ["3"])
  }

  @Test func `lying chunks of CAF are left out`() throws {
    let huge = big(UInt32.max)
    let source = try caf([
      ("mark", huge + huge + [1, 2, 3]), ("strg", huge + [0, 0]), ("info", huge + [65]),
    ])
    #expect(try media(source).chapters.isEmpty)
    #expect(try losses(source, "wav", "out.wav") == [])
  }

  // MARK: AVI

  /// Returns an AVI file with chunks in its header list and in the list `INFO`.
  private func avi(header: [(String, String)], info: [(String, String)]) throws -> String {
    func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
      Array(name.utf8) + big(UInt32(body.count)).reversed() + body
        + (body.count % 2 == 0 ? [] : [0])
    }
    func texts(_ list: [(String, String)]) -> [UInt8] {
      list.flatMap { chunk($0.0, Array($0.1.utf8) + [0]) }
    }
    let path = try ffmpeg(
      ["-f", "lavfi", "-i", "color=s=64x48:d=0.2", "-c:v", "mjpeg", "-map_metadata", "-1"],
      "plain.avi")
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var reader = ByteReader(file)
    try reader.skip(12)
    var body: [UInt8] = []
    while reader.remaining >= 8 {
      let name = try reader.text(4)
      let size = Int(try reader.little(UInt32.self))
      var content = Array(try reader.take(size))
      if size % 2 == 1 { try reader.skip(1) }
      if content.starts(with: Array("hdrl".utf8)) { content += texts(header) }
      if content.starts(with: Array("INFO".utf8)) { continue }
      if content.starts(with: Array("movi".utf8)) {
        body +=
          chunk("LIST", Array("INFO".utf8) + texts(info)) + chunk("_PMX", [1, 2])
          + chunk("LIST", Array("exif".utf8) + [1])
      }
      body += chunk(name, content)
    }
    return try write(chunk("RIFF", Array("AVI ".utf8) + body), "made.avi")
  }

  @Test func `texts of AVI that FFmpeg ignores are kept`() throws {
    let source = try avi(
      header: [("IDIT", "2005:08:17 11:42:43\n"), ("ISMP", "0:1:30:19")],
      info: [("IPRT", "3"), ("ITRK", "7"), ("INAM", "One"), ("INAM", "Two")])
    let named = ["lost: the chunk '_PMX' of AVI", "lost: the list 'exif' of AVI"]
    #expect(try losses(source, "remux-mkv", "out.mkv") == named)
    let output = scratch.path("out.mkv")
    #expect(try values("creation_time", output).first == "2005-08-17 11:42:43")
    #expect(try values("timecode", output) == ["0:1:30:19"])
    let tracks = try ["track", "itrk", "iprt"].flatMap { try values($0, output) }
    #expect(tracks.sorted() == ["3", "7"])
    #expect(try Set(values("title", output) + values("inam", output)) == ["One", "Two"])
  }

  @Test(arguments: [
    ("2001/ 1/27  1:42PM", "2001-01-27 13:42:00"),
    ("Mon Mar 08 15:42:28 2004", "2004-03-08 15:42:28"),
  ])
  func `dates of AVI in other forms are read`(text: String, date: String) throws {
    let source = try avi(header: [("IDIT", text)], info: [])
    #expect(try values("creation_time", source) == [date])
  }

  // MARK: FLAC

  @Test(arguments: ["remux-mkv", "remux-mp4"])
  func `the layout of FLAC that has not the usual loudspeakers is kept`(preset: String) throws {
    let source = try ffmpeg(
      [
        "-f", "lavfi", "-i", "anullsrc=r=48000:cl=2.1", "-t", "0.2", "-c:a", "flac",
      ], "source.mka")
    #expect(try media(source).tracks[0].channelLayout == ChannelLayout(mask: 0xB))
    let output = preset == "remux-mkv" ? "out.mkv" : "out.mp4"
    #expect(try losses(source, preset, output) == [])
    #expect(try media(scratch.path(output)).tracks[0].channelLayout == ChannelLayout(mask: 0xB))
  }
}
