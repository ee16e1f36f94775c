import RespoolMedia
import Testing

@testable import RespoolPresets

/// Decisions about text and timed metadata.
@Suite struct TextDecisionTests {
  @Test func `only text is converted to text`() throws {
    let settings = try ResolutionTests.resolve(
      "remux-mp4",
      SourceFixtures.media(
        SourceFixtures.video(1920, 1080), TrackDecisionTests.track(.subtitle, "subrip"),
        TrackDecisionTests.track(.subtitle, "ass"),
        TrackDecisionTests.track(.subtitle, "dvd_subtitle"),
        TrackDecisionTests.track(.subtitle, "mov_text")))
    #expect(
      TrackDecisionTests.actions(settings)
        == ["copy", "mov_text", "mov_text", "mp4 does not carry dvd_subtitle", "copy"])
    #expect(settings.outputTracks.map(\.source) == [0, 1, 2, 4])
  }

  @Test func `a codec in the form of other files is not copied`() throws {
    // QuickTime text has another sample entry than MP4 text. MP4 stores WebVTT in boxes.
    var text = TrackDecisionTests.track(.subtitle, "mov_text")
    (text.codecTag, text.extradata) = (FourCC("text").tag, [UInt8](repeating: 0, count: 51))
    var cues = TrackDecisionTests.track(.subtitle, "webvtt")
    cues.codecTag = FourCC("wvtt").tag
    let source = SourceFixtures.media(SourceFixtures.video(1920, 1080), text, cues)
    #expect(
      TrackDecisionTests.actions(try ResolutionTests.resolve("remux-mp4", source))
        == ["copy", "mov_text", "mov_text"])
    #expect(
      TrackDecisionTests.actions(try ResolutionTests.resolve("remux-mkv", source))
        == ["copy", "subrip", "subrip"])
    var own = TrackDecisionTests.track(.subtitle, "mov_text")
    (own.codecTag, own.extradata) = (FourCC("tx3g").tag, text.extradata)
    #expect(!own.isTextOfMovies)
  }

  @Test func `a preset that drops metadata also drops timed metadata`() throws {
    let yaml = """
      container: mp4
      tracks: all
      metadata: drop
      video: {codec: h264, passthrough: any}
      """
    let track = TrackDescription(kind: .data, codec: "mebx", timeBase: Rational(1, 600))
    let settings = try ResolutionTests.resolve(
      yaml: yaml, SourceFixtures.media(SourceFixtures.video(64, 64), track))
    #expect(settings.tracks[1].action == .drop(reason: "the preset drops metadata"))
  }
}
