import Foundation
import Testing

/// `thumbnails` and `waveform` over folders, posters, and their documents.
@Suite struct FolderRunTests {
  private let folder = TemporaryFolder()

  private func size(_ name: String) throws -> [Int] {
    let document = try Respool.run("inspect", "--json", folder(name)).object()
    let file = try #require((document["files"] as? [[String: Any]])?.first)
    let track = try #require((file["tracks"] as? [[String: Any]])?.first)
    return [try #require(track["width"] as? Int), try #require(track["height"] as? Int)]
  }

  @Test(arguments: ["poster.png", "poster.jpg", "poster.jpeg"])
  func `a poster is as large as the film`(_ name: String) throws {
    let clip = Respool.media + "/portrait.mov"
    let result = try Respool.run("thumbnails", clip, "-o", folder(name), "--at", "0:01.2", "--json")
    #expect(result.status == 0, "\(result.errors)")
    let document = try result.object()
    #expect(document["status"] as? String == "converted")
    #expect(document["times"] as? [Double] == [1.2])
    #expect(document["width"] as? Int == 180 && document["height"] as? Int == 320)
    #expect(try size(name) == [180, 320])
    let bytes = try #require(FileManager.default.contents(atPath: folder(name)))
    #expect(bytes.starts(with: name.hasSuffix("png") ? [0x89, 0x50] : [0xFF, 0xD8, 0xFF]))
    let small = try Respool.run(
      "thumbnails", clip, "-o", folder(name), "--at", "1", "--width", "90", "--replace")
    #expect(small.status == 0)
    #expect(try size(name) == [90, 160])
  }

  @Test func `a poster after the end is rejected`() throws {
    let result = try Respool.run(
      "thumbnails", Respool.media + "/portrait.mov", "-o", folder("a.png"), "--at", "10")
    #expect(result.status == 2)
    #expect(result.errors.contains("the video ends at 2.0 s"), "\(result.errors)")
    #expect(folder.contents.isEmpty)
  }

  /// PNG is lossless, so the JPEG differs from it only by its own loss.
  @Test func `JPEG has the colors of the PNG`() throws {
    for name in ["a.png", "a.jpg"] {
      let result = try Respool.run(
        "thumbnails", Respool.media + "/pattern-h264.mp4", "-o", folder(name), "--at", "1")
      try #require(result.status == 0, "\(result.errors)")
    }
    let compared = try Running(
      [
        "/usr/bin/ffmpeg", "-i", folder("a.png"), "-i", folder("a.jpg"), "-lavfi",
        "[0]format=rgb24[a];[1]format=rgb24[b];[a][b]psnr", "-f", "null", "-",
      ], environment: Respool.environment, folder: nil
    ).wait()
    let average = compared.errors.firstMatch(of: /average:([0-9.]+)/).flatMap { Double($0.1) }
    #expect(try #require(average, "\(compared.errors)") > 30)
  }

  @Test func `numbered names create their folder`() throws {
    let result = try Respool.run(
      "thumbnails", Respool.media + "/portrait.mov", "-o", folder("stills/all/%03d.jpg"), "--count",
      "2")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      folder.contents == ["stills", "stills/all", "stills/all/001.jpg", "stills/all/002.jpg"])
  }

  private func addTree() throws {
    for (clip, name) in [
      ("portrait.mov", "in/a.mov"), ("speech.wav", "in/deep/b.wav"), ("notes.txt", "in/c.txt"),
      ("clap-and-flash.mp4", "in/deep/d.mp4"), ("notes.txt", "in/broken.mp4"),
    ] { try folder.add(clip, as: name) }
    // A file that starts with `ftyp` and ends in a damaged movie box.
    try Data([0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0, 0xFF] + Array("moov".utf8))
      .write(to: URL(fileURLWithPath: folder("in/broken.mp4")))
  }

