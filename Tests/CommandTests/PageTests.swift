import Foundation
import Testing

/// Pages about output folders.
@Suite struct PageTests {
  private let folder = TemporaryFolder()

  /// Returns the values of the elements of a class in a page.
  private func data(_ name: String, of page: String) throws -> [Any] {
    let start = "<script type=\"application/json\" class=\"\(name)\">"
    return try page.split(separator: "\n").filter { $0.hasPrefix(start) }.map { line in
      let text = line.dropFirst(start.count).dropLast("</script>".count)
      return try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }
  }

  private func rows(of page: String) throws -> [[Any]] {
    try data("rows", of: page).flatMap { $0 as? [[Any]] ?? [] }
  }

  private func page(_ words: [String] = []) throws -> String {
    let result = try Respool.start(["report", folder("out")] + words).wait()
    #expect(result.status == 0, "\(result.errors)")
    return try String(contentsOfFile: folder("out/report.html"), encoding: .utf8)
  }

  @Test func `a page has totals, results, frames and reasons`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/clap.mp4")
    try folder.write("RIFF....WAVEfmt ", as: "in/broken.wav")
    let batch = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "web-480p", "--report",
      folder("out/report.html"))
    #expect(batch.status == 1, "\(batch.errors)")
    let page = try String(contentsOfFile: folder("out/report.html"), encoding: .utf8)
    let summary = try #require(try data("summary", of: page).first as? [String: Any])
    let counts = try #require(summary["counts"] as? [String: Int])
    #expect(counts["converted"] == 1 && counts["failed"] == 1, "\(counts)")
    #expect(summary["title"] as? String == "out" && summary["preset"] as? String == "web-480p")
    let clap = try #require(
      try rows(of: page).first { ($0[1] as? String)?.hasSuffix("clap.mp4") ?? false })
    #expect(clap[2] as? String == "../in/clap.mp4" && clap[3] as? String == "clap.mp4")
    #expect(clap[4] as? String == "converted")
    let settings = try #require(clap[7] as? [[String]])
    #expect(settings.contains { $0[0] == "video.encoder" && $0[1] == "x264" })
    #expect(clap[11] as? Double == 2)
    #expect((clap[12] as? [Any])?.last as? String == "h264")
    let pictures = try #require(clap[14] as? [String])
    for picture in pictures {
      let bytes = try #require(
        Data(base64Encoded: String(picture.dropFirst("data:image/jpeg;base64,".count))))
      #expect(bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == Data([0xFF, 0xD9]))
    }
    #expect((clap[15] as? [Int])?.max() ?? 0 > 10)
    let failed = try #require(try rows(of: page).first { $0[4] as? String == "failed" })
    #expect((failed[5] as? String)?.isEmpty == false && failed[3] is NSNull)
    // Readers without scripts get the failures too.
    #expect(page.contains("<noscript>\n<p>out: 1 converted, 0 copied, "))
    #expect(page.contains("/in/broken.wav</bdi>: "))
  }

  @Test func `the length of a file is that of its output`() throws {
    let whole = try #require(
      FileManager.default.contents(atPath: Respool.media + "/speech-mp3.mp3"))
    try FileManager.default.createDirectory(
      atPath: folder("in"), withIntermediateDirectories: true)
    // The file's header states the number of all frames.
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: folder("in/speech.mp3")))
    _ = try Respool.run("batch", folder("in"), "--to", folder("out"), "--preset", "opus-64k")
    let row = try #require(try rows(of: page()).first)
    let length = try #require(row[11] as? Double)
    let seen = try Running(
      [
        "/usr/bin/ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0",
        folder("out/speech.opus"),
      ], environment: Respool.environment, folder: nil
    ).wait().output
    let duration = try #require(Double(seen.trimmingCharacters(in: .newlines)))
    #expect(abs(length - duration) < 0.02)
  }

  private func batch(_ preset: String, _ more: [String] = []) throws {
    let result = try Respool.start(
      ["batch", folder("in"), "--to", folder("out"), "--preset", preset] + more
    ).wait()
    #expect(result.status == 0, "\(result.errors)")
  }

  private func summary(of page: String) throws -> [String: Any] {
    try #require(try data("summary", of: page).first as? [String: Any])
  }

  @Test func `outputs of several presets have details of their own`() throws {
    for name in ["a", "b"] { try folder.add("speech.wav", as: "in/\(name).wav") }
    try batch("opus-64k")
    try batch("mp3-128k")
    let page = try page()
    #expect(try summary(of: page)["presets"] as? Int == 2)
    let rows = try rows(of: page)
    #expect(rows.count == 4)
    for row in rows {
      let output = try #require(row[3] as? String)
      let codec = output.hasSuffix(".opus") ? "opus" : "mp3"
      #expect((row[13] as? [Any])?.last as? String == codec, "\(output)")
      #expect(row[16] as? String == output)
      #expect(row[18] as? String == (codec == "opus" ? "opus-64k" : "mp3-128k"))
      let settings = (row[7] as? [[String]] ?? []).filter { $0[0] == "container" }
      #expect(settings.first?[1] == (codec == "opus" ? "ogg" : "mp3"), "\(settings)")
    }
  }

  @Test func `photos have frames before and after`() throws {
    try folder.add("still.png", as: "in/photo.png")
    try batch("photo-jpeg")
    let row = try #require(try rows(of: page()).first)
    let frames = try #require(row[14] as? [String])
    #expect(frames.count == 2 && frames.allSatisfy { $0.hasPrefix("data:image/jpeg;base64,/9j") })
    let result = try Respool.run(
      "thumbnails", folder("in/photo.png"), "-o", folder("small-%02d.png"), "--count", "3",
      "--width", "32")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      TemporaryFolder.contents(of: folder.path).filter { $0.hasPrefix("small") } == ["small-01.png"]
    )
  }

  @Test func `a page says what became of sources and outputs since`() throws {
    for name in ["kept", "gone", "cut", "removed", "edited"] {
      try folder.add("speech.wav", as: "in/\(name).wav")
    }
    try batch("opus-64k")
    try FileManager.default.removeItem(atPath: folder("out/gone.opus"))
    try folder.write("cut", as: "out/cut.opus")
    try FileManager.default.removeItem(atPath: folder("in/removed.wav"))
    try folder.write("edited", as: "in/edited.wav")
    let rows = try rows(of: page())
    let marks = Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let name = ((row[1] as? String ?? "") as NSString).lastPathComponent
        return (name, row.count > 17 ? row[17] as? Int ?? 0 : 0)
      })
    #expect(
      marks == [
        "kept.wav": 0, "gone.wav": 4, "cut.wav": 8, "removed.wav": 16, "edited.wav": 32,
      ])
    for row in rows {
      // What is there no more is not linked, and what was changed is not looked into.
      let name = ((row[1] as? String ?? "") as NSString).lastPathComponent
      #expect(row[2] is NSNull == (name == "removed.wav"), "\(name)")
      #expect(row[3] is NSNull == (name == "gone.wav"), "\(name)")
      #expect(row[12] is NSNull == ["removed.wav", "edited.wav"].contains(name), "\(name)")
      #expect(row[13] is NSNull == ["gone.wav", "cut.wav"].contains(name), "\(name)")
    }
  }

  @Test func `outputs without an entry have unknown losses`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try batch("opus-64k")
    try FileManager.default.removeItem(atPath: folder("out/.respool"))
    try batch("opus-64k")
    let row = try #require(try rows(of: page()).first)
    #expect(row[17] as? Int == 64)
    let status = try Respool.run("status", folder("out"))
    #expect(
      status.output.contains("1 of them were found, and no batch is known to have made them"),
      "\(status.output)")
  }

  @Test func `a page of a batch that runs or was killed says so`() throws {
    try FileManager.default.createDirectory(
      atPath: folder("in"), withIntermediateDirectories: true)
    for number in 0..<6 { try folder.addLongSound(as: "in/\(number).wav", seconds: 600) }
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--jobs", "1",
      "--json",
    ])
    try batch.wait(until: "a file is done") { batch.output.contains("\"finished\"") }
    let live = try summary(of: page(["--looks", "0"]))
    #expect(live["live"] as? Bool == true && live["cut"] as? Bool == false, "\(live)")
    #expect(live["ended"] is Int)
    kill(-batch.identifier, SIGKILL)
    _ = try batch.wait()
    let page = try page(["--looks", "0"])
    let killed = try summary(of: page)
    #expect(killed["live"] as? Bool == false && killed["cut"] as? Bool == true, "\(killed)")
    #expect(killed["ended"] == nil && killed["started"] is Int)
    #expect(page.contains("The last batch was stopped before its end."))
  }

  @Test func `as many files are looked into as the user wants`() throws {
    for number in 0..<7 { try folder.add("speech.wav", as: "in/\(number).wav") }
    try batch("opus-64k")
    for looks in [0, 1, 4, 5, 7, 9] {
      let rows = try rows(of: page(["--looks", "\(looks)"]))
      #expect(rows.count { !($0[11] is NSNull) } == min(looks, 7), "\(looks)")
    }
  }

  @Test func `a page replaces pages only`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try batch("opus-64k")
    try folder.write("mine", as: "out/report.html")
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    let words = ["report", folder("out"), "--output"]
    for (path, message) in [
      (folder("in/a.wav"), "is no report"), (folder("out/.respool/ledger"), "is no report"),
      (folder("out/report.html"), "is no report"), (folder("pipe"), "is a pipe"),
      ("/dev/full", "is a device"), ("-", "--output takes a file"),
    ] {
      let result = try Respool.start(words + [path]).wait()
      #expect(result.status == 2 && result.errors.contains(message), "\(path): \(result)")
    }
    let usual = try Respool.run("report", folder("out"))
    #expect(usual.status == 2 && usual.errors.contains("is no report"), "\(usual)")
    let batch = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-64k", "--report",
      folder("in/a.wav"))
    #expect(batch.status == 2 && batch.errors.contains("is no report"), "\(batch)")
    let paths = ["in/a.wav", "out/report.html"]
    let sizes = paths.map { FileManager.default.contents(atPath: folder($0))?.count }
    let original = FileManager.default.contents(atPath: Respool.media + "/speech.wav")?.count
    #expect(sizes == [original, 4])
    for _ in 0..<2 {
      #expect(try Respool.start(words + [folder("page.html")]).wait().status == 0)
    }
  }

  @Test func `the page beside replaced sources is none of the next batch's files`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    let words = ["batch", folder("in"), "--replace", "--preset", "opus-64k", "--json"]
    #expect(try Respool.start(words).wait().status == 0)
    let report = try Respool.run("report", folder("in"))
    #expect(report.output == folder("in/.respool/report.html") + "\n", "\(report)")
    let rows = try rows(
      of: String(contentsOfFile: folder("in/.respool/report.html"), encoding: .utf8))
    #expect(rows.first?[19] as? String == "Its output has replaced the source; no original is kept")
    let again = try BatchRun(Respool.start(words).wait())
    #expect(again.status == 0 && again.outcome("report.html") == nil)
  }

  @Test func `a batch makes its page unless it has done nothing`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    let words = ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-64k", "--json"]
    let path = folder("out/.respool/report.html")
    #expect(try Respool.start(words).wait().status == 0)
    let page = try String(contentsOfFile: path, encoding: .utf8)
    let row = try #require(try rows(of: page).first)
    #expect(row[3] as? String == "../a.opus" && row[4] as? String == "converted")
    try FileManager.default.removeItem(atPath: path)
    #expect(try Respool.start(words).wait().status == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
    // A page that cannot be made changes no result.
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try folder.add("speech.wav", as: "in/b.wav")
    let last = try Respool.start(words).wait()
    #expect(last.status == 0 && last.errors.contains("the report cannot be made"), "\(last.errors)")
  }

  @Test func `names cannot become part of the page`() throws {
    let names = [
      "<script>alert(1)<\u{2044}script>.wav", "\"><img src=x onerror=alert(1)>.wav",
      "line\nbreak.wav", "right\u{202E}to left.wav", "&amp;.wav", "100%.wav", "\u{1F600}.wav",
    ]
    for name in names { try folder.add("speech.wav", as: "in/\(name)") }
    try folder.add("speech.wav", as: Array("in/bad ".utf8) + [0xFF] + Array(".wav".utf8))
    try folder.write("RIFF....WAVEfmt ", as: "in/<script>broken.wav")
    _ = try Respool.run("batch", folder("in"), "--to", folder("out"), "--preset", "opus-64k")
    let page = try page(["--looks", "0"])
    #expect(!page.contains("<script>alert") && !page.contains("<img src=x"))
    #expect(!page.contains("<script>broken") && page.contains("&lt;script&gt;broken.wav"))
    let rows = try rows(of: page)
    #expect(rows.count == names.count + 2)
    for name in names {
      let row = try #require(
        rows.first { ($0[1] as? String)?.hasSuffix("/" + name) ?? false }, "\(name)")
      let address = try #require(row[2] as? String)
      #expect(address.hasPrefix("../in/"))
      #expect(address.removingPercentEncoding == "../in/" + name)
      #expect(row[7] as? [String] == [])
    }
    let bad = try #require(rows.first { ($0[1] as? String)?.contains("bad ") ?? false })
    #expect(
      bad[2] as? String == "../in/bad%20%FF.wav"
        && (bad[1] as? String)?.hasSuffix("/bad \\xff.wav") ?? false)
  }

  @Test func `the policy of the page has the hashes of its script and style`() throws {
    let result = try Running(
      [
        "/usr/bin/env", "python3", "-c",
        "import generate as g; h = (g.PAGE / 'head.html').read_text('utf-8'); "
          + "print(all(v in h for v in g.hashes(h).values()))",
      ], environment: Respool.environment, folder: Respool.package + "/Tests/Page"
    ).wait()
    #expect(result.output == "True\n", "\(result.errors)")
  }

  @Test func `a folder without a ledger has no page`() throws {
    let result = try Respool.run("report", folder.path)
    #expect(result.status == 1 && result.errors.contains("no ledger"), "\(result.errors)")
  }
}
