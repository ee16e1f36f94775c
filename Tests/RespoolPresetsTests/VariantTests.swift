import RespoolMedia
import Testing

@testable import RespoolHost
@testable import RespoolPresets

/// Settings of presets that depend on the source: `when`, and rules that select tracks.
@Suite struct VariantTests {
  private func preset(_ text: String) throws -> Preset {
    let folder = try PresetFolder(["p.yaml": text])
    let check = try folder.library.check("p", available: PluginFixtures.all)
    try #require(check.problems == [])
    return try #require(check.preset)
  }

  private func problems(_ text: String) throws -> [String] {
    try PresetFolder(["p.yaml": text]).problems(of: "p.yaml")
  }

  private func resolve(
    _ preset: Preset, _ media: MediaDescription, size: Int64? = nil
  ) throws -> ResolvedSettings {
    try PresetResolver.resolve(
      preset: preset, source: media, available: PluginFixtures.all, size: size)
  }

  private static let head = "container: mp4\naudio: none\nvideo:\n  codec: h264\n"

  // MARK: Variants

  @Test(arguments: [(1080, 23.0, "1"), (720, 26, "2"), (480, 20, "")])
  func `the first variant for files whose condition holds is used`(
    height: Int, quality: Double, number: String
  ) throws {
    let preset = try preset(
      Self.head + "  quality: 20\nwhen:\n  - if: video.height > 720\n    video: {quality: 23}\n"
        + "  - if: video.height > 480\n    video: {quality: 26}\n")
    let settings = try resolve(
      preset, SourceFixtures.media(SourceFixtures.video(height * 16 / 9, height)))
    guard case .convertVideo(let video) = try #require(settings.tracks.first).action else {
      Issue.record("video is not converted")
      return
    }
    #expect(video.quality == quality)
    let decision = settings.decisions.first { $0.setting.description == "when" }
    #expect(decision?.value ?? "" == number)
    if number == "2" {
      #expect(decision?.reason == "video.height > 480 is the first of 2 that holds")
    }
  }

  @Test func `the size of a file is known, that of other media is not`() throws {
    let preset = try preset(
      Self.head + "subtitles: keep\nwhen:\n  - {if: size > 1G, video: none, audio: {codec: aac}}\n")
    let media = SourceFixtures.media(
      SourceFixtures.video(640, 360), SourceFixtures.audio(48000, .stereo))
    #expect(try resolve(preset, media).outputTracks.map(\.kind) == [.video])
    #expect(try resolve(preset, media, size: 999).outputTracks.map(\.kind) == [.video])
    #expect(try resolve(preset, media, size: 2_000_000_000).outputTracks.map(\.kind) == [.audio])
  }

  @Test func `each track has the variant that its own condition selects`() throws {
    let preset = try preset(
      "container: mp4\nvideo: none\ntracks: all\naudio:\n  codec: aac\n  bitrate: 128k\n  when:\n"
        + "    - if: channels > 2 and video.height > 700\n      bitrate: 256k\n"
        + "    - {if: codec == aac, passthrough: never, channels: 1}\n")
    let settings = try resolve(
      preset,
      SourceFixtures.media(
        SourceFixtures.video(1280, 720), SourceFixtures.audio(48000, .stereo),
        SourceFixtures.audio(48000, .standard(6)),
        SourceFixtures.audio(48000, .stereo, codec: "aac")))
    let audio = settings.tracks.compactMap {
      if case .convertAudio(let conversion) = $0.action { conversion } else { nil }
    }
    #expect(audio.count == 3)
    #expect(audio.map(\.channelLayout.channelCount) == [2, 6, 1])
    #expect(audio.map { $0.bitRate ?? 0 > 128_000 } == [false, true, false])
    let made = settings.decisions.filter { $0.setting.description.hasSuffix("when") }
    #expect(made.map(\.value) == ["1", "2"])
  }

  @Test func `another codec discards what was for the first one`() throws {
    let preset = try preset(
      Self.head + "  quality: 20\n  options: {preset: slow}\nwhen:\n"
        + "  - {if: video.hdr, video: {codec: vp9}}\n  - {if: video, video: {bitrate: 2M}}\n")
    #expect(preset.variants.count == 2)
    #expect(preset.variants[0].settings.video?.codec == "vp9")
    #expect(preset.variants[0].settings.video?.quality == nil)
    #expect(preset.variants[0].settings.video?.options == [])
    #expect(preset.variants[1].settings.video?.quality == nil)
    #expect(preset.variants[1].settings.video?.bitRate == 2_000_000)
    #expect(preset.video?.quality == 20)
  }

  @Test(arguments: [
    ("when: []\n", "5:7: when is an empty list"),
    ("when: {if: video}\n", "5:7: when is a mapping"),
    ("when: [video]\n", "5:8: an item of when is \"video\""),
    (
      "when: [{video: none}]\n", "5:8: an item of when has no if; add one, such as if: video.height"
    ),
    ("when: [{if: video.hight > 2}]\n", "5:13: the condition \"video.hight > 2\" is wrong"),
    ("when: [{if: video, container: mkv}]\n", "5:20: container is in when, and it is the same"),
    ("when: [{if: video, vidio: none}]\n", "5:20: unknown key vidio in when; did you mean video?"),
    ("when: [{if: video, video: {decoder: h264}}]\n", "5:28: decoder is in when, and it is the"),
    ("when: [{if: video, video: {quality: 99}}]\n", "5:37: quality is 99; x264 takes from 0 to 51"),
    ("when: [{if: video, video: {codec: theora}}]\n", "5:35: no plugin encodes theora"),
    ("when: [{if: video, video: none}]\n", "video and audio are both none"),
  ])
  func `each variant is checked`(text: String, problem: String) throws {
    let problems = try problems(Self.head + text)
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
  }

  @Test(arguments: [
    ("  when: [{if: video.height > 2, quality: 99}]\n", "quality is 99; x264 takes from 0 to 51"),
    (
      "  when: [{if: height > 2, options: {presett: slow}}]\n", "encoder x264 has no option presett"
    ),
    (
      "  when: [{if: height > 2, tracks: all}]\n", "tracks is in when, and it is the same for every"
    ),
    ("  when: [{if: channels > 2, quality: 9}]\n", "there is no property channels"),
    ("  when: [{if: height > 2, when: []}]\n", "when is in when"),
    ("  when: [{if: height > 2, size: 3x3}]\n", "each side takes from 16 to 16384 pixels"),
  ])
  func `each variant of a section is checked`(text: String, problem: String) throws {
    let problems = try problems(Self.head + text)
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
  }

  @Test func `the number of conditions is limited`() throws {
    let items = String(repeating: "  - {if: video, cover: drop}\n", count: 17)
    #expect(try problems(Self.head + "when:\n" + items).count == 1)
  }

  @Test func `a preset that extends another has its variants, or its own instead`() throws {
    let folder = try PresetFolder([
      "a.yaml": Self.head + "when: [{if: video.hdr, video: {quality: 30}}]\n",
      "b.yaml": "extends: a\nvideo: {size: 640x360}\n",
      "c.yaml": "extends: a\nwhen: [{if: video, cover: drop}]\n",
    ])
    let (b, c) = (try folder.library.preset("b"), try folder.library.preset("c"))
    #expect(b.variants.map(\.condition.text) == ["video.hdr"])
    #expect(b.variants.first?.settings.video?.size == .init(640, 360))
    #expect(c.variants.map(\.condition.text) == ["video"])
    #expect(c.variants.first?.settings.video?.quality == nil)
    // The text that is shown is a preset with the same settings.
    for name in ["b", "c"] {
      let other = try PresetFolder(["\(name).yaml": try folder.library.text(of: name)])
      let copy = try other.library.preset(name)
      #expect(
        copy.variants.map(\.settings.video) == (name == "b" ? b : c).variants.map(\.settings.video))
    }
  }

  // MARK: Rules for tracks

  private static let film = SourceFixtures.media(
    SourceFixtures.video(1280, 720),
    SourceFixtures.audio(48000, .stereo) { $0.language = "ger" },
    SourceFixtures.audio(48000, .standard(6)) { $0.language = "eng" },
    SourceFixtures.audio(48000, .stereo) {
      ($0.language, $0.disposition) = ("en-GB", .commentary)
    },
    SourceFixtures.audio(48000, .stereo) { $0.language = "fra" })

  @Test(arguments: [
    ("language == en", [2, 3]), ("[language == eng and not commentary]", [2]),
    ("[language == deu, language == fr]", [1, 4]), ("[best: language == en]", [2]),
    ("[language == ja, else: best]", [2]), ("[language == ja, else: language == fr]", [4]),
    ("[language == de, else: all]", [1]), ("[language == ja, else: all]", [1, 2, 3, 4]),
    ("[channels > 2, commentary]", [2, 3]), ("all", [1, 2, 3, 4]), ("best", [2]),
    ("[language == ja]", []), ("[best: language == ja]", []),
    ("[language == ja, else: language == ko, else: best]", [2]),
    ("[language == en-GB, language == en-US]", [3]),
  ])
  func `rules select tracks`(rules: String, sources: [Int]) throws {
    let preset = try preset(
      Self.head.replacing("audio: none", with: "audio: {codec: aac, tracks: \(rules)}"))
    let settings = try resolve(preset, Self.film)
    #expect(settings.outputTracks.filter { $0.kind == .audio }.map(\.source) == sources)
    for track in settings.tracks where track.kind == .audio && track.isDropped {
      #expect(track.action == .drop(reason: "no rule of the preset selects the audio track"))
    }
  }

  @Test func `rules select subtitles`() throws {
    var media = Self.film
    for (language, flag) in [("eng", TrackDescription.Disposition.default), ("deu", .forced)] {
      var track = TrackDecisionTests.track(.subtitle, "mov_text")
      (track.language, track.disposition) = (language, flag)
      media.tracks.append(track)
    }
    for (rules, sources) in [
      ("[forced]", [6]), ("[language == en, language == de]", [5, 6]), ("drop", []),
      ("[language == ja]", []), ("[language == ja, else: best]", [5]),
    ] {
      let preset = try preset(Self.head + "subtitles: \(rules)\n")
      let settings = try resolve(preset, media)
      #expect(
        settings.outputTracks.filter { $0.kind == .subtitle }.map(\.source) == sources, "\(rules)")
    }
  }

  @Test(arguments: [
    ("tracks: []", "tracks is an empty list; write audio: none to drop audio"),
    ("tracks: [else: best]", "else is the first rule"),
    ("tracks: [{worst: all}]", "a rule is a mapping; it takes a condition, best: with"),
    ("tracks: [language == german]", "language is compared with a code such as en, eng or pt-BR"),
    ("tracks: [height > 2]", "there is no property height"),
    ("tracks: [best: ]", "best is empty"),
    ("tracks: {best: all}", "a rule is"),
  ])
  func `wrong rules are named`(text: String, problem: String) throws {
    let problems = try problems(
      Self.head.replacing("audio: none", with: "audio: {codec: aac, \(text)}"))
    if text == "tracks: {best: all}" {
      #expect(problems == [])
    } else {
      #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    }
  }
}
