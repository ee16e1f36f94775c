import RespoolMedia
import Testing

@testable import RespoolHost
@testable import RespoolPresets

/// Rules for subtitles that are drawn into frames.
@Suite struct BurnRuleTests {
  private static let head = "container: mp4\naudio: none\nvideo: {codec: h264}\n"

  private func preset(_ text: String) throws -> Preset {
    let folder = try PresetFolder(["p.yaml": text])
    let check = try folder.library.check("p", available: PluginFixtures.all)
    try #require(check.problems == [])
    return try #require(check.preset)
  }

  private static let film = SourceFixtures.media(
    SourceFixtures.video(1280, 720),
    track("mov_text", "eng"), track("mov_text", "eng", .hearingImpaired),
    track("mov_text", "deu", .forced), track("dvb_teletext", "fra"))

  private static func track(
    _ codec: String, _ language: String, _ flags: TrackDescription.Disposition = []
  ) -> TrackDescription {
    var track = TrackDecisionTests.track(.subtitle, codec)
    (track.language, track.disposition) = (language, flags)
    return track
  }

  private func resolve(_ text: String, _ media: MediaDescription = film) throws
    -> (settings: ResolvedSettings, burnt: BurntSubtitles?)
  {
    let settings = try PresetResolver.resolve(
      preset: try preset(text), source: media, available: PluginFixtures.all)
    guard case .convertVideo(let video) = try #require(settings.tracks.first).action else {
      return (settings, nil)
    }
    return (settings, video.subtitles)
  }

  @Test(
    arguments: [
      ("forced", 3), ("best", 1), ("[language == ja, language == de]", 3),
      ("[hearingImpaired, best]", 2), ("[language == en]", 1), ("none", nil),
      ("language == ja", nil), ("[language == fr, language == de]", 3),
    ] as [(String, Int?)])
  func `the first rule that selects subtitles decides`(rules: String, track: Int?) throws {
    let (settings, burnt) = try resolve(Self.head + "burn: \(rules)\n")
    #expect(burnt?.track == track)
    #expect(settings.tracks.filter(\.isReplaced).map(\.source) == (track.map { [$0] } ?? []))
    let others = settings.outputTracks.filter { $0.kind == .subtitle }.map(\.source)
    #expect(others == [1, 2, 3].filter { $0 != track })
  }

  @Test func `subtitles that cannot be drawn are a loss`() throws {
    let (settings, burnt) = try resolve(Self.head + "burn: language == fr\n")
    #expect(burnt == nil)
    let losses = settings.decisions.compactMap(\.loss)
    #expect(
      losses.contains {
        $0.hasPrefix("no subtitles are drawn into the video: subtitles of this kind cannot be")
          && $0.contains("track 5 (dvb_teletext)")
      }, "\(losses)")
  }

  @Test func `video that would be copied is encoded`() throws {
    let text = "container: mp4\naudio: none\nvideo: {codec: h264, passthrough: any}\n"
    #expect(try resolve(text).settings.isPassThroughOnly)
    let (settings, burnt) = try resolve(text + "burn: best\n")
    #expect(burnt != nil)
    #expect(
      settings.encodingReasons == ["the preset draws subtitles into its frames"])
    // Nothing to draw, nothing to encode.
    #expect(try resolve(text + "burn: language == ja\n").settings.isPassThroughOnly)
  }

  @Test func `frames are rotated, because text is drawn upright`() throws {
    var media = Self.film
    media.tracks[0].displayMatrix = DisplayMatrix(clockwiseDegrees: 90)
    let burnt = try #require(try resolve(Self.head + "burn: best\n", media).burnt)
    #expect((burnt.width, burnt.height) == (720, 1280))
  }

  @Test func `cropped rows and columns are known`() throws {
    let text = "container: mp4\naudio: none\nvideo:\n  codec: h264\n  filters:\n"
    let crop = "    - crop: {w: 1200, h: 600, y: 20}\n"
    let burnt = try #require(try resolve(text + crop + "burn: best\n").burnt)
    #expect([burnt.left, burnt.right, burnt.top, burnt.bottom] == [40, 40, 20, 100])
  }

  /// The filter crop of FFmpeg 5.1 keeps these pixels of 1280x720; it reports the sizes with `-v verbose`.
  @Test(arguments: [
    ("y=20:w=1200:h=600", [40, 20, 1200, 600]), ("w=iw-80:h=in_h-120", [40, 60, 1200, 600]),
    ("out_w=ih:h=ow/2:x=10:y=(in_h-out_h)/4", [10, 90, 720, 360]),
    ("w=1201:h=601:x=61:y=41", [60, 40, 1200, 600]),
    ("w=1201:h=601:x=61:y=41:exact=true", [61, 41, 1201, 601]),
    ("w=1200:h=600:x=500:y=-5", [80, 0, 1200, 600]), ("x=t*10", []), ("w=min(iw,9)", []),
  ])
  func `the area that is kept is that of the filter`(text: String, kept: [Int]) {
    let options = text.split(separator: ":").map { option in
      let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
      return PluginOption(parts[0], parts[1])
    }
    let area = CropArea(options, width: 1280, height: 720, format: .yuv420p)
    #expect(area.map { [$0.x, $0.y, $0.width, $0.height] } ?? [] == kept)
  }

  @Test(arguments: [
    ("12", 12), ("-1.5", -1.5), ("iw - 8/2 * 2", 92), ("(iw-ow)/2", 30), ("-(2+-3)", 1),
    ("iw*(", nil), ("t*10", nil), ("1/0", nil), ("", nil), ("2 iw", nil), ("inf", nil),
    ("min(1)", nil),
    (String(repeating: "(", count: 10_000), nil),
  ])
  func `options of filters are numbers or arithmetic`(text: String, value: Double?) {
    #expect(FilterExpression.value(text, ["iw": 100, "ow": 40]) == value)
  }

  @Test(arguments: [
    ("container: mp4\naudio: {codec: aac}\nburn: best\n", "burn needs video that is encoded"),
    (
      "container: mp4\nvideo: {passthrough: only}\nburn: best\n",
      "burn needs video that is encoded; remove passthrough: only, or burn"
    ),
    (head + "burn: []\n", "burn is an empty list; write burn: none"),
    (head + "burn: language == german\n", "language is compared with a code"),
    (head + "burn: [else: best]\n", "else is the first rule"),
  ])
  func `wrong rules are reported`(text: String, problem: String) throws {
    let problems = try PresetFolder(["p.yaml": text]).problems(of: "p.yaml")
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
  }
}
