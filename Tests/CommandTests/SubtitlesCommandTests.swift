import Foundation
import Testing

/// Files of subtitles that are taken out of films.
@Suite struct SubtitlesCommandTests {
  private let folder = TemporaryFolder()

  private static let subRip = """
    1
    00:00:01,000 --> 00:00:02,500
    <i>Hello</i>
    wörld

    2
    00:00:02,000 --> 00:00:03,000
    Two at a time


    """

  private static let script = """
    [Script Info]
    ScriptType: v4.00+

    [V4+ Styles]
    Format: Name, Fontname, Fontsize
    Style: Default,Arial,16

    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
    Dialogue: 1,0:00:02.00,0:00:03.00,Default,Anna,0,0,0,,{\\pos(10,20)}later, with commas
    Dialogue: 0,0:00:01.00,0:00:01.50,Default,,0,0,0,,first\\Nline

    """

  private static let cues = """
    WEBVTT

    STYLE
    ::cue { color: lime }

    first
    00:00:01.000 --> 00:00:02.000 align:start line:0
    <b>Bold</b> &amp; plain

    00:00:02.500 --> 00:01:02.750
    Second


    """

  private func text(_ name: String) throws -> String {
    try String(
      decoding: #require(FileManager.default.contents(atPath: folder(name)), "\(folder.contents)"),
      as: UTF8.self)
  }

  /// Makes a film with files of subtitles, by another program.
  private func makeFilm(_ name: String, _ subtitles: [(file: String, options: [String])]) throws {
    _ = try Tool.run(
      "mkvmerge",
      ["-q", "-o", folder(name), Respool.media + "/pattern-h264.mp4"]
        + subtitles.flatMap { $0.options + [folder($0.file)] })
  }

  private func makeSources() throws {
    try folder.write(Self.subRip, as: "a.srt")
    try folder.write(Self.script, as: "b.ass")
    try folder.write(Self.cues, as: "c.vtt")
  }

