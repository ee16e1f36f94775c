import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Captions that are written into files and read again by Respool and FFmpeg.
@Suite struct CaptionWritingTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let kinds = [
    ("a.mp4", "mp4", "mov_text"), ("a.mov", "mov", "mov_text"), ("a.mkv", "matroska", "subrip"),
    ("b.mkv", "matroska", "webvtt"), ("a.webm", "webm", "webvtt"),
  ]

  @Test(arguments: kinds)
  func `captions round-trip, and other programs read them`(
    name: String, container: String, codec: String
  ) throws {
    let captions = [Captions.styled, Captions.caption("two\nlines", 2000, 3250)]
    let path = try Captions.write(scratch, name, container, codec) { adaptor in
      for caption in captions { try #require(adaptor.append(caption)) }
    }
    #expect(try Writing.probe(path, ["-show_entries", "stream=codec_name"]).contains(codec))
    let groups = try Captions.groups(path)
    #expect(groups.flatMap(\.captions) == captions)
    #expect(
      groups.map(\.timeRange) == [
        Captions.range(0, 500), Captions.range(500, 1500), Captions.range(1500, 2000),
        Captions.range(2000, 3250),
      ])
    let text = try Captions.subRip(path)
    #expect(text.contains("00:00:00,500 --> 00:00:01,500\n"))
    #expect(text.hasSuffix("00:00:02,000 --> 00:00:03,250\ntwo\nlines"))
    #expect(text.contains("<b>bold</b> <i>slanted</i> <u>lined</u>"))
    // FFmpeg does not support the classes of WebVTT.
    if codec != "webvtt" { #expect(text.contains("<font color=\"#ff0000\">red</font>")) }
  }

  @Test func `captions that overlap are shown below each other in a movie`() throws {
    let (first, second) = (
      Captions.caption("first", 0, 2000), Captions.caption("second", 1000, 3000)
    )
    let path = try Captions.write(scratch, "a.mp4", "mp4", "mov_text") { adaptor in
      for caption in [first, second] { try #require(adaptor.append(caption)) }
    }
    #expect(
      try Captions.groups(path).map { $0.captions.map(\.text) }
        == [["first"], ["first\nsecond"], ["second"]])
    #expect(try Captions.subRip(path).contains("00:00:01,000 --> 00:00:02,000\nfirst\nsecond\n"))

    let matroska = try Captions.write(scratch, "a.mkv", "matroska", "subrip") { adaptor in
      for caption in [first, second] { try #require(adaptor.append(caption)) }
    }
    let groups = try Captions.groups(matroska)
    #expect(groups.map(\.captions) == [[first], [first, second], [second]])
  }

  @Test func `groups are written as they are read`() throws {
    let captions = [
      Captions.caption("one", 200, 1200), Captions.caption("two", 700, 1700),
      Captions.caption("three", 1700, 2000), Captions.caption("four", 3000, 4000),
    ]
    let path = try Captions.write(scratch, "a.mkv", "matroska", "subrip") { adaptor in
      for caption in captions { try #require(adaptor.append(caption)) }
    }
    let groups = try Captions.groups(path)
    let again = try Captions.write(scratch, "b.mkv", "matroska", "subrip") { adaptor in
      for group in groups { try #require(adaptor.append(group)) }
    }
    #expect(try Captions.groups(again) == groups)
    #expect(try Captions.subRip(again) == Captions.subRip(path))
  }

  @Test(.rule) func `a caption group with an invalid duration lasts until the next one`() throws {
    let path = try Captions.write(scratch, "a.mp4", "mp4", "mov_text") { adaptor in
      for (text, start) in [("one", 0), ("two", 1000), ("", 2500)] {
        let range = TimeRange(
          start: MediaTime(value: Int64(start), timescale: 1000), duration: .invalid)
        let captions = text.isEmpty ? [] : [Caption(text, timeRange: range)]
        try #require(adaptor.append(CaptionGroup(captions: captions, timeRange: range)))
      }
    }
    #expect(
      try Captions.groups(path).map(\.timeRange)
        == [Captions.range(0, 1000), Captions.range(1000, 2500)])
  }

  @Test(
    .rule("Captions are appended in the order of their starts, with numeric time ranges"),
    .rule("A caption group begins at or after the end of the last append"))
  func `captions in a wrong order fail the writer`() throws {
    let late = Captions.caption("late", 1000, 2000)
    let cases: [(String, (AssetWriterInputCaptionAdaptor) -> Bool)] = [
      ("order", { $0.append(Captions.caption("early", 500, 700)) }),
      ("numeric", { $0.append(Caption("never", timeRange: .invalid)) }),
      (
        "numeric",
        {
          $0.append(
            Caption("open", timeRange: TimeRange(start: late.timeRange.end, duration: .invalid)))
        }
      ),
      ("after the one before", { $0.append(CaptionGroup(timeRange: Captions.range(1500, 3000))) }),
      ("start", { $0.append(CaptionGroup(timeRange: .invalid)) }),
    ]
    for (number, (word, append)) in cases.enumerated() {
      let writer = try Writing.writer(scratch, "\(number).mkv", "matroska")
      let input = AssetWriterInput(
        mediaType: .subtitle, settings: nil,
        sourceFormatHint: FormatDescription(subtitles: "subrip"))
      try Writing.start(writer, [input])
      let adaptor = AssetWriterInputCaptionAdaptor(assetWriterInput: input)
      try #require(adaptor.append(late))
      #expect(!append(adaptor))
      #expect(writer.status == .failed)
      #expect(writer.error?.code == .invalidArgument)
      #expect(writer.error?.message.contains(word) == true, "\(writer.error?.message ?? "")")
      #expect(!adaptor.append(Captions.caption("after", 5000, 6000)))
    }
    #expect(scratch.names.isEmpty)
  }

  @Test(.rule) func `a caption adaptor requires an input for text`() throws {
    let writer = try Writing.writer(scratch, "a.mp4")
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    let adaptor = AssetWriterInputCaptionAdaptor(assetWriterInput: input)
    #expect(!adaptor.append(Captions.caption("text", 0, 1000)))
    #expect(writer.error?.code == .invalidArgument)
    // A container rejects an input whose text format it does not support.
    let other = try Writing.writer(scratch, "b.mp4")
    let text = AssetWriterInput(
      mediaType: .subtitle, settings: nil, sourceFormatHint: FormatDescription(subtitles: "subrip"))
    #expect(!other.canAdd(text))
  }

  @Test func `the start of the session is zero, and earlier text is cut`() throws {
    let writer = try Writing.writer(scratch, "a.mp4")
    let input = AssetWriterInput(
      mediaType: .subtitle, settings: nil,
      sourceFormatHint: FormatDescription(subtitles: "mov_text"))
    try writer.add(input)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: MediaTime(value: 10, timescale: 1))
    let adaptor = AssetWriterInputCaptionAdaptor(assetWriterInput: input)
    for (text, start, end) in [("gone", 8000, 9000), ("half", 9000, 11000), ("all", 12000, 13000)] {
      try #require(adaptor.append(Captions.caption(text, Int64(start), Int64(end))))
    }
    input.markAsFinished()
    writer.finishWritingAndWait()
    #expect(
      try Captions.groups(writer.path).flatMap(\.captions)
        == [Captions.caption("half", 0, 1000), Captions.caption("all", 2000, 3000)])
  }

  @Test(arguments: [nil, MediaTime(value: 1, timescale: 2)])
  func `captions beside video are shown at their times`(fragments: MediaTime?) throws {
    let writer = try Writing.writer(scratch, "a.mp4")
    if let fragments { writer.movieFragmentInterval = fragments }
    let pictures = Writing.videoInput()
    let input = AssetWriterInput(
      mediaType: .subtitle, settings: nil,
      sourceFormatHint: FormatDescription(subtitles: "mov_text"))
    try Writing.start(writer, [pictures, input])
    let adaptor = AssetWriterInputCaptionAdaptor(assetWriterInput: input)
    for number in 0..<75 {
      try #require(pictures.append(try Writing.picture(number)))
      if number % 25 == 10 {
        let start = Int64(number) * 40
        try #require(adaptor.append(Captions.caption("\(number)", start, start + 400)))
      }
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(
      try Captions.groups(writer.path).flatMap(\.captions)
        == [10, 35, 60].map { number in
          Captions.caption("\(number)", number * 40, number * 40 + 400)
        })
    // FFmpeg reports no durations for text in fragments, not even in files that it wrote.
    guard fragments == nil else { return }
    #expect(
      try Captions.subRip(writer.path) == """
        1
        00:00:00,400 --> 00:00:00,800
        10

        2
        00:00:01,400 --> 00:00:01,800
        35

        3
        00:00:02,400 --> 00:00:02,800
        60
        """)
  }

  @Test(.rule)
  func `a caption receiver appends when the input is ready and throws if the writer fails`()
    async throws
  {
    let writer = try Writing.writer(scratch, "a.mkv", "matroska")
    let receiver = try writer.inputCaptionReceiver(
      for: AssetWriterInput(
        mediaType: .subtitle, settings: nil,
        sourceFormatHint: FormatDescription(subtitles: "subrip")))
    try writer.start()
    let captions = [Captions.caption("one", 0, 1000), Captions.caption("two", 1000, 2000)]
    #expect(try !receiver.appendImmediately(captions[0]))
    writer.startSession(atSourceTime: .zero)
    try await receiver.append(captions[0])
    #expect(
      try receiver.appendImmediately(
        CaptionGroup(captions: [captions[1]], timeRange: captions[1].timeRange)))
    try await receiver.append(CaptionGroup(timeRange: Captions.range(2000, 3000)))
    await #expect(throws: MediaError.self) { try await receiver.append(captions[0]) }
    #expect(writer.status == .failed)

    let good = try Writing.writer(scratch, "b.mkv", "matroska")
    let other = try good.inputCaptionReceiver(
      for: AssetWriterInput(
        mediaType: .subtitle, settings: nil,
        sourceFormatHint: FormatDescription(subtitles: "subrip")))
    try good.start()
    good.startSession(atSourceTime: .zero)
    for caption in captions { try await other.append(caption) }
    other.finish()
    await #expect(throws: MediaError.self) { try await other.append(captions[1]) }
    await good.finishWriting()
    #expect(try Captions.groups(good.path).flatMap(\.captions) == captions)
  }
}
