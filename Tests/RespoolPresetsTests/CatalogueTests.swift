import RespoolMedia
import Testing

@testable import RespoolHost
@testable import RespoolPresets

/// The presets of the package: groups, names that state what they are, and limits.
@Suite struct CatalogueTests {
  private static let library = PackagePresets.library

  @Test func `groups are folders`() throws {
    let folder = try PresetFolder(["a.yaml": PresetLibraryTests.audio])
    let other = try PresetFolder(["c.yaml": PresetLibraryTests.audio, "a.yaml": "summary: x\n"])
    try folder.link(other, as: "group")
    let entries = folder.library.entries()
    #expect(entries.map(\.name) == ["a", "a", "c"])
    #expect(entries.map(\.group) == [nil, "group", "group"])
    #expect(entries.map { $0.shadowedBy == nil } == [true, false, true])
    #expect(try folder.library.preset("c").path == "\(folder.path)/group/c.yaml")
    #expect(try folder.library.preset("a").path == "\(folder.path)/a.yaml")
  }

  @Test func `each preset has a group, a summary and its own name`() {
    let entries = Self.library.entries()
    #expect(
      Set(entries.compactMap(\.group)) == [
        "archive", "audio", "devices", "general", "production", "proxies", "remux", "share",
        "stills",
        "web",
      ])
    for entry in entries {
      #expect(entry.group != nil && entry.shadowedBy == nil, "\(entry.path)")
      #expect(!entry.summary.isEmpty && entry.summary.count <= 100, "\(entry.path)")
      #expect(entry.path.hasSuffix("/\(entry.name).yaml"))
    }
  }

  @Test(arguments: ["h264", "hevc", "av1"], ["480p", "720p", "1080p", "2160p"])
  func `general presets are what their names state`(codec: String, lines: String) throws {
    let size = [
      "480p": Preset.Size(854, 480), "720p": .init(1280, 720), "1080p": .init(1920, 1080),
      "2160p": .init(3840, 2160),
    ][lines]
    let presets = try ["fast", "balanced", "small"].map {
      try Self.library.preset("\(codec)-\($0)-\(lines)", available: PluginFixtures.ofPackage)
    }
    for preset in presets {
      #expect(preset.container == "mp4")
      #expect(preset.video?.codec == codec)
      #expect(preset.video?.size == size)
      #expect(preset.audio?.codec == "aac")
      #expect(preset.summary.contains(size?.description ?? "-"))
    }
    // Small files have a higher number on the scale, which is a lower quality, and a slower encoder.
    let qualities = presets.compactMap(\.video?.quality)
    #expect(qualities[2] > qualities[1] + 4)
    let order = ["10", "8", "6", "veryfast", "medium", "slow"]
    let speeds = presets.compactMap { preset in
      preset.video?.options.last { $0.name == "preset" }.flatMap { order.firstIndex(of: $0.value) }
    }
    #expect(speeds.count == 3 && speeds == speeds.sorted())
  }

  @Test(arguments: [("share-8mb", 8), ("share-10mb", 10), ("share-25mb", 25)])
  func `long clips of limited size get smaller frames`(name: String, megabytes: Int64) throws {
    let preset = try Self.library.preset(name, available: PluginFixtures.ofPackage)
    #expect(preset.fileSizeLimit == megabytes * 1_000_000)
    var heights: [Int] = []
    for seconds: Int64 in [10, 12 * megabytes, 30 * megabytes, 3600] {
      let media = SourceFixtures.media(
        SourceFixtures.video(1920, 1080), SourceFixtures.audio(48000, .stereo), seconds: seconds)
      let settings = try PresetResolver.resolve(
        preset: preset, source: media, available: PluginFixtures.ofPackage)
      for case .convertVideo(let video) in settings.tracks.map(\.action) {
        heights.append(video.height)
      }
      #expect(
        settings.decisions.first { $0.setting.description == "fileSizeLimit" }?.value
          == "\(megabytes * 1_000_000) bytes")
    }
    #expect(heights == [720, 480, 360, 240])
  }

  @Test(arguments: [
    ("8M", 8_000_000), ("10MB", 10_000_000), ("2GiB", 2_147_483_648), ("123456", 123_456),
    ("1.5M", 1_500_000), ("9k", nil), ("big", nil), ("-8M", nil), ("8X", nil), ("1e9", nil),
  ])
  func `limits of sizes are read`(text: String, bytes: Int64?) throws {
    let folder = try PresetFolder(["p.yaml": "fileSizeLimit: \(text)\n" + PresetLibraryTests.audio])
    let check = try folder.library.check("p")
    #expect(check.preset?.fileSizeLimit == bytes)
    #expect((check.problems.count == 1) == (bytes == nil))
  }
}