  @Test func `every track becomes the file that it was made of`() throws {
    try makeSources()
    try folder.write("", as: "in/none")
    try makeFilm(
      "in/film.mkv",
      [
        ("a.srt", ["--language", "0:eng"]),
        ("b.ass", ["--language", "0:pt-BR", "--forced-display-flag", "0:1"]),
        ("c.vtt", ["--language", "0:ger", "--hearing-impaired-flag", "0:1"]),
        ("a.srt", ["--language", "0:en"]),
      ])
    let result = try Respool.run("subtitles", folder("in"), "--to", folder("out"), "--json")
    let event = try #require(
      try result.events().first { ($0["input"] as? String)?.hasSuffix("film.mkv") == true })
    #expect(event["status"] as? String == "converted", "\(result)")
    let files = try #require(event["outputs"] as? [String])
    #expect(
      files.map { ($0 as NSString).lastPathComponent } == [
        "film.en.srt", "film.pt-BR.forced.ass", "film.de.sdh.vtt", "film.en.2.srt",
      ])
    #expect(try text("out/film.en.srt") == Self.subRip)
    #expect(try text("out/film.en.2.srt") == Self.subRip)
    #expect(try text("out/film.pt-BR.forced.ass") == Self.script)
    #expect(try text("out/film.de.sdh.vtt") == Self.cues)
    // A second run makes nothing, and a third one what is missing.
    let second = try Respool.run("subtitles", folder("in"), "--to", folder("out"))
    #expect(second.errors.contains("already exists"))
    unlink(folder("out/film.en.srt"))
    #expect(try Respool.run("subtitles", folder("in"), "--to", folder("out")).status == 0)
    #expect(try text("out/film.en.srt") == Self.subRip)
  }

  @Test func `files are found beside the film again, with language and flags`() throws {
    try makeSources()
    try makeFilm(
      "film.mkv",
      [
        ("a.srt", ["--language", "0:eng"]),
        ("a.srt", ["--language", "0:eng", "--forced-display-flag", "0:1"]),
        ("a.srt", ["--language", "0:eng"]),
      ])
    #expect(try Respool.run("subtitles", folder("film.mkv"), "--to", folder("new")).status == 0)
    try folder.add("pattern-h264.mp4", as: "new/film.mp4")
    let result = try Respool.run(
      "convert", folder("new/film.mp4"), folder("again.mkv"), "--preset", "remux-mkv")
    try #require(result.status == 0, "\(result.errors)")
    let tracks = try Tool.run("mkvmerge", ["-J", folder("again.mkv")])
    let parsed = try #require(
      JSONSerialization.jsonObject(with: Data(tracks.utf8)) as? [String: Any])
    let found = (parsed["tracks"] as? [[String: Any]] ?? []).filter {
      $0["type"] as? String == "subtitles"
    }.compactMap { $0["properties"] as? [String: Any] }
    #expect(found.map { $0["language"] as? String } == ["eng", "eng", "eng"])
    #expect(found.filter { $0["forced_track"] as? Bool == true }.count == 1)
  }

  @Test(arguments: ["srt", "vtt"]) func `text is converted, and what it loses is named`(
    _ format: String
  ) throws {
    try makeSources()
    try makeFilm("film.mkv", [("b.ass", ["--language", "0:eng"])])
    let result = try Respool.run(
      "subtitles", folder("film.mkv"), "--to", folder("out"), "--format", format)
    #expect(result.status == 0 && result.errors.contains("styles"), "\(result.errors)")
    let made = try text("out/film.en." + format)
    #expect(made.contains("first\nline") && made.contains("later, with commas"))
    // Another program reads the same times.
    let times = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
        folder("out/film.en." + format),
      ])
    #expect(
      times.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) } == [1, 2])
  }

  @Test func `one track is chosen by its language`() throws {
    try makeSources()
    try makeFilm(
      "film.mkv",
      [("b.ass", ["--language", "0:eng"]), ("a.srt", ["--language", "0:de"])])
    let output = folder("x.srt")
    #expect(
      try Respool.run("subtitles", folder("film.mkv"), "-o", output, "--language", "de").status == 0
    )
    #expect(try text("x.srt") == Self.subRip)
    let none = try Respool.run(
      "subtitles", folder("film.mkv"), "-o", folder("y.srt"), "--language", "fr")
    #expect(none.status == 1 && none.errors.contains("no subtitles of the language fr"))
    let again = try Respool.run("subtitles", folder("film.mkv"), "-o", output)
    #expect(again.status == 2 || again.errors.contains("--replace"))
    #expect(try Respool.run("subtitles", folder("film.mkv"), "-o", folder("z.txt")).status == 2)
    let name = try Respool.run(
      "subtitles", folder("film.mkv"), "-o", folder("y.srt"), "--language", "German")
    #expect(name.status == 2 && name.errors.contains("a code such as en, de or pt-BR"))
  }

  @Test func `images of subtitles go through unchanged, and are no text`() throws {
    // A palette, a window and an end, each a segment of presentation graphics.
    let segments: [[UInt8]] = [
      [0x16, 0, 11, 7, 128, 4, 56, 0x10, 0, 0, 0x80, 0, 0, 0],
      [0x17, 0, 10, 1, 0, 0, 0, 0, 0, 0, 8, 0, 8],
      [0x80, 0, 0],
    ]
    // Seconds in units of 1/90000 s; Matroska rounds times to milliseconds.
    func file(at seconds: UInt32) -> [UInt8] {
      let time = withUnsafeBytes(of: (seconds * 90_000).bigEndian) { Array($0) }
      return segments.flatMap { Array("PG".utf8) + time + [0, 0, 0, 0] + $0 }
    }
    try folder.write(Data(file(at: 1) + file(at: 3)), as: "a.sup")
    try makeFilm("film.mkv", [("a.sup", ["--language", "0:eng"])])
    #expect(try Respool.run("subtitles", folder("film.mkv"), "--to", folder("out")).status == 0)
    let made = try #require(FileManager.default.contents(atPath: folder("out/film.en.sup")))
    #expect(Array(made) == file(at: 1) + file(at: 3))
    let text = try Respool.run(
      "subtitles", folder("film.mkv"), "-o", folder("x.srt"))
    #expect(
      text.status == 1 && text.errors.contains("only a file with the extension sup"),
      "\(text.errors)")
  }

  @Test func `a file that is not UTF-8 is read as Windows text, with a note`() throws {
    try folder.write(
      Data("1\n00:00:01,000 --> 00:00:02,000\nGr".utf8 + [0xFC, 0xDF, 0x65, 0x20, 0x80, 0x0A]),
      as: "a.srt")
    let result = try Respool.run("subtitles", folder("a.srt"), "-o", folder("x.vtt"))
    #expect(result.status == 0 && result.errors.contains("taken for Windows-1252"), "\(result)")
    #expect(try text("x.vtt").contains("Grüße €"))
    #expect(!result.errors.contains("states a duration"))
  }

  @Test func `styles, identifiers and comments of a file are kept`() throws {
    try folder.write(
      Self.cues + "NOTE a\n\n01:05.000 --> 01:06.000\nlast", as: "c.vtt")
    let result = try Respool.run("subtitles", folder("c.vtt"), "-o", folder("x.vtt"))
    #expect(result.status == 0, "\(result)")
    let made = try text("x.vtt")
    #expect(made == Self.cues + "NOTE a\n\n00:01:05.000 --> 00:01:06.000\nlast\n\n")
  }

  @Test func `timestamps in cues survive Matroska`() throws {
    let cues = Self.cues.replacing("Second", with: "Sec<00:00:03.000>ond")
    try folder.write(cues, as: "c.vtt")
    // The same text by way of mkvmerge, and of a file beside the film by way of mkvextract.
    try makeFilm("film.mkv", [("c.vtt", [])])
    #expect(try Respool.run("subtitles", folder("film.mkv"), "-o", folder("x.vtt")).status == 0)
    #expect(try text("x.vtt") == cues)
    try folder.add("pattern-h264.mp4", as: "c.mp4")
    let made = try Respool.run(
      "convert", folder("c.mp4"), folder("made.mkv"), "--preset", "remux-mkv")
    try #require(made.status == 0, "\(made.errors)")
    _ = try Tool.run("mkvextract", [folder("made.mkv"), "tracks", "2:" + folder("y.vtt")])
    #expect(try text("y.vtt").contains("Sec<00:00:03.000>ond"))
  }

  @Test func `other text in a folder is skipped`() throws {
    try folder.write(
      "{\"captions\":[{\"duration\":1000,\"content\":\"x\",\"startOfParagraph\":true,\"startTime\":0}]}",
      as: "in/manifest.json")
    try makeSources()
    try makeFilm("in/film.mkv", [("a.srt", [])])
    let result = try Respool.run("subtitles", folder("in"), "--to", folder("out"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(try text("out/film.srt") == Self.subRip)
  }

  @Test func `a film that ends early is named`() throws {
    try makeSources()
    _ = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Respool.media + "/pattern-h264.mp4", "-i", folder("a.srt"), "-map",
        "0",
        "-map", "1", "-c", "copy", "-c:s", "mov_text", "-movflags", "faststart", folder("film.mp4"),
      ])
    let whole = try #require(FileManager.default.contents(atPath: folder("film.mp4")))
    try folder.write(whole.dropLast(whole.count / 4), as: "cut.mp4")
    let result = try Respool.run("subtitles", folder("cut.mp4"), "-o", folder("x.srt"))
    #expect(result.errors.contains("the source ends early: "), "\(result)")
  }

  @Test func `text that would end a cue stays in it`() throws {
    try folder.write(
      "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}a --> b\n\n2\n00:00:03,000 --> 00:00:04,000\nx\n",
      as: "a.srt")
    try makeFilm("film.mkv", [("a.srt", [])])
    #expect(
      try Respool.run("subtitles", folder("film.mkv"), "-o", folder("x.vtt")).status == 0)
    let made = try text("x.vtt")
    #expect(made.components(separatedBy: "-->").count == 3, "\(made)")
    #expect(made.contains("a --&gt; b"))
  }
}
