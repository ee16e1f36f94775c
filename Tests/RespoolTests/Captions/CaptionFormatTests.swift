import RespoolMedia
import Testing

@testable import Respool

/// The bytes of captions in each format.
@Suite struct CaptionFormatTests {
  private static let time = Captions.range(0, 1000)

  private static func format(_ codec: String, _ change: (inout TrackDescription) -> Void = { _ in })
    throws -> CaptionFormat
  {
    var track = FormatDescription(subtitles: codec).track
    change(&track)
    return try #require(CaptionFormat(track))
  }

  private static func read(_ codec: String, _ text: String, settings: String = "") throws
    -> CaptionReading
  {
    let readings = try format(codec).captions(
      in: Array(text.utf8), sideData: Array(settings.utf8), over: time)
    return try #require(readings.first)
  }

  /// Returns the text with each styled run in brackets, after the letters and colors of its style.
  private static func marked(_ caption: Caption) -> String {
    caption.styled.pieces.map { piece, style in
      var marks = style.fontWeight == .bold ? "b" : ""
      if style.fontStyle == .italic { marks += "i" }
      if style.decoration.contains(.underline) { marks += "u" }
      if style.decoration.contains(.lineThrough) { marks += "s" }
      if let color = style.textColor { marks += color.captionText }
      if let color = style.backgroundColor { marks += "/" + color.captionText }
      return marks.isEmpty ? String(piece) : "[\(marks):\(piece)]"
    }.joined()
  }

  @Test(arguments: ["mov_text", "subrip", "webvtt"])
  func `a styled caption round-trips`(codec: String) throws {
    let format = try Self.format(codec)
    let caption = Captions.styled
    let coded = format.coded([caption], over: caption.timeRange)
    let back = try format.captions(
      in: coded.bytes, sideData: coded.sideData, over: caption.timeRange)
    #expect(back.map(\.caption) == [caption])
    #expect(back.map(\.skipped) == [[]])
  }

  @Test(arguments: [
    ("<b>one</b> <I>two</I> <u>thr<s>ee</s></u>", "[b:one] [i:two] [u:thr][us:ee]"),
    ("<b>one <i>two</b> three", "[b:one ][bi:two] three"),
    (
      "<font color=\"#FF0000\">red</font> <font color=lime>lime</font>",
      "[#ff0000:red] [#00ff00:lime]"
    ),
    ("1 < 2 and <who> knows <", "1 < 2 and <who> knows <"),
    ("{\\b1}bold{\\b0} {\\i1}slanted{\\r} {no mark}", "[b:bold] [i:slanted] {no mark}"),
    ("line\r\nline\r\n", "line\nline"), ("text\u{0}rubbish", "text"), ("</b>text</i>", "text"),
  ])
  func `SubRip tags are read, and unknown tags are text`(text: String, marked: String) throws {
    #expect(Self.marked(try Self.read("subrip", text).caption) == marked)
  }

  @Test func `SubRip text states its position`() throws {
    let top = try Self.read("subrip", "{\\an9}text").caption
    #expect(top.region == .top && top.textAlignment == .right)
    let coded = try Self.format("subrip").coded([top], over: Self.time)
    #expect(String(decoding: coded.bytes, as: UTF8.self) == "{\\an9}text")
    #expect(try Self.read("subrip", "{\\a6}text").caption.region == .top)
    #expect(try Self.read("subrip", "{\\a10}text").caption.region == .middle)
  }

  @Test(arguments: [
    ("<b>one</b> &amp; <i>two</i>", "[b:one] & [i:two]"),
    ("<v Ann>hi <c.red.bg_white>you</c></v>", "hi [#ff0000/#ffffff:you]"),
    ("a &lt;b&gt; &#233;&#x1F3AC; &nope; &", "a <b> é🎬 &nope; &"),
    ("<00:00:01.000>la <00:00:02.000>la", "la la"), ("<b", "<b"), ("<>x</>", "x"),
  ])
  func `WebVTT tags and entities are read`(text: String, marked: String) throws {
    #expect(Self.marked(try Self.read("webvtt", text).caption) == marked)
  }

