import RespoolMedia
import Testing

@testable import RespoolHost
@testable import RespoolPresets

/// Filters of presets, and the decisions that depend on the frames that come out.
@Suite struct FilterResolutionTests {
  private func preset(_ text: String) throws -> Preset {
    let folder = try PresetFolder(["p.yaml": text])
    let check = try folder.library.check("p", available: PluginFixtures.all)
    try #require(check.problems == [])
    return try #require(check.preset)
  }

  private func resolve(_ preset: Preset, _ tracks: TrackDescription...) throws -> ResolvedSettings {
    var media = MediaDescription(format: "test", tracks: tracks)
    media.duration = 20_000_000_000
    return try PresetResolver.resolve(
      preset: preset, source: media, available: PluginFixtures.all)
  }

  private func video(_ settings: ResolvedSettings) throws -> VideoConversion {
    guard case .convertVideo(let video) = try #require(settings.tracks.first).action else {
      throw MediaError(.internal, "video is not converted")
    }
    return video
  }

  private static let head = "container: mp4\naudio: none\nvideo:\n  codec: h264\n"

  @Test func `a list names filters in order, with and without options`() throws {
    let preset = try preset(
      Self.head
        + "  filters:\n    - hqdn3d\n    - bwdif: {mode: send_field}\n    - crop:\n        w: 640\n    - eq:\n"
    )
    #expect(
      preset.video?.filters == [
        .init("hqdn3d"), .init("bwdif", options: [PluginOption("mode", "send_field")]),
        .init("crop", options: [PluginOption("w", "640")]), .init("eq"),
      ])
  }

  @Test func `size, rate and fields are those of the frames that come out`() throws {
    let preset = try preset(
      Self.head + "  size: 1280x720\n  filters: [{bwdif: {}}, {crop: {w: 960}}]\n")
    let settings = try resolve(
      preset,
      SourceFixtures.video(1920, 720) {
        $0.fieldOrder = .topFirst
        $0.frameRate = Rational(25, 1)
      })
    let video = try video(settings)
    #expect((video.width, video.height) == (960, 720))
    #expect(video.frameRate == Rational(50, 1))
    #expect(video.fieldOrder == .progressive)
    #expect(video.filters?.filters.map(\.factory.description.name) == ["bwdif", "crop"])
    #expect(video.filters?.output.timeBase == Rational(1, 180_000))
    let decision = try #require(
      settings.decisions.first { $0.setting.description == "video.filters.bwdif" })
    #expect(decision.value == "defaults")
    #expect(decision.reason == "from the preset; 50 frames a second; frames become progressive")
    #expect(
      settings.decisions.first { $0.setting.description == "video.filters.crop" }?.reason
        == "from the preset; frames become 960x720")
  }

  @Test func `a filter that measures changes no decision`() throws {
    let preset = try preset(Self.head + "  pixelFormat: yuv420p10le\n  filters: [cropdetect]\n")
    let video = try video(
      resolve(preset, SourceFixtures.video(640, 360) { $0.pixelFormat = .yuv420p10le }))
    #expect(video.pixelFormat == .yuv420p10le)
    #expect(video.filters?.output.pixelFormat == .yuv420p10le)
  }

  @Test func `fewer bits of a filter are a loss`() throws {
    let preset = try preset(Self.head + "  pixelFormat: yuv420p10le\n  filters: [eq]\n")
    let settings = try resolve(
      preset, SourceFixtures.video(640, 360) { $0.pixelFormat = .yuv420p10le })
    let loss = settings.decisions.compactMap(\.loss).first { $0.contains("eq") }
    #expect(loss == "video: the filter eq takes yuv420p, so that yuv420p10le loses bits")
  }

  @Test(arguments: ["auto", "any"])
  func `a track with filters is not copied, and the reason names them`(mode: String) throws {
    let preset = try preset(
      Self.head + "  passthrough: \(mode)\n  filters: [hqdn3d, eq]\n")
    let settings = try resolve(preset, SourceFixtures.video(640, 360))
    #expect(settings.encodingReasons == ["the preset filters it with hqdn3d, eq"])
    #expect(settings.decisions.compactMap(\.loss) == [])
  }

  @Test func `loudness is normalized at a high rate, and encoded at that of the source`() throws {
    let preset = try preset(
      "container: mp4\naudio:\n  codec: aac\n  filters: [{loudnorm: {i: -16}}]\n")
    let settings = try resolve(preset, SourceFixtures.audio(44100, .stereo))
    guard case .convertAudio(let audio) = settings.tracks[0].action else {
      Issue.record("audio is not converted")
      return
    }
    #expect(audio.sampleRate == 44100)
    #expect(audio.filters?.output.sampleRate == 192_000)
    #expect(audio.filters?.filters.first?.options == [PluginOption("i", "-16")])
  }

  @Test func `a list of filters replaces that of an extended preset, and is shown`() throws {
    let folder = try PresetFolder([
      "base.yaml": Self.head + "  filters: [hqdn3d, eq]\n",
      "p.yaml": "extends: base\nvideo:\n  filters:\n    - bwdif: {mode: send_frame}\n    - eq\n",
      "q.yaml": "extends: base\nvideo:\n  filters: []\n",
    ])
    #expect(try folder.library.preset("base").video?.filters.map(\.name) == ["hqdn3d", "eq"])
    #expect(try folder.library.preset("p").video?.filters.map(\.name) == ["bwdif", "eq"])
    #expect(try folder.library.preset("q").video?.filters == [])
    let text = try folder.library.text(of: "p")
    #expect(
      text.contains("  filters:\n    - bwdif:\n        mode: send_frame\n    - eq\n"), "\(text)")
    // The text is itself a preset.
    let again = try PresetFolder(["again.yaml": text.replacing("name: p\n", with: "")])
    #expect(
      try again.library.preset("again").video?.filters == folder.library.preset("p").video?.filters)
  }

  @Test func `a filter that is missing or rejects its options is an error that names it`() throws {
    var preset = try preset(Self.head + "  filters: [hqdn3d]\n")
    preset.video?.filters = [.init("crop", options: [PluginOption("w", "nonsense")])]
    let source = SourceFixtures.video(640, 360)
    var error = #expect(throws: MediaError.self) { _ = try resolve(preset, source) }
    #expect(error?.message == "w is \"nonsense\", which crop does not accept")
    #expect(error?.track == 0)
    preset.video?.filters = [.init("vanished")]
    error = #expect(throws: MediaError.self) { _ = try resolve(preset, source) }
    #expect(error?.message.hasPrefix("no plugin has the video filter vanished") == true)
  }
}
