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
