import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Captions that are read from files.
@Suite struct CaptionReadingTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let overlapping = """
    1
    00:00:01,000 --> 00:00:03,000
    <b>one</b>

    2
    00:00:02,000 --> 00:00:05,000
    two

    3
    00:00:07,000 --> 00:00:08,000
    <font face="Fancy">three</font>

    """

  private func adaptor(_ path: String, start: MediaTime? = nil) throws -> (
    AssetReader, AssetReaderOutputCaptionAdaptor
  ) {
    let asset = Asset(path: path, registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    if let start { reader.timeRange = TimeRange(start: start, duration: .positiveInfinity) }
    let track = try #require(try asset.tracks(withMediaType: .subtitle).first)
    let output = AssetReaderTrackOutput(track: track, settings: nil)
    try reader.add(output)
    return (reader, AssetReaderOutputCaptionAdaptor(assetReaderTrackOutput: output))
  }

  @Test(.rule, .rule("A caption that spans several groups is equal in all of them"))
  func `caption groups have no gaps, and one begins where a caption starts or ends`() throws {
    let path = try Captions.file(scratch, "a.srt", Self.overlapping)
    let groups = try Captions.groups(path)
    #expect(
      groups.map { $0.captions.map(\.text) }
        == [[], ["one"], ["one", "two"], ["two"], [], ["three"]])
    #expect(groups.first?.timeRange.start == .zero)
    for (group, next) in zip(groups, groups.dropFirst()) {
      #expect(group.timeRange.end == next.timeRange.start)
    }
    #expect(groups.last?.timeRange.end == MediaTime(value: 8, timescale: 1))
    // The caption is the same in all its groups.
    #expect(groups[1].captions[0] == groups[2].captions[0])
    #expect(groups[1].captions[0].timeRange == Captions.range(1000, 3000))
  }

  @Test(.rule)
  func `captions not present in previous groups are those that begin with their group`() throws {
    let (reader, adaptor) = try adaptor(Captions.file(scratch, "a.srt", Self.overlapping))
    try #require(reader.startReading())
    var fresh: [[String]] = []
    while let group = adaptor.nextCaptionGroup() {
      fresh.append(adaptor.captionsNotPresentInPreviousGroups(in: group).map(\.text))
    }
    #expect(fresh == [[], ["one"], ["two"], [], [], ["three"]])
    #expect(adaptor.nextCaptionGroup() == nil)
  }

  @Test func `a part begins with the captions that are shown at its start`() throws {
    let path = try Captions.write(scratch, "a.mkv", "matroska", "subrip") { adaptor in
      for (text, start, end) in [("one", 0, 1000), ("two", 1000, 4000), ("three", 5000, 6000)] {
        try #require(adaptor.append(Captions.caption(text, Int64(start), Int64(end))))
      }
    }
    let range = Captions.range(2000, 5500)
    let groups = try Captions.groups(path, in: range)
    #expect(groups.map { $0.captions.map(\.text) } == [["two"], [], ["three"]])
    #expect(groups.first?.timeRange.start == range.start)
    #expect(groups.last?.timeRange.end == range.end)

    let (reader, adaptor) = try adaptor(path, start: range.start)
    try #require(reader.startReading())
    let first = try #require(adaptor.nextCaptionGroup())
    #expect(adaptor.captionsNotPresentInPreviousGroups(in: first).map(\.text) == ["two"])
  }

  @Test func `other ranges are read after the first`() throws {
    let path = try Captions.write(scratch, "a.mkv", "matroska", "subrip") { adaptor in
      for (text, start, end) in [("one", 500, 1000), ("two", 1000, 2000), ("three", 3000, 4000)] {
        try #require(adaptor.append(Captions.caption(text, Int64(start), Int64(end))))
      }
    }
    let (reader, adaptor) = try adaptor(path)
    adaptor.assetReaderTrackOutput.supportsRandomAccess = true
    try #require(reader.startReading())
    func texts() -> [[String]] {
      var texts: [[String]] = []
      while let group = adaptor.nextCaptionGroup() {
        texts.append(adaptor.captionsNotPresentInPreviousGroups(in: group).map(\.text))
      }
      return texts
    }
    #expect(texts() == [[], ["one"], ["two"], [], ["three"]])
    try adaptor.assetReaderTrackOutput.reset(forReadingTimeRanges: [Captions.range(1000, 5000)])
    #expect(texts() == [["two"], [], ["three"]])
    adaptor.assetReaderTrackOutput.markConfigurationAsFinal()
    #expect(reader.status == .completed)
  }

  private final class Delegate: AssetReaderCaptionValidationHandling {
    let notes = Notes<(String, [String])>()

    func captionAdaptor(
      _ adaptor: AssetReaderOutputCaptionAdaptor, didVendCaption caption: Caption,
      skippingUnsupportedSourceSyntaxElements syntaxElements: [String]
    ) {
      // The delegate may call the adaptor from within this method.
      _ = adaptor.captionsNotPresentInPreviousGroups(
        in: CaptionGroup(captions: [caption], timeRange: caption.timeRange))
      notes.add((caption.text, syntaxElements))
    }
  }

  @Test(.rule) func `the validation delegate receives the skipped syntax of each caption`() throws {
    let (reader, adaptor) = try adaptor(Captions.file(scratch, "a.srt", Self.overlapping))
    let delegate = Delegate()
    adaptor.validationDelegate = delegate
    try #require(reader.startReading())
    while adaptor.nextCaptionGroup() != nil {}
    #expect(delegate.notes.values.map(\.0) == ["three"])
    #expect(delegate.notes.values.map(\.1) == [["font face"]])
  }

  @Test func `a provider returns groups to a task`() async throws {
    let asset = Asset(
      path: try Captions.file(scratch, "a.srt", Self.overlapping), registry: Pipeline.registry)
    let track = try #require(try asset.tracks(withMediaType: .subtitle).first)
    let reader = try AssetReader(asset: asset)
    let delegate = Delegate()
    let provider = try reader.outputCaptionProvider(
      for: AssetReaderTrackOutput(track: track, settings: nil), validationDelegate: delegate)
    await #expect(throws: MediaError.self) { try await provider.next() }
    try reader.start()
    var texts: [[String]] = []
    while let group = try await provider.next() {
      texts.append(provider.captionsNotPresentInPreviousGroups(in: group).map(\.text))
    }
    #expect(texts == [[], ["one"], ["two"], [], [], ["three"]])
    #expect(reader.status == .completed)
    #expect(delegate.notes.values.count == 1)
  }

  @Test func `a track without text fails the reader`() throws {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    let track = try #require(try asset.tracks(withMediaType: .video).first)
    let output = AssetReaderTrackOutput(track: track, settings: nil)
    try reader.add(output)
    try #require(reader.startReading())
    let adaptor = AssetReaderOutputCaptionAdaptor(assetReaderTrackOutput: output)
    #expect(adaptor.nextCaptionGroup() == nil)
    #expect(reader.status == .failed)
    #expect(reader.error?.code == .unsupported)
  }

  @Test func `a caption without an end is shown until the next one`() throws {
    var reader = CaptionTrackReader()
    func read(_ text: String, _ start: Int64) -> [Caption] {
      reader.read(
        Array(text.utf8), as: .subRip,
        over: TimeRange(start: MediaTime(value: start, timescale: 1000), duration: .zero)
      ).map(\.caption)
    }
    #expect(read("one", 0) == [])
    #expect(read("two", 700) == [Captions.caption("one", 0, 700)])
    #expect(
      reader.finish(at: MediaTime(value: 2, timescale: 1)).map(\.caption)
        == [Captions.caption("two", 700, 2000)])
    #expect(read("three", 3000) == [])
    #expect(reader.finish(at: .invalid).map(\.caption) == [Captions.caption("three", 3000, 7000)])
  }

  @Test func `damaged packets and endless masses of captions are ignored`() throws {
    var reader = CaptionTrackReader()
    let format = try #require(CaptionFormat(FormatDescription(subtitles: "mov_text").track))
    #expect(reader.read([0, 9, 1], as: format, over: Captions.range(0, 1000)).isEmpty)
    #expect(reader.damagedPackets == 1 && reader.firstDamage?.code == .malformed)
    #expect(reader.read([0x41], as: .subRip, over: .invalid).isEmpty)
    let count = (0..<1000).reduce(0) { sum, start in
      sum + reader.read([0x41], as: .subRip, over: Captions.range(Int64(start), 5000)).count
    }
    #expect(count == 256)
    #expect(reader.read([0x41], as: .subRip, over: Captions.range(5000, 6000)).count == 1)
  }
}
