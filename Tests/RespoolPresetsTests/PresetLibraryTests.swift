import Glibc
import RespoolMedia
import Testing

@testable import RespoolPresets
@testable import RespoolHost

@Suite struct PresetLibraryTests {
  static let audio = "container: mp4\naudio: {codec: aac}\n"

  @Test func `a user's preset takes precedence over an installed one with the same name`() throws {
    let user = try PresetFolder(["web.yaml": "summary: mine\n" + Self.audio])
    let installed = try PresetFolder([
      "web.yaml": "summary: theirs\n" + Self.audio, "other.yml": Self.audio,
    ])
    let library = PresetLibrary(folders: [
      .init(path: user.path, origin: .user), .init(path: installed.path, origin: .installed),
    ])
    #expect(try library.preset("web").summary == "mine")
    #expect(try library.preset("other").path == "\(installed.path)/other.yml")
    let entries = library.entries()
    #expect(entries.map(\.name) == ["other", "web", "web"])
    #expect(entries.map(\.summary) == ["", "mine", "theirs"])
    #expect(entries.map(\.shadowedBy) == [nil, nil, "\(user.path)/web.yaml"])
  }

  @Test func `a pipe among presets does not block`() throws {
    let folder = try PresetFolder(["web.yaml": Self.audio])
    try #require(mkfifo("\(folder.path)/pipe.yaml", 0o600) == 0)
    // The pipe is listed with the reason why it is not a preset.
    let entries = folder.library.entries()
    #expect(entries.map(\.name) == ["pipe", "web"])
    #expect(entries[0].summary.hasPrefix("cannot be read: "), "\(entries[0].summary)")
    #expect(throws: MediaError.self) { try folder.library.preset("pipe") }
    #expect(throws: MediaError.self) { try folder.library.preset("\(folder.path)/pipe.yaml") }
  }

  @Test func `a preset's identity is that of its content`() throws {
    let folder = try PresetFolder([
      "one.yaml": "# A comment.\nname: web\n" + Self.audio, "two.yaml": "name: web\n" + Self.audio,
      "other.yaml": "name: web\ncontainer: mp4\naudio: {codec: aac, bitrate: 64k}\n",
      "child.yaml": "extends: other\nname: web\n",
      "default.yaml": "name: web\ndefaultFor: [mp4, m4v]\n" + Self.audio,
    ])
    func identity(_ name: String) throws -> String {
      try folder.library.identity(of: "\(folder.path)/\(name).yaml")
    }
    #expect(try identity("one") == identity("two"))
    #expect(try identity("one") == identity("default"))
    #expect(try identity("one") != identity("other"))
    #expect(try identity("one") != identity("child"))
  }

