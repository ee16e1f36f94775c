import Foundation
import Testing

@Suite(.serialized) struct ListTests {
  @Test func `presets are listed as JSON`() throws {
    let result = try Respool.run("presets", "list", "--json")
    #expect(result.status == 0)
    let presets = try #require(try result.object()["presets"] as? [[String: Any]])
    let names = presets.compactMap { $0["name"] as? String }
    #expect(
      Set(names).isSuperset(of: [
        "web-1080p", "web-720p", "web-480p", "webm-1080p", "webm-720p", "opus-128k", "aac-160k",
        "wav", "remux-mp4", "remux-mkv",
      ]))
    #expect(names == names.sorted())
    for preset in presets {
      #expect((preset["summary"] as? String)?.isEmpty == false)
      let path = try #require(preset["path"] as? String)
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `the quick list is that of the parser`() throws {
    // The argument `--` has no effect but makes the command use the argument parser.
    #expect(
      try Respool.run("presets", "list").output == Respool.run("presets", "list", "--").output)
    #expect(
      try Respool.run("presets", "list", "--json").output
        == Respool.run("presets", "list", "--json", "--").output)
  }

  @Test func `presets of the user come first`() throws {
    let folder = TemporaryFolder()
    let presets = folder("respool/presets")
    try FileManager.default.createDirectory(
      atPath: presets, withIntermediateDirectories: true)
    let text = "name: wav\nsummary: mine\ncontainer: wav\naudio: {codec: pcm_s16le}\n"
    try text.write(toFile: presets + "/wav.yaml", atomically: true, encoding: .utf8)
    let result = try Respool.run(
      "presets", "list", "--json", environment: ["XDG_CONFIG_HOME=\(folder.path)"])
    let listed = try #require(try result.object()["presets"] as? [[String: Any]])
    let mine = listed.filter { $0["name"] as? String == "wav" }
    #expect(mine.count == 1)
    #expect(mine.first?["summary"] as? String == "mine")
  }

  @Test func `invalid presets are marked`() throws {
    let folder = TemporaryFolder()
    for (name, text) in [
      ("key", "summary: mine\ncontainer: mp4\nvidoe: {codec: h264}\n"),
      ("value", "container: mp4\nvideo: {codec: h264, quality: good}\nsize: 1\n"),
      ("good", "summary: fine\ncontainer: wav\naudio: {codec: pcm_s16le}\n"),
    ] { try folder.write(text, as: "respool/presets/\(name).yaml") }
    let home = ["XDG_CONFIG_HOME=\(folder.path)"]
    let document = try Respool.run("presets", "list", "--json", environment: home).object()
    let presets = try #require(document["presets"] as? [[String: Any]])
    let problems = presets.compactMap { preset in
      (preset["problem"] as? String).map { (preset["name"] as? String ?? "", $0) }
    }
    #expect(problems.map(\.0) == ["key", "value"])
    // `presets validate` reports the same problems.
    for (name, problem) in problems {
      let check = try Respool.run("presets", "validate", name, environment: home)
      #expect(check.status == 1)
      #expect(check.output.split(separator: "\n").first.map(String.init) == problem)
    }
    let text = try Respool.run("presets", "list", environment: home)
    #expect(text.status == 0)
    for (name, problem) in problems {
      #expect(text.output.contains("(not valid: \(problem))"), "\(name): \(text.output)")
    }
    #expect(text.output.contains("fine (yours: "))
  }

  @Test func `plugins are listed as JSON`() throws {
    let result = try Respool.run("plugins", "list", "--json")
    #expect(result.status == 0)
    let plugins = try #require(try result.object()["plugins"] as? [[String: Any]])
    var provided: Set<String> = []
    for plugin in plugins {
      for key in ["name", "path", "version", "license", "status"] {
        #expect(plugin[key] is String, "\(key) of \(plugin)")
      }
      #expect(plugin["status"] as? String == "ok", "\(plugin["reason"] ?? "")")
      for factory in plugin["provides"] as? [[String: String]] ?? [] {
        provided.insert("\(factory["kind"] ?? "") \(factory["name"] ?? "")")
      }
    }
    #expect(
      provided.isSuperset(of: [
        "demuxer mp4", "muxer mp4", "muxer webm", "muxer matroska", "demuxer ogg", "muxer ogg",
        "demuxer wav", "muxer wav", "encoder x264", "encoder vpx", "encoder opus", "encoder aac",
        "encoder x265", "encoder svtav1", "decoder dav1d",
      ]))
  }

  @Test func `a broken plugin is listed with its reason and shadows nothing`() throws {
    let folder = TemporaryFolder()
    try "text".write(toFile: folder("libmine.so"), atomically: true, encoding: .utf8)
    let result = try Respool.run(
      "plugins", "list", "--json", environment: ["RESPOOL_PLUGIN_PATH=\(folder.path)"])
    #expect(result.status == 0)
    let plugins = try #require(try result.object()["plugins"] as? [[String: Any]])
    let failed = plugins.filter { $0["status"] as? String == "failed" }
    #expect(failed.map { $0["path"] as? String } == [folder("libmine.so")])
    #expect((failed.first?["reason"] as? String)?.isEmpty == false)
    #expect(plugins.count { $0["status"] as? String == "ok" } > 5)
  }

  @Test func `README shows the formats of the plugins`() throws {
    let table = try Respool.run("plugins", "list", "--markdown")
    #expect(table.status == 0)
    try Readme.expect(table.output, between: "<!-- formats -->", and: "<!-- end of formats -->")
  }

  @Test func `README shows the presets`() throws {
    let result = try Respool.run("presets", "list", "--json")
    let presets = try #require(try result.object()["presets"] as? [[String: Any]])
    func group(_ preset: [String: Any]) -> String { preset["group"] as? String ?? "" }
    let rows = Set(presets.map(group)).sorted().flatMap { name in
      presets.filter { group($0) == name }.map { preset in
        let ratios = ["relativeSize", "relativeSpeed"].map { key in
          preset[key].map { "\($0)" } ?? ""
        }
        return "| \(name) | `\(preset["name"] ?? "")` | \(preset["summary"] ?? "") | \(ratios[0]) "
          + "| \(ratios[1]) |\n"
      }
    }
    try Readme.expect(
      "| group | preset | what it makes | size | speed |\n| --- | --- | --- | --- | --- |\n"
        + rows.joined(),
      between: "<!-- presets -->", and: "<!-- end of presets -->")
  }
}

/// The parts of README.md that are generated from the build; RECORD_SNAPSHOTS=1 writes them again.
private enum Readme {
  static func expect(_ text: String, between start: String, and end: String) throws {
    let path = Respool.package + "/README.md"
    let readme = try String(contentsOfFile: path, encoding: .utf8)
    let from = try #require(readme.range(of: start + "\n")).upperBound
    let to = try #require(readme.range(of: end, range: from..<readme.endIndex)).lowerBound
    if Snapshot.isRecording {
      let changed = readme[..<from] + text + readme[to...]
      try String(changed).write(toFile: path, atomically: true, encoding: .utf8)
      return
    }
    #expect(String(readme[from..<to]) == text, "RECORD_SNAPSHOTS=1 writes it anew")
  }
}
