import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool
@testable import RespoolPresets

/// Text tracks in conversions between containers.
@Suite struct CaptionConversionTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let text = """
    1
    00:00:00,200 --> 00:00:00,800
    <b>bold</b> and <i>slanted</i>

    2
    00:00:01,000 --> 00:00:01,500
    <u>two</u>
    lines

    """

  /// Creates a movie with the text in `codec`, written by FFmpeg, and returns its path.
  private func film(_ name: String, _ text: String = text, codec: String) throws -> String {
    let file = try Captions.file(scratch, "text.srt", text)
    let path = scratch.path(name)
    _ = try Captions.ffmpeg([
      "-i", Pipeline.clip(name.hasSuffix("webm") ? "pattern-vp9.webm" : "pattern-h264.mp4"), "-i",
      file, "-map", "0:v", "-map", "1", "-c:v", "copy", "-c:s", codec, "-metadata:s:s:0",
      "language=fre", path,
    ])
    return path
  }

  @Test(arguments: [
    ("film.mkv", "subrip", "remux-mp4", "out.mp4", "mov_text"),
    ("film.mkv", "webvtt", "remux-mp4", "out.mp4", "mov_text"),
    ("film.mkv", "ass", "remux-mp4", "out.mp4", "mov_text"),
    ("film.mp4", "mov_text", "remux-mkv", "out.mkv", "subrip"),
    ("film.mov", "mov_text", "remux-mkv", "out.mkv", "subrip"),
    ("film.mkv", "subrip", "webm-720p", "out.webm", "webvtt"),
  ])
  func `text is converted to the format of another container`(
    name: String, from: String, preset: String, output: String, to: String
  ) throws {
    let film = try film(name, codec: from)
    let path = scratch.path(output)
    let report = try Pipeline.export(film, preset, to: path)
    #expect(report.losses == [])
    #expect(report.plugins.contains { $0.hasSuffix("the text of \(from) becomes \(to)") })
    let tracks = try [film, path].map { file in
      try #require(
        try Asset(path: file, registry: Pipeline.registry).tracks(withMediaType: .subtitle).first)
    }
    #expect(tracks.map(\.formatDescription.codec) == [from, to])
    #expect(tracks[0].languageCode == tracks[1].languageCode)
    #expect(try Captions.subRip(path) == Self.text.trimmingCharacters(in: .newlines))
  }

  @Test func `text that is passed through stays unchanged`() throws {
    let film = try film("film.mp4", codec: "mov_text")
    let path = scratch.path("out.mp4")
    let report = try Pipeline.export(film, "remux-mp4", to: path)
    #expect(report.isCopy)
    #expect(try Captions.subRip(path) == Self.text.trimmingCharacters(in: .newlines))
  }

  @Test(arguments: ["subrip", "mov_text"])
  func `a part of a film has the part of each text`(codec: String) throws {
    let text = """
      1
      00:00:00,200 --> 00:00:00,700
      began before

      2
      00:00:00,800 --> 00:00:09,000
      outlasts it

      """
    let film = try film(codec == "subrip" ? "film.mkv" : "film.mp4", text, codec: codec)
    let session = try ExportSession(
      input: film, preset: try Pipeline.preset("remux-mp4"), registry: Pipeline.registry)
    session.timeRange = Captions.range(400, 1400)
    let path = scratch.path("part.mp4")
    _ = try session.exportAndWait(to: path)
    #expect(
      try Captions.subRip(path) == """
        1
        00:00:00,000 --> 00:00:00,300
        began before

        2
        00:00:00,400 --> 00:00:01,000
        outlasts it
        """)
    let asset = Asset(path: path, registry: Pipeline.registry)
    #expect(abs(try asset.duration().seconds - 1) < 0.045)
  }

  @Test func `the settings of a cue are kept if the format stays`() throws {
    let vtt = "WEBVTT\n\nname\n00:00:00.200 --> 00:00:00.800 line:10% align:start\ntext\n"
    let file = try Captions.file(scratch, "text.vtt", vtt)
    let film = scratch.path("film.webm")
    _ = try Captions.ffmpeg([
      "-i", Pipeline.clip("pattern-vp9.webm"), "-i", file, "-map", "0:v", "-map", "1", "-c", "copy",
      film,
    ])
    let path = scratch.path("out.webm")
    try Pipeline.export(film, "webm-720p", to: path)
    let back = try Captions.ffmpeg(["-i", path, "-map", "0:s", "-c", "copy", "-f", "webvtt", "-"])
    #expect(back.contains("\nname\n") && back.hasSuffix(" line:10% align:start\ntext"))
    let caption = try #require(try Captions.groups(path).flatMap(\.captions).first)
    #expect(caption.textAlignment == .start && caption.region?.lines == 10)
  }

  @Test func `properties that a format cannot store are reported`() throws {
    let text = Self.text.replacing("<u>", with: "{\\an8}<u>")
    let path = scratch.path("out.mp4")
    let report = try Pipeline.export(
      try film("film.mkv", text, codec: "subrip"), "remux-mp4", to: path)
    #expect(report.losses == ["track 2: the text is kept without position"])
  }

  @Test func `styles and karaoke of SubStation are reported`() throws {
    let header = """
      [Script Info]
      ScriptType: v4.00+
      [V4+ Styles]
      Format: Name, Fontname, Fontsize
      Style: Default,Comic Sans,40
      [Events]
      Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

      """
    let line = "Dialogue: 0,0:00:00.10,0:00:00.90,Default,,0,0,0,,{\\k20}one {\\fnArial}two"
    let text = try Captions.file(scratch, "text.ass", header + line + "\n")
    let film = scratch.path("film.mkv")
    _ = try Captions.ffmpeg([
      "-i", Pipeline.clip("pattern-vp9.webm"), "-i", text, "-map", "0:v", "-map", "1", "-c", "copy",
      film,
    ])
    let report = try Pipeline.export(film, "remux-mp4", to: scratch.path("out.mp4"))
    #expect(
      report.losses == [
        "track 2: the text is kept without \\fn, \\k, its styles (font, size, color and position of whole lines)"
      ])
  }

  @Test func `style sheets and comments of WebVTT are reported`() throws {
    let text = try Captions.file(
      scratch, "text.vtt",
      """
      WEBVTT Title
      Language: en

      STYLE
      ::cue { color: lime }

      NOTE the first one

      first
      00:00:00.100 --> 00:00:00.900
      <c.loud>one</c>

      """)
    let (plain, film) = (scratch.path("plain.webm"), scratch.path("film.mkv"))
    _ = try Captions.ffmpeg([
      "-i", Pipeline.clip("pattern-vp9.webm"), "-map", "0:v", "-c", "copy", plain,
    ])
    try PluginWorkshop.run("mkvmerge", ["-q", "-o", film, plain, text])
    let report = try Pipeline.export(film, "remux-mp4", to: scratch.path("out.mp4"))
    #expect(
      report.losses == [
        "track 2: the text is kept without classes, comments, identifiers of cues, "
          + "its style sheet, lines of its header"
      ])
  }

  @Test func `blocks of a WebVTT header are named in WebM`() throws {
    let text = try Captions.file(
      scratch, "text.vtt",
      "WEBVTT\n\nSTYLE\n::cue { color: lime }\n\n00:00.100 --> 00:00.900\none\n")
    let (plain, film) = (scratch.path("plain.webm"), scratch.path("film.mkv"))
    _ = try Captions.ffmpeg([
      "-i", Pipeline.clip("pattern-vp9.webm"), "-map", "0:v", "-c", "copy", plain,
    ])
    try PluginWorkshop.run("mkvmerge", ["-q", "-o", film, plain, text])
    let losses = try Pipeline.export(film, "webm-720p", to: scratch.path("out.webm")).losses
    #expect(losses == ["lost: the style sheet of track 2"])
    #expect(try Pipeline.export(film, "remux-mkv", to: scratch.path("copy.mkv")).losses == [])
  }

  @Test func `strike-through that a format cannot store is named`() throws {
    let text = try Captions.file(
      scratch, "text.srt", "1\n00:00:00,100 --> 00:00:00,900\n<s>old</s> new\n\n")
    let film = scratch.path("film.mkv")
    _ = try Captions.ffmpeg([
      "-i", Pipeline.clip("pattern-h264.mp4"), "-i", text, "-map", "0:v", "-map", "1", "-c", "copy",
      film,
    ])
    let losses = try Pipeline.export(film, "remux-mp4", to: scratch.path("out.mp4")).losses
    #expect(losses == ["track 2: the text is kept without strike-through"])
  }

  @Test func `flags and styles of timed text are kept or named`() throws {
    let text = try Captions.file(
      scratch, "text.srt", "1\n00:00:00,100 --> 00:00:00,900\none\n\n")
    let (film, copy) = (scratch.path("film.mp4"), scratch.path("copy.mkv"))
    _ = try Captions.ffmpeg([
      "-i", Pipeline.clip("pattern-h264.mp4"), "-i", text, "-map", "0:v", "-map", "1", "-c:v",
      "copy", "-c:s", "mov_text", film,
    ])
    func isForced(_ path: String) throws -> Bool? {
      try Pipeline.registry.openDemuxer(FileSource(path: path)).media.tracks.last?.disposition
        .contains(.forced)
    }
    #expect(try isForced(film) == false)
    #expect(try Pipeline.export(film, "remux-mkv", to: scratch.path("plain.mkv")).losses == [])
    // The sample entry has 8 bytes, the display flags, justification, background color, box, and style.
    try Patch.apply(film, "tx3g", 0, at: 8, [0xC0])
    try Patch.apply(film, "tx3g", 0, at: 14, [0, 0, 255, 128, 0, 10, 0, 20, 0, 50, 1, 44])
    try Patch.apply(film, "tx3g", 0, at: 33, [48])
    #expect(
      try Pipeline.export(film, "remux-mkv", to: copy).losses == [
        "track 2: the text is kept without its background color, its font size, its text box"
      ])
    #expect(try isForced(copy) == true)
    try Pipeline.export(copy, "remux-mp4", to: scratch.path("back.mp4"))
    #expect(try isForced(scratch.path("back.mp4")) == true)
  }

  @Test func `text of a part begins with the part`() throws {
    let film = try film("film.mkv", codec: "subrip")
    let session = try ExportSession(
      input: film, preset: try Pipeline.preset("remux-mp4"), registry: Pipeline.registry, threads: 2
    )
    session.timeRange = Captions.range(500, 1400)
    let path = scratch.path("out.mp4")
    _ = try session.exportAndWait(to: path)
    let groups = try Captions.groups(path)
    #expect(groups.flatMap(\.captions).map(\.text) == ["bold and slanted", "two\nlines"])
    #expect(groups.map(\.timeRange.start.seconds) == [0, 0.3, 0.5])
  }

  @Test func `text without video is not written to an audio file`() throws {
    let file = try Captions.file(scratch, "text.srt", Self.text)
    let film = scratch.path("film.mkv")
    _ = try Captions.ffmpeg([
      "-i", Pipeline.clip("clap-and-flash.mp4"), "-i", file, "-map", "0", "-map", "1", "-c:v",
      "copy",
      "-c:a", "copy", "-c:s", "subrip", film,
    ])
    let report = try Pipeline.export(film, "aac-160k", to: scratch.path("out.m4a"))
    #expect(report.losses.contains { $0.hasSuffix(" does not carry subrip") }, "\(report.losses)")
  }

  /// FFmpeg writes `zero` as a sample of no duration before an empty one of 4 s.
  @Test(arguments: ["film.mp4", "text.srt"]) func `text of no duration is not shown for seconds`(
    name: String
  ) throws {
    let text = """
      1
      00:00:01,000 --> 00:00:01,000
      zero

      2
      00:00:05,000 --> 00:00:06,000
      next

      """
    let film = try film("film.mp4", text, codec: "mov_text")
    let preset = try Captions.file(scratch, "p.yaml", "container: mkv\nsubtitles: keep\n")
    let session = try ExportSession(
      input: name == "film.mp4" ? film : scratch.path(name),
      preset: try PresetLibrary(folders: []).preset(preset), registry: Pipeline.registry)
    let output = scratch.path("out.mkv")
    _ = try session.exportAndWait(to: output)
    let times = try PluginWorkshop.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "s", "-show_entries", "packet=pts_time,duration_time",
        "-of", "csv=p=0", output,
      ])
    #expect(times == "1.000000,0.001000\n5.000000,1.000000\n")
  }

  @Test func `a track that is silent for long does not delay the others`() throws {
    let registry = Pipeline.registry
    let path = scratch.path("out.mp4")
    let sink = try FileSink(path: path)
    let muxer = try #require(registry.muxer(named: "mp4"))
    let interleaver = Interleaver(trackCount: 1, media: MediaDescription(format: "mp4")) {
      (media: MediaDescription, _: [Int]) throws(MediaError) in
      try registry.openMuxer(muxer, media: media, sink: sink)
    }
    let stage = try CaptionStage(
      TrackDescription(kind: .subtitle, codec: "subrip", timeBase: Rational(1, 1000)),
      to: "mov_text", of: nil,
      port: TrackOutput(interleaver, index: 0))
    func packet(_ text: String, _ start: Int64) -> Packet {
      Packet(
        track: 0, pts: start, dts: start, duration: 1000, flags: .key,
        payload: .bytes(MediaBuffer(Array(text.utf8))))
    }
    #expect(sink.size == 0)
    try stage.skip(to: 5_000_000_000)
    // The file has been started although no text has arrived.
    #expect(sink.size > 0)
    try stage.consume(packet("one", 6000))
    try stage.skip(to: 10_000_000_000)
    // A late text is shown for the rest of its time. If its time has passed, it is dropped.
    try stage.consume(packet("gone", 7000))
    try stage.consume(packet("late", 9500))
    try stage.finish()
    try interleaver.complete { () throws(MediaError) in try sink.finish() }
    #expect(
      try Captions.groups(path).flatMap(\.captions)
        == [Captions.caption("one", 6000, 7000), Captions.caption("late", 10000, 10500)])
    #expect(try Captions.subRip(path).contains("00:00:06,000 --> 00:00:07,000\none\n"))
  }

  @Test func `QuickTime text is read`() throws {
    var track = TrackDescription(
      kind: .subtitle, codec: "mov_text", timeBase: Rational(1, 1000))
    (track.codecTag, track.extradata) = (FourCC("text").tag, [UInt8](repeating: 0, count: 51))
    let sample: [UInt8] =
      [0, 5] + Array("a\rb\rc".utf8) + [0, 0, 0, 12] + Array("encd".utf8) + [0, 0, 1, 0]
      + [0, 0, 0, 10] + Array("styl".utf8) + [0, 0]
    let readings = try #require(CaptionFormat(track)).captions(
      in: sample, sideData: [], over: Captions.range(0, 1000))
    #expect(readings.map(\.caption) == [Captions.caption("a\nb\nc", 0, 1000)])
    #expect(readings.map(\.skipped) == [["styl"]])
  }
}
