import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Files of SubRip as sources.
@Suite struct SubRipFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func read(_ bytes: [UInt8], _ name: String = "a.srt") throws -> Captions.File {
    try Captions.read(scratch, name, bytes)
  }

  private func read(_ text: String) throws -> Captions.File { try read(Array(text.utf8)) }

  private static let text = """
    1
    00:00:01,000 --> 00:00:02,500
    <i>Grüße</i>
    two

    2
    100:00:03,000 --> 100:00:04,000
    three

    """

  private static let cues = ["1000 1500 [] <i>Grüße</i>\ntwo", "360003000 1000 [] three"]

  @Test(arguments: ["\n", "\r\n", "\r", "\r\r\n"]) func `line ends of any system are read`(
    end: String
  ) throws {
    let file = try read(Self.text.replacing("\n", with: end))
    #expect(file.cues == Self.cues && file.damage.isEmpty)
    #expect(file.duration == 360_004_000_000_000)
  }

  @Test(arguments: ["a.srt", "a.txt", "a"]) func `a file is known by its first lines`(
    name: String
  ) throws {
    for text in [Self.text, Self.text.replacing("\n", with: "\r\n"), "\u{FEFF}" + Self.text] {
      #expect(try read(Array(text.utf8), name).cues == Self.cues)
    }
  }

  @Test(arguments: [
    String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian,
    .utf32BigEndian,
  ])
  func `Unicode is read with a byte order mark`(encoding: String.Encoding) throws {
    let bytes = try #require(("\u{FEFF}" + Self.text).data(using: encoding))
    let file = try read(Array(bytes))
    #expect(file.cues == Self.cues && file.damage.isEmpty)
    guard encoding == .utf16LittleEndian || encoding == .utf16BigEndian else { return }
    #expect(try read(Array(bytes.dropFirst(2))).cues == Self.cues)
    #expect(try read(Array(bytes), "b.txt").cues == Self.cues)
  }

  @Test func `text in other encodings stays as it is`() throws {
    let bytes = try #require(Self.text.data(using: .windowsCP1252))
    let path = scratch.path("a.srt")
    try bytes.write(to: URL(fileURLWithPath: path))
    let demuxer = try Pipeline.registry.openDemuxer(FileSource(path: path))
    let packet = try demuxer.read()
    let text = packet?.buffer.map { String(data: Data($0.readOnly), encoding: .windowsCP1252) }
    #expect(text == "<i>Grüße</i>\ntwo")
  }

  /// FFmpeg takes `1,5` for 1.005 s; mkvmerge and this plugin take digits after the comma for a fraction.
  @Test(arguments: [
    ("00:00:01,5 --> 00:00:02,25", "1500 750"), ("0:0:1.5-->0:0:2.250", "1500 750"),
    ("00:00:01,500 -> 00:00:02,5009", "1500 1000"), ("00:00:01 --> 00:00:02", "1000 1000"),
    ("00:01,000 --> 00:02,000", "1000 1000"), ("00: 00: 01, 000 -- > 00:00:02,000", "1000 1000"),
    ("\t00:00:01:500  -->  00:00:02:000 ", "1500 500"),
    ("00:00:75,000 --> 00:01:20,000", "75000 5000"),
    ("00:00:01,000 --> 00:00:01,000", "1000 1"), ("-00:00:01,500 --> 00:00:02,000", "0 2000"),
    ("00:00:01,000 --> 00:00:02,000 X1:40 X2:600 Y1:20 Y2:50", "1000 1000"),
    ("00:00:01,000 --> 00:00:02,000 align:start", "1000 1000"),
  ])
  func `times are read as writers have them`(line: String, times: String) throws {
    let file = try read("1\n\(line)\ntext\n")
    #expect(file.cues == ["\(times) [] text"] && file.damage.isEmpty)
  }

  @Test(arguments: [
    // No indices, and a text that is a number.
    ("$1\none\n\n$2\n1984\n\n$3\nthree", ["one", "1984", "three"]),
    // Indices that are repeated.
    ("1\n1\n$1\none\n\n2\n2\n$2\ntwo\n", ["one", "two"]),
    // Empty lines within a text, and before and after times.
    ("1\n$1\none\n\nand\n\n\n2\n$2\n\ntwo\n", ["one\nand", "two"]),
    // No empty line between cues, and a number at the end of a text.
    ("1\n$1\none\n2\n$2\nin\n1984\n3\n$3\nthree\n", ["one", "in\n1984", "three"]),
    // Text after the last cue, on the line of times and before the first one.
    ("by X\n1\n$1 one\nmore\n\nThe end\n2024\n", ["one\nmore\nThe end\n2024"]),
    // A cue without text.
    ("1\n$1\n\n2\n$2\ntwo\n", ["two"]),
    // Text that looks like times.
    ("1\n$1\n12:30 -> 13:00\n5 --> 6\n", ["12:30 -> 13:00\n5 --> 6"]),
    // Files that were joined.
    ("1\n$1\none\n\n\u{FEFF}1\n$2\ntwo\n", ["one", "two"]),
  ])
  func `text belongs to the times before it`(text: String, texts: [String]) throws {
    var text = text
    for number in 1...3 {
      text = text.replacing("$\(number)", with: "00:00:0\(number),000 --> 00:00:0\(number),500")
    }
    let file = try read(text)
    #expect(file.cues.map { $0.split(separator: "[] ").last.map(String.init) } == texts)
    #expect(file.damage.isEmpty, "\(file.damage)")
  }

  @Test func `cues have the order of their starts, and may overlap`() throws {
    let file = try read(
      "1\n00:00:05,000 --> 00:00:06,000\nb\n\n2\n00:00:01,000 --> 00:00:09,000\na\n")
    #expect(file.cues == ["1000 8000 [] a", "5000 1000 [] b"])
  }

  @Test(arguments: [
    "00:00:05,000 --> 00:00:04,000", "-00:00:05,000 --> -00:00:04,000",
    "00:00:0x,000 --> 00:00:04,000",
  ])
  func `a cue without valid times is damage, and the others are read`(times: String) throws {
    let file = try read(
      "1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n\(times)\nb\n\n3\n00:00:06,000 --> 00:00:07,000\nc\n"
    )
    #expect(file.cues == ["1000 1000 [] a", "6000 1000 [] c"])
    #expect(file.damage.map(\.offset) == [37] && file.damage.allSatisfy { $0.detail == nil })
  }

  @Test(arguments: ["2\n00:00:03,0", "2\n00", "2", "2\n00:00:03,000 --> 00:00:04,000", "00:00:03,"])
  func `a file that ends within a cue ends early`(rest: String) throws {
    let file = try read("1\n00:00:01,000 --> 00:00:02,000\na\n\n" + rest)
    #expect(file.cues == ["1000 1000 [] a"])
    #expect(file.damage.map(\.detail) == [.endsEarly])
    #expect(file.damage.first?.message == "the file ends within a cue")
  }

  @Test func `bytes of zero lose no cue`() throws {
    let bytes = Array(Self.text.utf8)
    let padded = try read(bytes + [UInt8](repeating: 0, count: 100))
    #expect(padded.cues == Self.cues && padded.damage.isEmpty)
    for offset in [40, bytes.count - 20] {
      let file = try read(bytes[..<offset] + [UInt8](repeating: 0, count: 5) + bytes[offset...])
      #expect(file.cues == Self.cues)
      #expect(file.damage.map(\.offset) == [Int64(offset)])
    }
  }

  @Test(arguments: ["hello\nworld\n", "\u{0}\u{1}nothing", "5\n", "12:30 -> 13:00"])
  func `text without times is no SubRip`(text: String) throws {
    let error = #expect(throws: MediaError.self) { try read(text) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("the file is no SubRip: there are no times") == true)
  }

  @Test func `a file that is too large is not read`() throws {
    let path = scratch.path("large.srt")
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    try #require(truncate(path, 100_000_000) == 0)
    let error = #expect(throws: MediaError.self) {
      try Pipeline.registry.openDemuxer(FileSource(path: path))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func `many lines are read in linear time`() throws {
    for line in ["\n", "1\n", "00\n", "a", "1 --> \n"] {
      let start = ContinuousClock.now
      let text = Self.text + String(repeating: line, count: 1_000_000 / line.utf8.count)
      _ = try read(text)
      #expect(ContinuousClock.now - start < .seconds(60), "\(line)")
    }
  }

  @Test(arguments: [(0, 0), (1999, 0), (2500, 1), (9500, 1), (10_500, 2), (99_000, 2)])
  func `seeking finds the cues that are shown`(time: Int64, first: Int) throws {
    let path = try Captions.file(
      scratch, "a.srt",
      "1\n00:00:01,000 --> 00:00:02,000\n0\n\n2\n00:00:02,000 --> 00:00:10,000\n1\n\n"
        + "3\n00:00:05,000 --> 00:00:06,000\n2\n")
    let demuxer = try Pipeline.registry.openDemuxer(FileSource(path: path))
    try demuxer.seek(track: 0, to: time)
    let packet = try demuxer.read()
    let text = packet?.buffer.map { String(decoding: Array($0.readOnly), as: UTF8.self) }
    #expect(text == "\(first)")
  }

  @Test func `FFmpeg reads the same cues`() throws {
    let text = """
      1
      00:00:01,000 --> 00:00:03,000
      <font color="red">a</font>
      {\\an8}b

      and c
      2
      00:00:02.500-->00:00:02.750
      d

      4
      00:00:02,000 --> 00:00:09,000
      e

      00:01:00,000 --> 01:00:00,000
      the end

      2024
      """
    let path = try Captions.file(scratch, "a.srt", text)
    var made = ""
    for (index, cue) in try read(text).cues.enumerated() {
      let parts = cue.split(separator: " ", maxSplits: 3).map(String.init)
      let (start, length) = (try #require(Int64(parts[0])), try #require(Int64(parts[1])))
      made +=
        "\(index + 1)\n\(Self.clock(start)) --> \(Self.clock(start + length))\n\(parts[3])\n\n"
    }
    #expect(
      try Captions.ffmpeg(["-i", path, "-c", "copy", "-f", "srt", "-"])
        == made.trimmingCharacters(in: .newlines))
  }

  @Test(arguments: ["srt", "vtt", "ass", "mkv", "mks", "mp4"])
  func `a part of a file is written to any container of text`(container: String) throws {
    let path = try Captions.file(
      scratch, "a.srt",
      "1\n00:00:01,5 --> 00:00:04,000\n<i>one</i>\n\n2\n00:00:05,000 --> 00:00:09,000\ntwo\n\n"
        + "3\n00:00:09,000 --> 00:00:10,000\nthree\n")
    let preset = try Captions.file(
      scratch, "p.yaml", "container: \(container)\nsubtitles: keep\n")
    let session = try ExportSession(
      input: path, preset: try PresetLibrary(folders: []).preset(preset),
      registry: Pipeline.registry)
    session.timeRange = Captions.range(3000, 8000)
    let output = scratch.path("out.\(container)")
    let report = try session.exportAndWait(to: output)
    #expect(report.losses == [])
    let text = try Captions.subRip(output)
      .replacing(#/<\/?font[^>]*>/#, with: "")
    #expect(
      text == """
        1
        00:00:00,000 --> 00:00:01,000
        <i>one</i>

        2
        00:00:02,000 --> 00:00:05,000
        two
        """)
  }

  @Test(arguments: ["text.srt", "text.vtt", "text.ass"])
  func `a part of a file in an old encoding becomes UTF-8`(name: String) throws {
    let times = "00:00:01,000 --> 00:00:04,000\nGrüße – €\n"
    let texts = [
      "text.srt": "1\n" + times, "text.vtt": "WEBVTT\n\n" + times.replacing(",", with: "."),
      "text.ass": """
      [Script Info]
      Title: Grüße
      ScriptType: v4.00+

      [V4+ Styles]
      Format: Name, Fontname, Fontsize
      Style: Default,Arial,20

      [Events]
      Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
      Dialogue: 0,0:00:01.00,0:00:04.00,Default,,0,0,0,,Grüße – €

      """,
    ]
    try #require(texts[name]?.data(using: .windowsCP1252)).write(
      to: URL(fileURLWithPath: scratch.path(name)))
    let preset = try Captions.file(scratch, "p.yaml", "container: mkv\nsubtitles: keep\n")
    for range in [nil, Captions.range(2000, 8000)] {
      let session = try ExportSession(
        input: scratch.path(name), preset: try PresetLibrary(folders: []).preset(preset),
        registry: Pipeline.registry)
      if let range { session.timeRange = range }
      let output = scratch.path("\(range == nil).mkv")
      let report = try session.exportAndWait(to: output)
      #expect(report.notes.filter { $0.contains("taken for Windows-1252") }.count == 1)
      #expect(try Captions.subRip(output).contains("Grüße – €"))
      let track = try Pipeline.registry.openDemuxer(FileSource(path: output)).media.tracks[0]
      #expect(String(validating: track.extradata, as: UTF8.self) != nil)
    }
  }

  private static func clock(_ time: Int64) -> String {
    String(
      format: "%02d:%02d:%02d,%03d", time / 3_600_000, time / 60_000 % 60, time / 1000 % 60,
      time % 1000)
  }
}
