import Foundation
import RespoolMedia
import Testing

@testable import RespoolPresets
@testable import RespoolHost

@Suite struct ExplanationTests {
  static let phone = SourceFixtures.media(
    SourceFixtures.video(1920, 1080, codec: "hevc") {
      $0.displayMatrix = DisplayMatrix(clockwiseDegrees: 90)
      $0.frameRate = Rational(30000, 1001)
      $0.pixelFormat = .yuv420p10le
    },
    SourceFixtures.audio(44100, .mono, codec: "pcm_s16le") { $0.sampleFormat = .s16 })

  static let disc = SourceFixtures.media(
    SourceFixtures.video(720, 576, codec: "mpeg2video") {
      $0.sampleAspect = Rational(16, 11)
      $0.fieldOrder = .topFirst
      $0.frameRate = Rational(25, 1)
    },
    SourceFixtures.audio(48000, .standard(6), codec: "ac3") { $0.bitRate = 448_000 },
    TrackDescription(kind: .subtitle, codec: "dvd_subtitle", timeBase: Rational(1, 90000)),
    TrackDescription(kind: .data, codec: "", timeBase: Rational(1, 90000)))

  static let film = SourceFixtures.media(
    SourceFixtures.video(3840, 2160, codec: "hevc") {
      $0.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, range: .limited)
      $0.pixelFormat = .yuv420p10le
      $0.frameRate = Rational(24000, 1001)
    },
    SourceFixtures.audio(48000, .stereo, codec: "opus") { $0.bitRate = 96_000 },
    seconds: 7200)

  static let clip = SourceFixtures.media(
    SourceFixtures.video(641, 481, codec: "gif") { $0.pixelFormat = .bgra })

  /// Presets of these groups differ in some values only, or make nothing of these sources.
  static func isExplained(_ preset: PresetLibrary.Entry) -> Bool {
    !["devices", "share", "stills"].contains(preset.group)
      && (preset.group != "general" || preset.name.hasSuffix("1080p"))
  }

  /// Compares explanations with snapshots, which `RECORD_SNAPSHOTS=1` writes again.
  @Test(
    arguments: [
      ("phone", phone), ("disc", disc), ("film", film), ("clip", clip),
    ], PackagePresets.library.entries().filter(isExplained).map(\.name))
  func `every decision is reported with its reason`(
    source: (name: String, media: MediaDescription), preset: String
  ) throws {
    let text = try ResolutionTests.resolve(
      preset, source.media, available: PluginFixtures.ofPackage
    ).explanation
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    let url = URL(fileURLWithPath: "/\(folder)/Snapshots/\(source.name)-\(preset).txt")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
      try Data(text.utf8).write(to: url)
    }
    #expect(try String(decoding: Data(contentsOf: url), as: UTF8.self) == text)
  }

  @Test func `the JSON has settings and decisions`() throws {
    let settings = try ResolutionTests.resolve("webm-720p", Self.phone)
    let data = Data(settings.json.text.utf8)
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(Set(object.keys) == ["settings", "decisions"])
    let written = try #require(object["settings"] as? [String: Any])
    #expect(written["container"] as? String == "webm")
    let tracks = try #require(written["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["action"] as? String } == ["convert", "convert"])
    #expect(tracks[0]["width"] as? Int == 720)
    #expect(tracks[0]["rotation"] as? String == "90° turned")
    #expect(tracks[1]["bitRate"] as? Int == 80_000)
    let decisions = try #require(object["decisions"] as? [[String: Any]])
    #expect(decisions.count == settings.decisions.count)
    #expect(Set(decisions.flatMap(\.keys)) == ["setting", "value", "reason"])
  }

  @Test func `JSON text is escaped`() {
    let value = JSON.object(["a\"\\\n\u{1}é": .array([.number(1.5), .number(.nan), .bool(true)])])
    #expect(value.compactText == #"{"a\"\\\n\u0001é":[1.5,null,true]}"#)
    #expect(JSON.array([]).text == "[]")
  }
}
