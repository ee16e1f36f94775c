import RespoolMedia
import Testing

@testable import RespoolHost
@testable import RespoolPresets

/// Messages about missing codecs and containers when a plugin that may have them is not used.
@Suite struct UnusablePluginTests {
  private static let failed = PluginRecord(
    name: "Mine", path: "/p/mine.so", status: .failed,
    reason: "the library libmine.so.1 is missing",
    advice: "install it")

  private static let disabled = PluginRecord(
    name: "Other", path: "/p/other.so", status: .disabled, reason: "plugins.conf disables it",
    advice: "`respool plugins enable Other` enables it",
    factories: [
      PluginFixtures.factory("Other", .encoder, "other") { $0.codecs = ["mjpeg"] }.description,
      PluginFixtures.factory("Other", .muxer, "othermux") { $0.extensions = ["zzzzzz"] }
        .description,
    ])

  private func available(_ records: PluginRecord...) -> AvailablePlugins {
    AvailablePlugins(
      ranked: RankedFactories(PluginFixtures.all.factories), refusal: { _, _ in nil },
      settingsProblem: { _, _ in nil },
      unusable: UnusablePlugins(records))
  }

  /// Returns the advice of the only problem of a preset; `nil` if it has none or several.
  private func advice(_ text: String, _ available: AvailablePlugins) throws -> String? {
    let folder = try PresetFolder(["p.yaml": text])
    let problems = try folder.problems(of: "p.yaml", available: available)
    guard problems.count == 1, let problem = problems.first else { return nil }
    return problem.split(separator: "; ", maxSplits: 1).last.map(String.init)
  }

  static let outOfOrder =
    "the plugin Mine is out of order: the library libmine.so.1 is missing (/p/mine.so; install it)"

  @Test(arguments: [
    "container: mkv\naudio: none\nvideo: {codec: mjpeg}\n",
    "container: mkv\naudio: none\nvideo: {codec: h264, encoder: Mine/rare}\n",
    "container: mkv\naudio: none\nvideo: {codec: h264, decoder: rarest}\n",
    "container: mkv\naudio: none\nvideo: {codec: h264, filters: [rarest]}\n",
    "container: rarest\naudio: none\nvideo: {codec: h264}\n",
  ])
  func `a plugin that does not work is named if something is missing`(text: String) throws {
    #expect(try advice(text, available(Self.failed)) == Self.outOfOrder)
    #expect(try advice(text, available()) != Self.outOfOrder)
  }

  @Test func `a disabled plugin is named if it has what is missing`() throws {
    let text = "container: mkv\naudio: none\nvideo: {codec: mjpeg}\n"
    let sentence =
      "the plugin Other has one, but is disabled (`respool plugins enable Other` enables it)"
    #expect(try advice(text, available(Self.disabled)) == sentence)
    #expect(try advice(text, available(Self.failed, Self.disabled)) == sentence)
    #expect(
      try advice("container: zzzzzz\naudio: none\nvideo: {codec: h264}\n", available(Self.disabled))
        == sentence)
    #expect(
      try advice("container: mkv\naudio: none\nvideo: {codec: mp3}\n", available(Self.disabled))
        != sentence)
  }

  @Test func `a name that is like another may also be that of a plugin out of order`() throws {
    let text = "container: mkw\naudio: none\nvideo: {codec: h264}\n"
    let advice = try #require(try advice(text, available(Self.failed)))
    #expect(advice.hasPrefix(Self.outOfOrder + "; or did you mean mk"), "\(advice)")
  }

  @Test func `several plugins that do not work are counted`() {
    var other = Self.failed
    other.name = "Yours"
    #expect(
      UnusablePlugins([Self.failed, other]).explanation(for: .encoder)
        == Self.outOfOrder + "; 1 more plugin is out of order (respool doctor)")
    #expect(
      UnusablePlugins([Self.failed, other]).explanation(for: .encoder, named: "Yours/x")
        == other.disorder)
  }

  @Test func `resolving fails as a fault of the plugin`() throws {
    var preset = Preset(name: "p", container: "mkv")
    var video = Preset.Video()
    video.codec = "rare"
    preset.video = video
    let source = SourceFixtures.media(SourceFixtures.video(64, 64))
    let error = #expect(throws: MediaError.self) {
      try PresetResolver.resolve(
        preset: preset, source: source, available: available(Self.failed))
    }
    #expect(error?.code == .pluginFailure)
    #expect(
      error?.message
        == "no plugin encodes rare, which preset p asks for; " + Self.outOfOrder)
  }
}
