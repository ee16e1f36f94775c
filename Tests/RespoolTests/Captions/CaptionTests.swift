import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Captions, their styles and their groups as values.
@Suite struct CaptionTests {
  @Test(.rule) func `a style is returned with the range around a position that has the same style`()
    throws
  {
    var caption = Captions.caption("one two three", 0, 1000)
    let two = try #require(caption.text.firstRange(of: "two"))
    caption.setFontWeight(.bold, in: two)
    caption.setFontStyle(.italic, in: two.lowerBound..<caption.text.endIndex)

    #expect(caption.fontWeight(at: two.lowerBound) == (.bold, two))
    let (weight, before) = caption.fontWeight(at: caption.text.startIndex)
    #expect(weight == .unknown && before == caption.text.startIndex..<two.lowerBound)
    // The weight ends within the italic part.
    #expect(
      caption.fontStyle(at: two.lowerBound) == (.italic, two.lowerBound..<caption.text.endIndex))
    #expect(caption.decoration(at: two.lowerBound).0 == [])
    #expect(caption.textColor(at: caption.text.endIndex).0 == nil)
  }

  @Test func `a caption with a removed style equals one without it`() throws {
    let plain = Captions.caption("one two three", 0, 1000)
    var caption = plain
    let all = caption.text.startIndex..<caption.text.endIndex
    caption.setFontWeight(.bold, in: all)
    caption.setTextColor(.white, in: all)
    caption.setBackgroundColor(.black, in: all)
    caption.setDecoration([.underline, .lineThrough], in: all)
    caption.setFontStyle(.italic, in: all)
    #expect(caption != plain)
    caption.removeFontWeight(in: all)
    caption.removeTextColor(in: all)
    caption.removeBackgroundColor(in: all)
    caption.removeDecoration(in: all)
    caption.removeFontStyle(in: all)
    #expect(caption == plain)
  }

  @Test func `styles after the end of the text are ignored`() {
    let long = "a long text that goes on"
    var caption = Captions.caption("short", 0, 1000)
    caption.setFontWeight(.bold, in: long.index(long.startIndex, offsetBy: 3)..<long.endIndex)
    let places = caption.text.indices.map { caption.fontWeight(at: $0).0 }
    #expect(places == [.unknown, .unknown, .unknown, .bold, .bold])
    #expect(caption.fontWeight(at: long.endIndex).0 == .unknown)
  }

  @Test func `replaced text keeps the styles in their ranges`() {
    var caption = Captions.caption("abcdef", 0, 1000)
    caption.setFontWeight(
      .bold, in: caption.text.index(caption.text.startIndex, offsetBy: 2)..<caption.text.endIndex)
    caption.text = "uvwx"
    #expect(caption.styled.pieces.map { String($0.text) } == ["uv", "wx"])
    caption.text = "u"
    #expect(caption == Captions.caption("u", 0, 1000))
  }

  @Test(
    .rule("A group without captions stands for a time without captions"),
    .rule("A grouper returns the groups that end at or before a time"))
  func `groups follow each other, and each has the captions shown throughout`() {
    var grouper = CaptionGrouper()
    let (first, second, third) = (
      Captions.caption("first", 100, 500), Captions.caption("second", 300, 700),
      Captions.caption("third", 900, 1000)
    )
    grouper.add(first)
    // The end of the first caption's group stays open until the next caption is known.
    #expect(
      grouper.flushAddedCaptions(upTo: first.timeRange.start)
        == [CaptionGroup(timeRange: Captions.range(0, 100))])
    grouper.add(second)
    grouper.add(third)
    #expect(
      grouper.flushAddedCaptions(upTo: .positiveInfinity) == [
        CaptionGroup(captions: [first], timeRange: Captions.range(100, 300)),
        CaptionGroup(captions: [first, second], timeRange: Captions.range(300, 500)),
        CaptionGroup(captions: [second], timeRange: Captions.range(500, 700)),
        CaptionGroup(timeRange: Captions.range(700, 900)),
        CaptionGroup(captions: [third], timeRange: Captions.range(900, 1000)),
      ])
    #expect(grouper.flushAddedCaptions(upTo: .positiveInfinity).isEmpty)
  }

  @Test func `captions without a time are in no group`() {
    var grouper = CaptionGrouper(startingAt: MediaTime(value: 1, timescale: 1))
    grouper.add(Caption("never", timeRange: .invalid))
    grouper.add(Captions.caption("over", 0, 1000))
    grouper.add(Captions.caption("no time", 2000, 2000))
    #expect(grouper.flushAddedCaptions(upTo: .positiveInfinity).isEmpty)
    let half = Captions.caption("half", 500, 1500)
    grouper.add(half)
    #expect(
      grouper.flushAddedCaptions(upTo: .positiveInfinity)
        == [CaptionGroup(captions: [half], timeRange: Captions.range(1000, 1500))])
  }
}
