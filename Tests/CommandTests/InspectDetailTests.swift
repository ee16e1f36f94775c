import Foundation
import Testing

/// `inspect` for the color, rotation, field order, titles, chapters and attachments of a file.
@Suite struct InspectDetailTests {
  private let folder = TemporaryFolder()

  private func make(_ name: String, _ arguments: String...) throws {
    let result = try Running(
      ["/usr/bin/ffmpeg", "-v", "error"] + arguments + [folder(name)],
      environment: Respool.environment, folder: nil
    ).wait()
    try #require(result.status == 0, "\(result.errors)")
  }

  private func tracks(_ name: String) throws -> [[String: Any]] {
    let document = try Respool.run("inspect", "--json", folder(name)).object()
    let file = try #require((document["files"] as? [[String: Any]])?.first)
    return try #require(file["tracks"] as? [[String: Any]])
  }

  @Test func `colors and field order are shown`() throws {
    try make(
      "hlg.mkv", "-f", "lavfi", "-i", "testsrc2=size=160x96:rate=25:duration=0.4", "-vf",
      "format=yuv420p,setfield=tff", "-c:v", "libx264", "-flags", "+ilme+ildct", "-color_primaries",
      "bt2020", "-color_trc", "arib-std-b67", "-colorspace", "bt2020nc", "-color_range", "tv")
    let text = try Respool.run("inspect", folder("hlg.mkv")).output
    #expect(text.contains("interlaced, "), "\(text)")
    #expect(
      text.contains(
        "color: primaries bt2020, transfer arib-std-b67 (HLG), matrix bt2020nc, limited range"))
    let track = try #require(try tracks("hlg.mkv").first)
    #expect(
      track["color"] as? [String: String] == [
        "primaries": "bt2020", "transfer": "arib-std-b67", "matrix": "bt2020nc",
        "range": "limited",
      ])
    #expect((track["fieldOrder"] as? String)?.hasSuffix("field first") == true)
    #expect((track["dynamicRange"] as? [String: Any])?["transfer"] as? String == "HLG")
  }

  @Test func `rotation is shown`() throws {
    let text = try Respool.run("inspect", Respool.media + "/portrait.mov").output
    #expect(text.contains("rotated 270 degrees clockwise"), "\(text)")
  }

  @Test func `titles, chapters and attachments are shown`() throws {
    try folder.add("notes.txt", as: "font.ttf")
    let chapters = ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=Opening\n"
    try chapters.write(toFile: folder("chapters.txt"), atomically: true, encoding: .utf8)
    try make(
      "film.mkv", "-i", Respool.media + "/clap-and-flash.mp4", "-i", folder("chapters.txt"),
      "-attach", folder("font.ttf"), "-metadata:s:t", "mimetype=font/ttf", "-map", "0",
      "-map_metadata",
      "1", "-c", "copy", "-metadata:s:a:0", "title=Commentary", "-metadata:s:a:0", "language=fra")
    let text = try Respool.run("inspect", folder("film.mkv")).output
    #expect(text.contains("title: Commentary"), "\(text)")
    #expect(text.contains("filename: font.ttf"))
    #expect(text.contains("chapter 0.0 s to 1.0 s: Opening"))
    let tracks = try tracks("film.mkv")
    #expect(tracks[1]["title"] as? String == "Commentary")
    #expect(tracks[1]["language"] as? String == "fra" || tracks[1]["language"] as? String == "fre")
    #expect(tracks.last?["fileName"] as? String == "font.ttf")
    #expect(tracks.last?["type"] as? String == "attachment")
  }

  @Test func `control characters of tags and names are escaped`() throws {
    let title = "\u{1B}]0;owned\u{7}\u{9B}31m\u{202E}txt\nvideo 9: fake"
    try make(
      "a.mkv", "-i", Respool.media + "/speech.wav", "-metadata", "title=\(title)",
      "-metadata:s:a:0", "title=\(title)", "-c", "copy")
    let name = "x\u{1B}[2J\n\u{202E}.mkv"
    try FileManager.default.moveItem(atPath: folder("a.mkv"), toPath: folder(name))
    func isClean(_ text: String) -> Bool {
      !text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" }
        && !text.contains("\u{202E}")
    }
    let text = try Respool.run("inspect", folder(name)).output
    #expect(isClean(text) && text.contains("\\x1b]0;owned\\x07"), "\(text)")
    #expect(!text.contains("\nvideo 9") && text.contains("x\\x1b[2J\\x0a\\u{202e}.mkv"))
    let json = try Respool.run("inspect", "--json", folder(name))
    #expect(isClean(json.output))
    let file = try #require((try json.object()["files"] as? [[String: Any]])?.first)
    #expect((file["metadata"] as? [String: String])?["title"] == title)
    for arguments in [
      ["inspect", folder("none" + name)], ["hash", folder("none" + name)],
      ["convert", folder("none" + name), folder("out.mkv")],
      ["presets", "validate", folder("none" + name) + ".yaml"],
      ["presets", "explain", "wav", folder("none" + name)],
      ["batch", folder(name), "--to", folder("out"), "--preset", "opus-128k", "--dry-run"],
    ] {
      let result = try Respool.start(arguments).wait()
      #expect(isClean(result.output) && isClean(result.errors), "\(arguments): \(result.errors)")
    }
  }
}