  @Test(arguments: [
    "line:10% position:20% size:40% align:start", "line:80%,end", "align:right",
    "line:50%,center", "line:0% align:end",
  ])
  func `WebVTT settings round-trip`(settings: String) throws {
    let reading = try Self.read("webvtt", "text", settings: settings)
    #expect(reading.skipped.isEmpty)
    let coded = try Self.format("webvtt").coded([reading.caption], over: Self.time)
    #expect(String(decoding: coded.sideData, as: UTF8.self) == settings)
  }

  @Test func `WebVTT settings place the text, and unsupported ones are reported`() throws {
    let reading = try Self.read(
      "webvtt", "text",
      settings: "line:-1 position:50% size:50% vertical:rl region:fred align:left x")
    let region = try #require(reading.caption.region)
    #expect(region.displayAlignment == .after && region.size.height == 100)
    #expect(region.origin.x == 50 && region.size.width == 50)
    #expect(reading.skipped == ["vertical", "region"])
    #expect(try Self.read("webvtt", "t", settings: "line:0").caption.region == .top)
    for odd in ["line:nan", "position:1e999%", "size:-5%", "line:", "align:", ":::", "size:%"] {
      #expect(try Self.read("webvtt", "text", settings: odd).caption.region == nil)
    }
  }

  @Test func `no text ends a cue`() throws {
    let text = "a <b> --> &\n\n\nb"
    let coded = try Self.format("webvtt").coded(
      [Captions.caption(text, 0, 1000)], over: Self.time)
    let cue = String(decoding: coded.bytes, as: UTF8.self)
    #expect(!cue.contains("\n\n") && !cue.contains("-->"))
    #expect(
      try Self.read("webvtt", cue).caption.text == "a <b> --> &\n\u{A0}\n\u{A0}\nb")
  }

  @Test(arguments: [
    ("{\\b1}one{\\b0}\\Ntwo {\\i1}x{\\i0}\\hy", "[b:one]\ntwo [i:x]\u{A0}y"),
    ("{\\c&H0000FF&}red{\\c} {\\1c&HFF0000&}blue{\\r}.", "[#ff0000:red] [#0000ff:blue]."),
    ("{\\u1}a{\\s1}b{\\u0}c, d, e", "[u:a][us:b][s:c, d, e]"),
    ("{\\p1}m 0 0 l 1 1{\\p0}text{a comment}", "text"), ("{open \\N", "{open \n"),
  ])
  func `SubStation overrides are read`(text: String, marked: String) throws {
    let reading = try Self.read("ass", "0,0,Default,,0,0,0,," + text)
    #expect(Self.marked(reading.caption) == marked)
  }

  @Test func `SubStation effects are reported as skipped`() throws {
    let reading = try Self.read(
      "ass", "0,0,Default,,0,0,0,,{\\an8\\pos(1,2)\\fs20\\3c&H0&\\blur2\\}text")
    #expect(reading.caption.region == .top)
    #expect(reading.skipped == ["\\pos", "\\fs", "\\3c", "\\blur"])
    #expect(throws: MediaError.self) { try Self.read("ass", "0,0,Default,text") }
  }

  @Test func `timed text in UTF-16 and with highlights is read`() throws {
    let format = try Self.format("mov_text")
    let sixteen: [UInt8] = [0, 8, 0xFE, 0xFF, 0, 0x41, 0xD8, 0x3C, 0xDF, 0xAC]
    #expect(
      try format.captions(in: sixteen, sideData: [], over: Self.time).map(\.caption.text) == ["A🎬"])
    let little: [UInt8] = [0, 4, 0xFF, 0xFE, 0x41, 0]
    #expect(
      try format.captions(in: little, sideData: [], over: Self.time).map(\.caption.text) == ["A"])

    var caption = Captions.caption("one two", 0, 1000)
    let two = try #require(caption.text.firstRange(of: "two"))
    caption.setBackgroundColor(VideoColor(red: 0, green: 0, blue: 1), in: two)
    let coded = format.coded([caption], over: Self.time)
    #expect(
      try format.captions(in: coded.bytes, sideData: [], over: Self.time).map(\.caption) == [
        caption
      ])
  }

  @Test func `the sample entry of timed text has the default style`() throws {
    // Top, left-aligned, bold, yellow.
    let entry: [UInt8] =
      [0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16) + [0, 1, 1, 16, 255, 255, 0, 255]
    let format = try Self.format("mov_text") { $0.extradata = entry }
    let reading = try #require(
      try format.captions(in: [0, 1, 0x41], sideData: [], over: Self.time).first)
    #expect(Self.marked(reading.caption) == "[b#ffff00:A]")
    #expect(reading.caption.region == .top && reading.caption.textAlignment == .left)
    let normal = format.coded([Captions.caption("A", 0, 1000)], over: Self.time)
    #expect(normal.bytes == [0, 1, 0x41])
  }

  @Test func `WebVTT in boxes gives a caption for each cue`() throws {
    let format = try Self.format("webvtt") { $0.codecTag = FourCC("wvtt").tag }
    func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
      [0, 0, 0, UInt8(body.count + 8)] + Array(type.utf8) + body
    }
    let sample =
      box("vttc", box("sttg", Array("line:0".utf8)) + box("payl", Array("<b>one</b>".utf8)))
      + box("vttc", box("iden", [0x31]) + box("payl", Array("two".utf8)))
    let readings = try format.captions(in: sample, sideData: [], over: Self.time)
    #expect(readings.map { Self.marked($0.caption) } == ["[b:one]", "two"])
    #expect(readings.first?.caption.region == .top)
    #expect(try format.captions(in: box("vtte", []), sideData: [], over: Self.time).isEmpty)
    for count in 1..<sample.count {
      // A sample that is cut off anywhere gives fewer cues or an error, never more cues.
      let cut = try? format.captions(in: Array(sample.prefix(count)), sideData: [], over: Self.time)
      #expect(cut?.count ?? 0 <= 2)
    }
  }

  @Test func `no bytes of timed text trap, and truncated parts are missing`() throws {
    let format = try Self.format("mov_text")
    let caption = Captions.styled
    let whole = format.coded([caption], over: Self.time).bytes
    let text = 2 + caption.text.utf8.count
    for count in 0..<whole.count {
      let part = Array(whole.prefix(count))
      if count < text {
        #expect(throws: MediaError.self) {
          try format.captions(in: part, sideData: [], over: Self.time)
        }
      } else {
        let reading = try format.captions(in: part, sideData: [], over: Self.time)
        #expect(reading.map(\.caption.text) == [caption.text])
      }
    }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<4 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255)
      }
      for codec in ["mov_text", "subrip", "webvtt", "ass", "text"] {
        let readings = try? Self.format(codec).captions(
          in: bytes, sideData: bytes, over: Self.time)
        #expect(readings?.count ?? 0 <= 1)
      }
    }
  }

  @Test func `styles that overlap or follow the end of the text are ignored`() throws {
    func record(_ start: UInt8, _ end: UInt8, _ face: UInt8) -> [UInt8] {
      [0, start, 0, end, 0, 1, face, 16, 255, 255, 255, 255]
    }
    let records = record(1, 3, 1) + record(2, 4, 2) + record(5, 2, 4) + record(200, 250, 1)
    let sample: [UInt8] =
      [0, 5] + Array("abcde".utf8) + [0, 0, 0, UInt8(10 + records.count)] + Array("styl".utf8)
      + [0xFF, 0xFF] + records
    let readings = try Self.format("mov_text").captions(
      in: sample, sideData: [], over: Self.time)
    #expect(readings.map { Self.marked($0.caption) } == ["a[b:bc]de"])
  }

  @Test func `a text that is too long is cut at a character`() throws {
    let long = Captions.caption(String(repeating: "é", count: 40_000), 0, 1000)
    let format = try Self.format("mov_text")
    let bytes = format.coded([long], over: Self.time).bytes
    #expect(bytes.count == 2 + 65534)
    let back = try format.captions(in: bytes, sideData: [], over: Self.time)
    #expect(back.map(\.caption.styled.count) == [32767])
  }

  @Test(arguments: ["<", "<b>", "{", "&", "<b><i></b>", "{\\b1}", "&amp;"])
  func `parsing time is linear in the number of marks`(mark: String) throws {
    let text = String(repeating: mark + "x", count: 20_000)
    let clock = ContinuousClock()
    let length = try clock.measure {
      for codec in ["subrip", "webvtt"] { _ = try Self.read(codec, text) }
      _ = try Self.read("ass", ",,,,,,,," + text)
    }
    #expect(length < .seconds(20))
  }
}
