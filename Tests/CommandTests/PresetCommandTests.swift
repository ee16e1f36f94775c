import Foundation
import Testing

/// Commands that find, compare and make presets.
@Suite struct PresetCommandTests {
  private let folder = TemporaryFolder()

  private var home: [String] { ["XDG_CONFIG_HOME=\(folder.path)"] }

  private func names(_ arguments: String...) throws -> [String] {
    let result = try Respool.start(["presets", "list"] + arguments, environment: home).wait()
    #expect(result.status == 0)
    // Names are indented below those of groups.
    return result.output.split(separator: "\n").filter { $0.hasPrefix("  ") }.map {
      String($0.split(separator: " ").first ?? "")
    }
  }

  @Test func `presets are found by codec, container and words`() throws {
    #expect(try Set(names("--codec", "av1")) == Set(names("av1") + ["photo-avif"]))
    #expect(try names("--codec", "av1").contains("av1-1080p"))
    #expect(try names("--codec", "mp3") == ["mp3-128k", "mp3-320k", "mp3-v2", "podcast"])
    #expect(try names("devices", "roku") == ["roku-1080p", "roku-2160p"])
    let matroska = try names("--container", "matroska")
    #expect(try names("--container", "mkv") == matroska)
    #expect(matroska.contains("archive-mkv") && !matroska.contains("web-720p"))
    #expect(try names("lossless", "WAV") == ["w64", "wav"])
    #expect(try names("--container", "m4a").contains("audiobook"))
    let none = try Respool.run("presets", "list", "--codec", "av2", "nothing")
    #expect(none.status == 0 && none.output.isEmpty)
    #expect(none.errors.contains("no preset has \"nothing\", codec av2"))
  }

  @Test func `a list for programs has codecs and containers`() throws {
    let document = try Respool.run("presets", "list", "--json", "--codec", "av1").object()
    let presets = try #require(document["presets"] as? [[String: Any]])
    #expect(presets.count > 1 && presets.allSatisfy { $0["video"] as? String == "av1" })
    let webm = try #require(presets.first { $0["name"] as? String == "av1-1080p" })
    #expect(webm["container"] as? String == "webm")
    #expect(webm["group"] as? String == "web")
    #expect(webm["missing"] == nil)
  }

  @Test func `presets that need a missing plugin are marked`() throws {
    let installation = try Installation(["PCM", "Wave"])
    let list = try installation.run(["presets", "list"]).output
    let lines = list.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("  wav ") && $0.contains("Lossless PCM in WAV") })
    #expect(lines.contains { $0.hasPrefix("  flac ") && $0.contains("(cannot be used: no plugin") })
  }

  @Test func `the settings in which two presets differ are shown`() throws {
    let result = try Respool.run("presets", "show", "--diff", "mp3-v2", "mp3-320k")
    #expect(result.status == 0)
    let rows = result.output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    }
    #expect(rows.first == ["mp3-v2", "mp3-320k"])
    #expect(rows.contains(["audio.quality", "2", "-"]))
    #expect(rows.contains(["audio.bitrate", "-", "320k"]))
    #expect(!rows.contains { $0.first == "container" || $0.first == "audio.codec" })
    let same = try Respool.run("presets", "show", "--diff", "wav", "wav")
    #expect(same.output == "wav and wav have the same settings\n")
    #expect(try Respool.run("presets", "show", "--diff", "wav").status != 0)
    #expect(try Respool.run("presets", "show", "wav", "flac").status != 0)
  }

  @Test func `a new preset changes another one`() throws {
    let result = try Respool.run(
      "presets", "new", "mine", "--from", "web-720p", "--set", "video.quality=20", "--set",
      "audio.bitrate=192k", "--set", "video.options.preset=slow", environment: home)
    #expect(result.status == 0, "\(result.errors)")
    let path = folder("respool/presets/mine.yaml")
    #expect(result.output == "\(path)\n")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("# yaml-language-server: $schema=/"))
    #expect(text.contains("extends: web-720p\n"))
    let schema = text.split(separator: "\n")[0].split(separator: "=")[1]
    #expect(FileManager.default.fileExists(atPath: String(schema)))
    #expect(try Respool.run("presets", "validate", "mine", environment: home).status == 0)
    let difference = try Respool.run(
      "presets", "show", "--diff", "web-720p", "mine", environment: home
    ).output
    for key in ["video.quality", "audio.bitrate", "video.options.preset"] {
      #expect(difference.contains("\n\(key) "), "\(difference)")
    }
    let again = try Respool.run(
      "presets", "new", "mine", "--from", "wav", environment: home)
    #expect(again.status != 0 && again.errors.contains("already exists"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func `a preset that hides another one is named`() throws {
    let hiding = try Respool.run(
      "presets", "new", "opus-64k", "--from", "opus-128k", environment: home)
    #expect(
      hiding.status == 0 && hiding.output.contains("hides the preset of the same name, "),
      "\(hiding)")
    let elsewhere = try Respool.run(
      "presets", "new", "flac", "--from", "wav", "--to", folder("other"), environment: home)
    #expect(elsewhere.status == 0 && !elsewhere.output.contains("hides"), "\(elsewhere)")
  }

  @Test(arguments: [
    (["mine", "--from", "web-720p", "--set", "video.quality=900"], "quality"),
    (["mine", "--from", "web-720p", "--set", "video.qality=20"], "quality"),
    (["mine", "--from", "web-721p"], "did you mean"), (["../x", "--from", "wav"], "cannot be"),
    (["wav", "--from", "wav"], "other than"),
    (["mine", "--from", "wav", "--set", "x"], "key=value"),
  ])
  func `what is not valid is not written`(_ arguments: [String], _ words: String) throws {
    let result = try Respool.start(["presets", "new"] + arguments, environment: home).wait()
    #expect(result.status != 0)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("respool")))
  }

  @Test func `a terminal is asked until the answer is valid`() throws {
    // `script` gives the command a terminal.
    let command = "\(Respool.executable) presets new mine --from web-720p"
    let result = try Running(
      [
        "/bin/sh", "-c",
        "printf '\\n900\\n23\\n\\n\\n\\n\\n\\n' | script -qec '\(command)' /dev/null",
      ], environment: Respool.environment + home + ["TERM=dumb"], folder: nil
    ).wait()
    #expect(result.output.contains("video.quality [21]: "), "\(result.output)")
    let text = try String(contentsOfFile: folder("respool/presets/mine.yaml"), encoding: .utf8)
    #expect(text.contains("video:\n  quality: 23\n"), "\(text)")
    #expect(!text.contains("900"))
  }
}
