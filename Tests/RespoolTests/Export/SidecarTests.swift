import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Files of subtitles beside films.
@Suite struct SidecarTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let text = "1\n00:00:00,500 --> 00:00:01,500\n<i>Grüße</i>\n"

  private func write(_ text: String, _ name: String, _ encoding: String.Encoding = .utf8) throws {
    try #require(text.data(using: encoding)).write(
      to: URL(fileURLWithPath: scratch.path(name)))
  }

  private func film(_ name: String = "film.mkv") throws -> String {
    let path = scratch.path(name)
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-y", "-i", Pipeline.clip("clap-and-flash.mp4"), "-c", "copy", path])
    return path
  }

  // MARK: Names

  @Test(
    arguments: [
      ("film.srt", nil, []), ("film.en.srt", "en", []), ("film.ENG.SRT", "en", []),
      ("film.pt-BR.forced.ass", "pt-BR", .forced), ("film.zh_Hans.vtt", "zh-Hans", []),
      ("film.sdh.vtt", nil, .hearingImpaired),
      ("film.forced.de.default.ssa", "de", [.forced, .default]),
      ("film.hi.srt", "hi", []), ("film.en.hi.srt", "en", .hearingImpaired),
      ("film.ger.cc.commentary.sup", "de", [.hearingImpaired, .commentary]),
    ] as [(String, String?, TrackDescription.Disposition)])
  func `names state language and flags`(
    name: String, language: String?, disposition: TrackDescription.Disposition
  ) throws {
    let files = SubtitleFile.files(
      of: "film.mkv", in: "/a", among: ["a.srt", name, "film.mkv"].sorted())
    #expect(
      files == [SubtitleFile(path: "/a/" + name, language: language, disposition: disposition)])
  }

  @Test(arguments: [
    "film.foo.srt", "film.en.de.srt", "films.srt", "film.txt", "film.srt.bak",
    "Film.srt",
    "film.english.srt", "film.en-.srt", "srt", ".srt", "film.mp4",
  ])
  func `other names are left alone`(name: String) {
    #expect(SubtitleFile.files(of: "film.mkv", in: "", among: ["film.mkv", name].sorted()).isEmpty)
  }

  @Test func `a longer name of another film fits better`() {
    let names = ["film.de.mkv", "film.de.srt", "film.en.srt", "film.mkv", "film.srt"]
    func found(_ name: String) -> [String] {
      SubtitleFile.files(of: name, in: "", among: names).map(\.path)
    }
    #expect(found("film.mkv") == ["film.en.srt", "film.srt"])
    #expect(found("film.de.mkv") == ["film.de.srt"])
    let many = (0..<40).map {
      "film.\(["en", "de"][$0 % 2]).\(["forced", "sdh"][$0 / 2 % 2])\($0).srt"
    }
    #expect(SubtitleFile.files(of: "film.mkv", in: "", among: many.sorted()).isEmpty)
  }

  // MARK: Export

  private func export(_ film: String, _ preset: String, to name: String) throws -> (
    report: ExportReport, tracks: [String]
  ) {
    let session = try ExportSession(
      input: film, preset: try Pipeline.preset(preset), registry: Pipeline.registry)
    session.subtitleFiles = SubtitleFile.files(beside: film)
    let report = try session.exportAndWait(to: scratch.path(name))
    let media = try Pipeline.registry.openDemuxer(FileSource(path: scratch.path(name))).media
    return (
      report,
      media.tracks.filter { $0.kind == .subtitle }.map {
        "\($0.codec) \($0.language ?? "-")\($0.disposition.contains(.forced) ? " forced" : "")"
      }
    )
  }

  private func shown(_ name: String, _ track: Int) throws -> String {
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", scratch.path(name), "-map", "0:s:\(track)", "-f", "srt", "-"])
  }

  @Test func `text is added to the film as tracks`() throws {
    let film = try film()
    try write(Self.text, "film.de.forced.srt")
    try write(
      "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\n"
        + "Style: Default,Arial,20\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, "
        + "MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:00.50,0:00:01.50,Default,,0,0,0,,Hallo\n",
      "film.nl.ass")
    try write("WEBVTT\n\n00:00.500 --> 00:01.000\nOi\n", "film.pt-BR.vtt")
    let made = try export(film, "remux-mkv", to: "o.mkv")
    #expect(made.report.isCopy && made.report.losses == [])
    #expect(made.tracks == ["subrip ger forced", "ass dut", "webvtt pt-BR"])
    #expect(made.report.notes.filter { $0.contains("of the source") }.count == 3)
    #expect(try shown("o.mkv", 0).contains("00:00:00,500 --> 00:00:01,500\n<i>Grüße</i>"))
    let mp4 = try export(film, "remux-mp4", to: "o.mp4")
    #expect(mp4.tracks == ["mov_text de forced", "mov_text nl", "mov_text pt-BR"])
    #expect(try shown("o.mp4", 2).contains("00:00:00,500 --> 00:00:01,000\nOi"))
    #expect(mp4.report.losses.count == 1 && mp4.report.losses[0].contains("without its styles"))
    // The film itself stays as it is.
    for name in ["o.mkv", "o.mp4"] {
      for track in ["v", "a"] {
        let hashes = try [film, scratch.path(name)].map {
          try PluginWorkshop.run(
            "ffmpeg", ["-v", "error", "-i", $0, "-map", "0:\(track)", "-f", "framemd5", "-"]
          ).split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last
          }
        }
        #expect(hashes[0] == hashes[1] && !hashes[0].isEmpty, "\(name) \(track)")
      }
    }
  }

  @Test(arguments: [String.Encoding.windowsCP1252, .utf16LittleEndian])
  func `other encodings of text are read`(encoding: String.Encoding) throws {
    let film = try film()
    let mark = encoding == .utf16LittleEndian ? "\u{FEFF}" : ""
    try write(mark + Self.text.replacing("Grüße", with: "Grüße – €"), "film.srt", encoding)
    let made = try export(film, "remux-mkv", to: "o.mkv")
    #expect(try shown("o.mkv", 0).contains("Grüße – €"))
    #expect(
      made.report.notes.contains { $0.contains("taken for Windows-1252") }
        == (encoding == .windowsCP1252))
  }

  @Test func `a file that cannot be added is a loss by name`() throws {
    let film = try film()
    try write("\u{0}\u{1}nothing", "film.srt")
    try write(Self.text, "film.en.srt")
    let made = try export(film, "remux-mkv", to: "o.mkv")
    #expect(made.tracks == ["subrip eng"])
    #expect(made.report.losses.count == 1)
    #expect(made.report.losses[0].hasPrefix("film.srt is left out: "))
  }

  @Test func `the text of a damaged file is added without what is damaged`() throws {
    let film = try film()
    try write(Self.text + "\n2\n00:00:09,000 --> 00:00:08,000\nlost\n", "film.srt")
    let made = try export(film, "remux-mkv", to: "o.mkv")
    #expect(try shown("o.mkv", 0).contains("<i>Grüße</i>"))
    #expect(made.report.losses.count == 1)
    #expect(made.report.losses[0].hasPrefix("film.srt is damaged, and the rest is added: 1 cue"))
  }

  @Test func `images of DVDs beside a film are named`() throws {
    let film = try film()
    try write("# VobSub index file, v7", "film.idx")
    try write("", "film.sub")
    let losses = try export(film, "remux-mkv", to: "o.mkv").report.losses
    #expect(losses.count == 1)
    #expect(losses.first?.hasPrefix("film.idx and film.sub are left out: ") == true)
    #expect(losses.allSatisfy { $0.contains("mkvmerge") })
  }

  @Test(arguments: [0, 1, 2, 3]) func `edits keep the text at its times`(edit: Int) throws {
    let film = try film()
    try write(
      "1\n00:00:00,500 --> 00:00:01,500\nfirst\n\n2\n00:00:02,000 --> 00:00:03,000\nsecond\n",
      "film.en.srt")
    var edits = EditOptions()
    switch edit {
    case 0: edits.volume = 0.5
    case 1: edits.caption = EditOptions.Caption("over it")
    case 2: edits.rotation = .clockwise(90)
    default:
      edits.start = MediaTime(value: 3, timescale: 4)
      edits.end = MediaTime(value: 5, timescale: 4)
    }
    try write(
      "container: mkv\nvideo: {codec: ffv1}\naudio: {codec: flac}\n", "p.yaml")
    let session = try edits.makeSession(
      for: Asset(path: film, registry: Pipeline.registry),
      preset: try PresetLibrary(folders: []).preset(scratch.path("p.yaml")),
      registry: Pipeline.registry)
    session.subtitleFiles = SubtitleFile.files(beside: film)
    let report = try session.exportAndWait(to: scratch.path("part.mkv"))
    #expect(!report.losses.contains { $0.contains("left out") }, "\(report.losses)")
    let times = try PluginWorkshop.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "s", "-show_entries", "packet=pts_time,duration_time",
        "-of", "csv=p=0", scratch.path("part.mkv"),
      ])
    #expect(
      times.split(separator: "\n").map { $0.split(separator: ",").compactMap { Double($0) } }
        == (edit == 3 ? [[0, 0.5]] : [[0.5, 1], [2, 1]]))
  }

  @Test func `rules select among the added tracks`() throws {
    let film = try film()
    try write(Self.text, "film.de.srt")
    try write(Self.text, "film.en.srt")
    try write(
      "container: mkv\nvideo: {passthrough: only}\naudio: {passthrough: only}\nsubtitles: [language == en]\n",
      "p.yaml")
    let session = try ExportSession(
      input: film, preset: try PresetLibrary(folders: []).preset(scratch.path("p.yaml")),
      registry: Pipeline.registry)
    session.subtitleFiles = SubtitleFile.files(beside: film)
    let report = try session.exportAndWait(to: scratch.path("o.mkv"))
    #expect(report.losses.count == 1 && report.losses[0].contains("no rule of the preset selects"))
    let media = try Pipeline.registry.openDemuxer(FileSource(path: scratch.path("o.mkv"))).media
    #expect(media.tracks.filter { $0.kind == .subtitle }.map(\.language) == ["eng"])
  }
}