  @Test func `the first preset that lists an extension is its default`() throws {
    let user = try PresetFolder([
      "b.yaml": "defaultFor: [mkv, mka]\n" + Self.audio, "a.yaml": "extends: b\n",
      "c.yaml": "defaultFor: mp4\n" + Self.audio,
    ])
    let installed = try PresetFolder([
      "film.yaml": "defaultFor: [mkv, mp4, webm]\n" + Self.audio,
      "c.yaml": "defaultFor:\n  - wav\n" + Self.audio,
    ])
    let library = PresetLibrary(folders: [
      .init(path: user.path, origin: .user), .init(path: installed.path, origin: .installed),
    ])
    let suffixes = ["mkv", "mka", "mp4", "webm", "wav", "ogg"]
    #expect(
      suffixes.map { library.defaultPreset(forExtension: $0) } == ["b", "b", "c", "film", "c", nil])
    #expect(try library.preset("a").defaultFor == [])
    #expect(try library.preset("b").defaultFor == ["mkv", "mka"])
  }

  @Test(arguments: [
    ("defaultFor: [MKV]", "defaultFor contains \"MKV\"; it takes extensions such as mkv"),
    ("defaultFor: [.mkv]", "defaultFor contains \".mkv\""),
    ("defaultFor: []", "defaultFor is an empty list"),
    ("defaultFor: [{a: b}]", "defaultFor is"),
  ])
  func `extensions are checked`(_ line: String, _ problem: String) throws {
    let folder = try PresetFolder(["x.yaml": "\(line)\n" + Self.audio])
    let problems = try folder.library.check("x").problems.map(\.description)
    #expect(problems.count == 1 && problems[0].contains(problem), "\(problems)")
  }

  @Test func `the presets of a plugin lie beside its file`() throws {
    let folder = try PresetFolder([:])
    let path = folder.path
    let (folders, files) = (
      ["librespool-Toy.presets", "librespool-Gone.presets", "other.presets"],
      ["librespool-Toy.so", "other.so"]
    )
    for name in folders { try #require(mkdir("\(path)/\(name)", 0o700) == 0) }
    for name in files { try folder.write("", to: name) }
    defer {
      for name in folders { rmdir("\(path)/\(name)") }
      for name in files { unlink("\(path)/\(name)") }
    }
    #expect(
      PluginSearchPath.presetFolders(in: .init(path)) == [
        "\(path)/librespool-Toy.presets", "\(path)/other.presets",
      ])
    #expect(
      PluginSearchPath.presetFolders(in: .init(path, isShared: true)) == [
        "\(path)/librespool-Toy.presets"
      ])
  }

  @Test func `a preset is also found by its name key`() throws {
    let folder = try PresetFolder(["file.yaml": "name: \"my preset\"\n" + Self.audio])
    #expect(try folder.library.preset("my preset").name == "my preset")
    #expect(folder.library.find("file") == nil)
  }

  @Test func `a user's preset comes first even if its file has another name`() throws {
    let user = try PresetFolder(["mine.yaml": "name: web\nsummary: mine\n" + Self.audio])
    let installed = try PresetFolder(["web.yaml": "summary: theirs\n" + Self.audio])
    let library = PresetLibrary(folders: [
      .init(path: user.path, origin: .user), .init(path: installed.path, origin: .installed),
    ])
    #expect(try library.preset("web").summary == "mine")
    // The preset that the list shows is the one that is used.
    let used = library.entries().first { $0.name == "web" && $0.shadowedBy == nil }
    #expect(used?.path == (try library.path(of: "web")))
  }

  @Test(arguments: ["wbe", "nothing like it"])
  func `a missing preset is an error and never another preset`(_ name: String) throws {
    let folder = try PresetFolder(["web.yaml": Self.audio])
    let error = #expect(throws: MediaError.self) { try folder.library.preset(name) }
    let advice = name == "wbe" ? "did you mean web?" : "a preset is one of web"
    #expect(error?.message.hasPrefix("there is no preset \(name); \(advice)") == true)
    #expect(throws: MediaError.self) { try folder.library.preset("\(folder.path)/\(name).yaml") }
  }

  @Test func `a preset overrides the one that it extends key by key`() throws {
    let folder = try PresetFolder([
      "base.yaml": """
      name: base
      container: mp4
      video: {codec: h264, quality: 20, size: 640x480, options: {preset: slow, bframes: 2}}
      audio: {codec: aac, bitrate: 160k}
      metadata: drop
      """,
      "rate.yaml": "extends: base\nvideo: {bitrate: 1.5M, options: {preset: fast}}\naudio: none\n",
      "codec.yaml": "extends: base\ncontainer: webm\nvideo: {codec: vp9}\naudio: {codec: opus}\n",
      "deep.yaml": "extends: rate\ncontainer: mkv\n",
    ])
    let rate = try folder.library.preset("rate", available: PluginFixtures.all)
    #expect(rate.name == "rate")
    #expect(rate.audio == nil)
    #expect(rate.metadata == .drop)
    let video = try #require(rate.video)
    #expect(video.quality == nil)
    #expect(video.bitRate == 1_500_000)
    #expect(video.size == .init(640, 480))
    #expect(video.options == [.init("preset", "fast"), .init("bframes", "2")])

    // Values for the other codec are not inherited.
    let codec = try folder.library.preset("codec", available: PluginFixtures.all)
    #expect(codec.video?.quality == nil)
    #expect(codec.video?.options == [])
    #expect(codec.video?.size == .init(640, 480))
    #expect(codec.audio?.bitRate == nil)

    let deep = try folder.library.preset("deep")
    #expect(deep.ancestors == ["rate", "base"])
    #expect(deep.container == "mkv")
  }

  @Test func `a user's preset may extend the installed one with its own name`() throws {
    let user = try PresetFolder(["web.yaml": "extends: web\naudio: {bitrate: 96k}\n"])
    let installed = try PresetFolder(["web.yaml": Self.audio])
    let library = PresetLibrary(folders: [
      .init(path: user.path, origin: .user), .init(path: installed.path, origin: .installed),
    ])
    #expect(try library.preset("web").audio?.bitRate == 96_000)
  }

  @Test func `a shown preset means the same`() throws {
    for name in PackagePresets.library.entries().map(\.name) {
      let folder = try PresetFolder(["shown.yaml": try PackagePresets.library.text(of: name)])
      var shown = try folder.library.preset("\(folder.path)/shown.yaml")
      let original = try PackagePresets.library.preset(name)
      shown.path = original.path
      shown.ancestors = original.ancestors
      #expect(shown == original)
    }
  }

  @Test func `a shown preset reports the origin of each line`() throws {
    let text = try PackagePresets.library.text(of: "web-720p")
    #expect(text.contains("\n  size: 1280x720\n"))
    #expect(text.contains("\n  quality: 21  # web-1080p\n"))
  }

  @Test(arguments: [
    ("name: a\nsummary: b c\n", "a", "b c"), ("summary: \"x: y\" # z\nname: 'q'\n", "q", "x: y"),
    ("name: a # comment\nsummary: a#b\n", "a", "a#b"),
    ("summary: >\n  two\n  lines\n", nil, "two lines\n"),
    ("summary: one\n  and two\n", nil, "one and two"),
    ("{name: flow, summary: \"t\\tb\"}\n", "flow", "t\tb"),
    ("\"name\": quoted\n", "quoted", nil), ("video:\n  name: inner\nnames: x\n", nil, nil),
    ("name: a\r\nsummary: b\r\n", "a", "b"), ("", nil, nil), ("name: \"it's\"\n", "it's", nil),
    ("summary: 'it''s'\n", nil, "it's"),
  ])
  func `name and summary are read without parsing the rest`(
    text: String, name: String?, summary: String?
  ) {
    let index = PresetIndex(text: text, file: "t.yaml")
    #expect(index.name == name)
    #expect(index.summary == summary)
  }

  @Test(arguments: [
    ("qualty", "quality"), ("framerate", "frameRate"), ("codce", "codec"), ("bit-rate", "bitrate"),
    ("xyz", nil), ("", nil), ("passthru", "passthrough"),
  ])
  func `the nearest spelling is found`(word: String, nearest: String?) {
    #expect(Spelling.nearest(to: word, among: PresetKey.video.map(\.name)) == nearest)
  }

  @Test func `exchanged letters are one mistake`() {
    #expect(Spelling.distance("codec", "cdoec") == 1)
    #expect(Spelling.distance("a", "") == 1)
    #expect(Spelling.distance("Web", "web") == 0)
  }
}
