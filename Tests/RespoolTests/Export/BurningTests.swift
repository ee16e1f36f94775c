import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Subtitles that are drawn into frames.
@Suite struct BurningTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let script = """
    [Script Info]
    ScriptType: v4.00+
    PlayResX: 320
    PlayResY: 180
    ScaledBorderAndShadow: yes

    [V4+ Styles]
    Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, \
    Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, \
    Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
    Style: Default,DejaVu Sans,24,&H00FFFFFF,&H000000FF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,\
    1,2,2,2,10,10,10,1

    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
    Dialogue: 0,0:00:00.52,0:00:01.00,Default,,0,0,0,,{\\fad(200,0)}Fades
    Dialogue: 1,0:00:00.52,0:00:01.48,Default,,0,0,0,,{\\move(40,40,200,120)\\c&H00FF00&}moves

    """

  private static let lossless = [
    "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0",
  ]

  /// Makes a film without loss of 320x180 pixels and two seconds.
  private func film(_ source: String = "testsrc2=", _ further: [String] = []) throws -> String {
    let path = scratch.path("film.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-y", "-f", "lavfi", "-i", "\(source)s=320x180:r=25:d=2"]
        + (further.isEmpty
          ? Self.lossless : further) + [path])
    return path
  }

  private func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path(name)))
  }

  /// Converts the film and the files beside it without loss, with rules for the subtitles to draw.
  private func burn(
    _ film: String, _ rules: String = "best", _ further: String = "", part: TimeRange? = nil
  ) throws -> ExportReport {
    try write(
      "container: mkv\nvideo: {codec: ffv1\(further)}\naudio: none\nburn: \(rules)\n", "p.yaml")
    let preset = try PresetLibrary(folders: []).preset(
      scratch.path("p.yaml"), available: Pipeline.registry.availablePlugins(askingEncoders: true))
    let session = try ExportSession(input: film, preset: preset, registry: Pipeline.registry)
    session.subtitleFiles = SubtitleFile.files(beside: film)
    if let part { session.timeRange = part }
    return try session.exportAndWait(to: scratch.path("out.mkv"))
  }

  /// Returns the luma of all frames.
  private func luma(_ path: String, _ filter: String = "null", depth: Int = 8) throws -> [[UInt16]]
  {
    let raw = scratch.path("luma.raw")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", path, "-vf", "\(filter),extractplanes=y", "-map", "0:v",
        "-pix_fmt", depth > 8 ? "gray10le" : "gray", "-f", "rawvideo", raw,
      ])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: raw))
    let count = 320 * 180
    let values: [UInt16] =
      depth > 8
      ? stride(from: 0, to: bytes.count, by: 2).map {
        UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
      } : bytes.map { UInt16($0) }
    return stride(from: 0, to: values.count, by: count).map { Array(values[$0..<$0 + count]) }
  }

  /// Returns the indexes of the frames that differ.
  private func changed(_ one: [[UInt16]], _ other: [[UInt16]]) -> [Int] {
    one.indices.filter { one[$0] != other[$0] }
  }

  private func difference(_ one: [UInt16], _ other: [UInt16]) -> Double {
    zip(one, other).reduce(0) { $0 + pow(Double($1.0) - Double($1.1), 2) } / Double(one.count)
  }

  @Test func `a script is drawn as libass draws it for FFmpeg`() throws {
    let film = try film()
    try write(Self.script, "film.ass")
    let report = try burn(film)
    #expect(report.losses == [])
    #expect(report.notes.contains { $0.contains("the subtitles of track 2 are drawn") })
    let out = try luma(scratch.path("out.mkv"))
    let oracle = try luma(film, "subtitles=\(scratch.path("film.ass"))")
    let plain = try luma(film)
    // At 0.52 s, a frame shows both events.
    #expect(changed(out, plain) == Array(13..<37))
    #expect(changed(oracle, plain) == Array(13..<37))
    for index in 13..<37 {
      // The mean square error of blending in eight bits; one without text is above 100.
      #expect(difference(out[index], oracle[index]) < 3, "frame \(index)")
      #expect(difference(oracle[index], plain[index]) > 20, "frame \(index)")
    }
    let media = try Pipeline.registry.openDemuxer(FileSource(path: scratch.path("out.mkv"))).media
    #expect(media.tracks.map(\.kind) == [.video])
  }

  @Test func `text is drawn from its first frame to its last, in parts too`() throws {
    let film = try film()
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", film, "-f", "srt", "-i",
        {
          try write("1\n00:00:00,500 --> 00:00:01,480\n<i>Grüße</i> {1}\n", "t.srt")
          return scratch.path("t.srt")
        }(), "-map", "0", "-map", "1", "-c", "copy", scratch.path("with.mkv"),
      ])
    let plain = try luma(film)
    #expect(try burn(scratch.path("with.mkv")).losses == [])
    #expect(changed(try luma(scratch.path("out.mkv")), plain) == Array(13..<37))
    try FileManager.default.removeItem(atPath: scratch.path("out.mkv"))
    let start = MediaTime(value: 1, timescale: 1)
    let part = TimeRange(start: start, duration: MediaTime(value: 1, timescale: 1))
    _ = try burn(scratch.path("with.mkv"), part: part)
    #expect(
      changed(try luma(scratch.path("out.mkv")), Array(plain[25...])) == Array(0..<12))
  }

  @Test func `cues after a style sheet are drawn`() throws {
    let film = try film()
    try write(
      "WEBVTT\n\nSTYLE\n::cue { color: lime }\n\n00:00.500 --> 00:01.480\nHello\n", "film.vtt")
    #expect(try burn(film).losses == [])
    #expect(changed(try luma(scratch.path("out.mkv")), try luma(film)) == Array(13..<37))
  }

  @Test func `subtitles of which no line is shown are a loss`() throws {
    let film = try film()
    try write("1\n00:00:05,000 --> 00:00:06,000\nAfter the end\n", "film.srt")
    let report = try burn(film)
    #expect(report.losses == ["track 2: no line of the subtitles was shown in the frames"])
    #expect(!report.notes.contains { $0.contains("are drawn") })
  }

  @Test func `frames that are rotated for subtitles have lost no rotation`() throws {
    let film = try film()
    try write("1\n00:00:00,500 --> 00:00:01,480\nHello\n", "film.srt")
    var edits = EditOptions()
    edits.rotation = .clockwise(90)
    try write(
      "container: mkv\nvideo: {codec: ffv1, passthrough: any}\naudio: {passthrough: any, codec: flac}\nburn: best\n",
      "p.yaml")
    let preset = try PresetLibrary(folders: []).preset(
      scratch.path("p.yaml"), available: Pipeline.registry.availablePlugins(askingEncoders: true))
    let session = try edits.makeSession(
      for: Asset(path: film, registry: Pipeline.registry), preset: preset,
      registry: Pipeline.registry)
    session.subtitleFiles = SubtitleFile.files(beside: film)
    let report = try session.exportAndWait(to: scratch.path("out.mkv"))
    #expect(report.losses.filter { $0.contains("rotation") } == [])
    let track = try Pipeline.registry.openDemuxer(FileSource(path: scratch.path("out.mkv"))).media
      .tracks[0]
    #expect((track.width, track.height) == (180, 320))
  }

  @Test func `text that stays is drawn once`() throws {
    try write("1\n00:00:00,000 --> 00:00:01,000\nstays\n", "t.srt")
    let content = SubtitleContent(
      try Sidecar(SubtitleFile(path: scratch.path("t.srt")), registry: Pipeline.registry))
    let available = Pipeline.registry.availablePlugins
    let filter = try #require(available.filters(of: .video).first { $0.description.name == "ass" })
    let images = try TextImages(
      content, BurntSubtitles(track: 0, factory: filter, width: 320, height: 180), fonts: [],
      for: VideoFormat(pixelFormat: .yuv420p, width: 320, height: 180),
      sampleAspect: Rational(1, 1), builder: ChainBuilder(registry: Pipeline.registry))
    func image(_ milliseconds: Int64) throws -> Frame? {
      try images.image(at: MediaTime(value: milliseconds, timescale: 1000))
    }
    // Frames that share their memory are not drawn again.
    let (first, second) = (try #require(try image(0)), try #require(try image(40)))
    #expect(first.planes[0].base == second.planes[0].base)
    #expect(try image(1000) == nil)
    #expect(try images.finish() == [])
  }

  @Test func `what fonts lack is a loss`() throws {
    let film = try film()
    try write(
      Self.script.replacing("DejaVu Sans", with: "No Such Font")
        .replacing("moves", with: "\u{10FFFD}"),
      "film.ass")
    let losses = try burn(film).losses
    #expect(losses.contains { $0.contains("other fonts are used") && $0.contains("No Such Font") })
    #expect(losses.contains { $0.contains("no font has them: U+10FFFD") })
  }

  @Test func `fonts of the file are used`() throws {
    let film = try film()
    // A font that no system has, by another name in DejaVu Sans Mono.
    let path = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
    var font = try Data(contentsOf: URL(fileURLWithPath: path))
    for encoding in [String.Encoding.utf16BigEndian, .isoLatin1] {
      for (name, other) in [
        ("DejaVu Sans Mono", "Quxxvu Sans Mono"), ("DejaVuSansMono", "QuxxvuSansMono"),
      ] {
        let (from, to) = (
          try #require(name.data(using: encoding)), try #require(other.data(using: encoding))
        )
        while let range = font.range(of: from) { font.replaceSubrange(range, with: to) }
      }
    }
    try font.write(to: URL(fileURLWithPath: scratch.path("q.ttf")))
    try write(Self.script.replacing("DejaVu Sans", with: "Quxxvu Sans Mono"), "t.ass")
    try PluginWorkshop.run(
      "mkvmerge",
      [
        "-q", "-o", scratch.path("with.mkv"), film, scratch.path("t.ass"),
        "--attachment-mime-type", "font/ttf", "--attach-file", scratch.path("q.ttf"),
      ])
    #expect(try burn(scratch.path("with.mkv")).losses.filter { $0.contains("font") } == [])
    let out = try luma(scratch.path("out.mkv"))
    let oracle = try luma(
      scratch.path("with.mkv"), "subtitles=\(scratch.path("with.mkv"))")
    #expect(difference(out[30], oracle[30]) < 3)
  }

  @Test func `white is 203 candela in HDR`() throws {
    let film = try film(
      "color=c=gray:",
      [
        "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params",
        "log-level=0:lossless=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc",
      ])
    try write(
      Self.script.replacing(",24,", with: ",90,").replacing("{\\fad(200,0)}Fades", with: "MM"),
      "film.ass")
    #expect(try burn(film).losses == [])
    let frame = try luma(scratch.path("out.mkv"), depth: 10)[15]
    // SMPTE ST 2084: 203 of 10,000 cd/m2 are 58.07 % of the signal; black of the outline is 64.
    #expect(frame.max() == 573 && frame.min() == 64)
  }

  // MARK: Images

  /// A file of Blu-ray's subtitles: a white rectangle on a frame of `width` by `height`, from 0.5 to 1.48 s.
  private func graphics(_ width: Int, _ height: Int, x: Int, y: Int, _ side: Int) -> Data {
    func two(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
    func segment(_ type: UInt8, _ time: Int, _ payload: [UInt8]) -> [UInt8] {
      let clock = two(time >> 16) + two(time & 0xFFFF)
      return [0x50, 0x47] + clock + [0, 0, 0, 0, type] + two(payload.count) + payload
    }
    func composition(_ number: Int, _ state: UInt8, _ objects: [[UInt8]]) -> [UInt8] {
      two(width) + two(height) + [0x10] + two(number) + [state, 0, 0, UInt8(objects.count)]
        + objects.joined()
    }
    let row = [0, 0x80 | UInt8(side), 1, 0, 0]
    let lines = (0..<side).flatMap { _ in row }
    let place = two(x) + two(y)
    var bytes = segment(0x16, 45_000, composition(0, 0x80, [[0, 0, 0, 0] + place]))
    bytes += segment(0x17, 45_000, [1, 0] + place + two(side) + two(side))
    bytes += segment(0x14, 45_000, [0, 0, 1, 235, 128, 128, 255])
    bytes += segment(
      0x15, 45_000,
      [0, 0, 0, 0xC0, 0] + two(lines.count + 4) + two(side) + two(side) + lines)
    bytes += segment(0x80, 45_000, [])
    bytes += segment(0x16, 133_200, composition(1, 0, []))
    bytes += segment(0x17, 133_200, [1, 0] + place + two(side) + two(side))
    return Data(bytes + segment(0x80, 133_200, []))
  }

  /// Returns the smallest rectangle of the pixels that are above a value; edges of small letters are darker than white.
  private func white(_ frame: [UInt16], above value: UInt16 = 230) -> [Int] {
    let places = frame.indices.filter { frame[$0] > value }
    let (columns, rows) = (places.map { $0 % 320 }, places.map { $0 / 320 })
    return [columns.min() ?? -1, rows.min() ?? -1, columns.max() ?? -1, rows.max() ?? -1]
  }

  @Test(
    arguments: [
      // The size of the film.
      (320, 180, 40, 100, 40, [40, 100, 79, 139]),
      // Twice its size.
      (640, 360, 80, 200, 60, [40, 100, 69, 129]),
      // With borders above and below that the film has not: the same place relative to the room.
      (320, 240, 140, 200, 40, [140, 140, 179, 179]),
    ])
  func `images are drawn in their place`(
    width: Int, height: Int, x: Int, y: Int, side: Int, place: [Int]
  ) throws {
    let film = try film("color=c=gray:")
    try graphics(width, height, x: x, y: y, side).write(
      to: URL(fileURLWithPath: scratch.path("film.sup")))
    #expect(try burn(film).losses == [])
    let (out, plain) = (try luma(scratch.path("out.mkv")), try luma(film))
    #expect(changed(out, plain) == Array(13..<37))
    #expect(white(out[20]) == place)
    #expect(out[20][place[1] * 320 + place[0] + 4 * 321] == 235)
  }

  @Test func `images for a canvas of the film's aspect ratio fill wide pixels`() throws {
    // 320x180 with pixels of 2:1 is shown as 32:9, as the canvas has it.
    let film = try film("color=c=gray:", Self.lossless + ["-vf", "setsar=2"])
    try graphics(640, 180, x: 80, y: 100, 40).write(
      to: URL(fileURLWithPath: scratch.path("film.sup")))
    #expect(try burn(film).losses == [])
    #expect(white(try luma(scratch.path("out.mkv"))[20]) == [40, 100, 59, 139])
  }

  @Test func `images for another canvas are not stretched on wide pixels`() throws {
    let film = try film("color=c=gray:", Self.lossless + ["-vf", "setsar=2"])
    try graphics(640, 360, x: 80, y: 200, 40).write(
      to: URL(fileURLWithPath: scratch.path("film.sup")))
    #expect(try burn(film).losses == [])
    let place = white(try luma(scratch.path("out.mkv"))[20])
    #expect((place[2] - place[0] + 1) * 2 == place[3] - place[1] + 1, "\(place)")
  }

  // MARK: Geometry

  /// Letters without gaps, which are bright in small sizes too.
  private static let blocks = "\u{2588}\u{2588}\u{2588}\u{2588}\u{2588}\u{2588}"

  @Test(arguments: ["64/45", "1/2", "2"], [false, true])
  func `letters are not stretched on pixels that are not square`(aspect: String, isScript: Bool)
    throws
  {
    let text = Self.blocks
    if isScript {
      try write(Self.script.replacing("{\\fad(200,0)}Fades", with: text), "film.ass")
    } else {
      try write("1\n00:00:00,000 --> 00:00:02,000\n\(text)\n", "film.srt")
    }
    func shape(_ options: [String]) throws -> Double {
      _ = try burn(try film("color=c=gray:", Self.lossless + options))
      let box = white(try luma(scratch.path("out.mkv"))[15], above: 160)
      try FileManager.default.removeItem(atPath: scratch.path("out.mkv"))
      return Double(box[2] - box[0] + 1) / Double(box[3] - box[1] + 1)
    }
    let parts = aspect.split(separator: "/").compactMap { Double($0) }
    let square = try shape([])
    let shown =
      try shape(["-vf", "setsar=\(aspect)"]) * parts[0] / (parts.count > 1 ? parts[1] : 1)
    #expect(abs(shown / square - 1) < 0.25, "\(shown) \(square)")
  }

  @Test(arguments: [
    (", filters: [{crop: {out_w: 320, out_h: 100}}]", 320, 100),
    (", filters: [{crop: {out_h: 100}}]", 320, 100),
    (", filters: [{crop: {w: 200, h: 90, x: 0, y: 0}}]", 200, 90),
    (", filters: [{pad: {aspect: 4/3, color: gray}}]", 320, 240),
  ])
  func `text is laid out in the frame that filters leave`(filter: String, width: Int, height: Int)
    throws
  {
    let film = try film("color=c=gray:")
    for name in ["film.srt", "film.ass"] {
      if name.hasSuffix("srt") {
        try write("1\n00:00:00,000 --> 00:00:02,000\n\(Self.blocks)\n", name)
      } else {
        try write(Self.script.replacing("{\\fad(200,0)}Fades", with: Self.blocks), name)
      }
      let report = try burn(film, "best", filter)
      #expect(report.losses == [])
      let out = try luma(
        scratch.path("out.mkv"),
        height > 180 ? "crop=320:180:0:\(height - 180)" : "pad=320:180:0:0:black")
      let box = white(out[15], above: 160)
      let bottom = height > 180 ? 180 : height
      #expect(box[1] > bottom / 2 && box[3] < bottom, "\(name) \(box)")
      #expect(abs((box[0] + box[2]) / 2 - width / 2) < 4, "\(name) \(box)")
      for path in ["out.mkv", name] {
        try FileManager.default.removeItem(atPath: scratch.path(path))
      }
    }
  }

  @Test func `positions of a script move with the frame that is cut out`() throws {
    let film = try film("color=c=gray:")
    try write(
      Self.script.replacing("{\\fad(200,0)}Fades", with: "{\\an7\\pos(100,60)}HHHH"), "film.ass")
    _ = try burn(film)
    let whole = white(try luma(scratch.path("out.mkv"))[15])
    try FileManager.default.removeItem(atPath: scratch.path("out.mkv"))
    _ = try burn(film, "best", ", filters: [{crop: {w: 300, h: 140, x: 10, y: 20}}]")
    let cut = white(try luma(scratch.path("out.mkv"), "pad=320:180:10:20:black")[15])
    #expect(cut == whole)
  }

  /// FFmpeg draws the script on the whole frames, and cuts and scales the result.
  @Test(arguments: ["w: 300, h: 140, x: 10, y: 20", "w: iw-20, h: 141, x: 11, y: 20"])
  func `positions of a script fit frames that are cut and then scaled`(options: String) throws {
    let film = try film("color=c=gray:")
    try write(
      Self.script.replacing("{\\fad(200,0)}Fades", with: "{\\an7\\pos(100,60)}\(Self.blocks)"),
      "film.ass")
    _ = try burn(film, "best", ", size: 150x70, filters: [{crop: {\(options)}}]")
    let out = white(try luma(scratch.path("out.mkv"), "pad=320:180:0:0:black")[15], above: 160)
    let crop = options.replacing(": ", with: "=").replacing(", ", with: ":")
    let oracle = white(
      try luma(
        film,
        "subtitles=\(scratch.path("film.ass")),crop=\(crop),scale=150:70,format=yuv420p,"
          + "pad=320:180:0:0:black")[15], above: 160)
    #expect(oracle[0] == 45 && oracle[2] > 60)
    #expect(zip(out, oracle).allSatisfy { abs($0 - $1) <= 1 }, "\(out) \(oracle)")
  }

  @Test func `subtitles keep their place if borders are cropped`() throws {
    let film = try film("color=c=gray:")
    try graphics(320, 180, x: 40, y: 100, 40).write(
      to: URL(fileURLWithPath: scratch.path("film.sup")))
    let crop = ", filters: [{crop: {w: 320, h: 140, x: 0, y: 20}}]"
    #expect(try burn(film, "best", crop).losses == [])
    let out = try luma(scratch.path("out.mkv"), "pad=320:180:0:0:black")
    #expect(white(out[20]) == [40, 80, 79, 119])
  }
}