  @Test func `thumbnails of a folder keep its tree`() throws {
    try addTree()
    let result = try Respool.run(
      "thumbnails", folder("in"), "--to", folder("out"), "--count", "2", "--format", "jpeg",
      "--json")
    #expect(result.status == 1)
    let events = try result.events()
    let status = Dictionary(
      uniqueKeysWithValues: events.dropLast().map {
        (
          ($0["input"] as? String ?? "").split(separator: "/").last.map(String.init) ?? "",
          $0["status"] as? String
        )
      })
    #expect(
      status == [
        "a.mov": "converted", "b.wav": "skipped", "c.txt": "skipped", "d.mp4": "converted",
        "broken.mp4": "failed",
      ])
    let summary = try #require(events.last)
    #expect(summary["event"] as? String == "summary")
    #expect(summary["converted"] as? Int == 2 && summary["failed"] as? Int == 1)
    #expect(
      TemporaryFolder.contents(of: folder("out")) == ["a.jpg", "deep", "deep/d.jpg"])
    let again = try Respool.run(
      "thumbnails", folder("in"), "--to", folder("out"), "--format", "jpg")
    #expect(again.errors.contains("a.mov: the output already exists"), "\(again.errors)")
  }

  /// No record exists for sheets, so an old one is reported and not replaced without `--replace`.
  @Test func `outputs that are old or empty are skipped with that reason`() throws {
    for name in ["old", "empty"] { try folder.add("clap-and-flash.mp4", as: "in/\(name).mp4") }
    try folder.write("a sheet", as: "out/old.jpg")
    try folder.write("", as: "out/empty.jpg")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: folder("out/old.jpg"))
    func run(_ option: String = "--count=2") throws -> Respool.Result {
      try Respool.run("thumbnails", folder("in"), "--to", folder("out"), "--format", "jpg", option)
    }
    let result = try run()
    #expect(result.errors.contains("older than the file; --replace"), "\(result.errors)")
    #expect(result.errors.contains("already exists and is empty; --replace"), "\(result.errors)")
    #expect(try run("--replace").status == 0)
    let sheet = try Data(contentsOf: URL(fileURLWithPath: folder("out/old.jpg")))
    #expect(sheet.starts(with: [0xFF, 0xD8]))
  }

  @Test func `waveforms of a folder keep its tree`() throws {
    try addTree()
    let result = try Respool.run(
      "waveform", folder("in"), "-o", folder("out"), "--format", "svg", "--size", "200x50")
    #expect(result.status == 1)
    #expect(
      result.errors.contains("skipped  \(folder("in/c.txt")): no plugin recognizes the format"))
    #expect(
      TemporaryFolder.contents(of: folder("out"))
        == ["a.svg", "deep", "deep/b.svg", "deep/d.svg"])
    let drawing = try String(contentsOfFile: folder("out/deep/b.svg"), encoding: .utf8)
    #expect(drawing.contains("width=\"200\""))
  }

  @Test(arguments: [["thumbnails", "--to"], ["waveform", "-o"]])
  func `empty files and links are skipped with reasons that fit the command`(_ words: [String])
    throws
  {
    try folder.add("clap-and-flash.mp4", as: "in/a.mp4")
    try folder.write("", as: "in/empty.mp4")
    try folder.add("clap-and-flash.mp4", as: "elsewhere/b.mp4")
    try FileManager.default.createSymbolicLink(
      atPath: folder("in/away"), withDestinationPath: "../elsewhere")
    let result = try Respool.start([words[0], folder("in"), words[1], folder("out")]).wait()
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("skipped  \(folder("in/empty.mp4")): the file is empty"))
    #expect(
      result.errors.contains("\(folder("in/away")): a link to a folder; name it as an input"))
    #expect(!result.errors.contains("--follow-links"))
    #expect(TemporaryFolder.contents(of: folder("out")) == ["a.png"])
  }

  @Test func `every command that makes a file has a JSON document`() throws {
    let clip = Respool.media + "/clap-and-flash.mp4"
    for (arguments, status, keys) in [
      (["convert", clip, folder("a.mkv")], "copied", ["preset", "container", "duration"]),
      (["convert", clip, folder("a.opus")], "converted", ["losses", "plugins"]),
      (["concat", clip, clip, folder("b.mp4"), "--preset", "remux-mp4"], "copied", ["inputs"]),
      (["waveform", clip, "-o", folder("a.dat")], "converted", ["bins", "sampleRate"]),
      (["thumbnails", clip, "-o", folder("a.png")], "converted", ["images", "times"]),
    ] {
      let result = try Respool.start(arguments + ["--json"]).wait()
      #expect(result.status == 0, "\(result.errors)")
      let document = try result.object()
      #expect(document["status"] as? String == status, "\(arguments)")
      for key in keys + ["output", "seconds"] { #expect(document[key] != nil, "\(key)") }
    }
    let failed = try Respool.run("convert", folder("none.mp4"), folder("c.mp4"), "--json")
    #expect(failed.status == 1)
    let document = try failed.object()
    #expect(document["status"] as? String == "failed")
    #expect((document["error"] as? String)?.contains("none.mp4") == true)
  }
}
