import Foundation
import Testing

/// `--strict` of the commands that make one output.
@Suite struct StrictConversionTests {
  private let folder = TemporaryFolder()

  private func run(_ words: String...) throws -> Respool.Result {
    try Respool.start(words).wait()
  }

  @Test func `a loss fails a strict conversion, and the output stays as it was`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/a.mp4")
    try folder.write("mine", as: "out/a.opus")
    let words = [
      "convert", folder("in/a.mp4"), folder("out/a.opus"), "--preset", "opus-64k", "--replace",
    ]
    let strict = try Respool.start(words + ["--strict", "--json"]).wait()
    #expect(strict.status == 1)
    #expect(strict.errors.contains("something would be lost: "), "\(strict.errors)")
    #expect(strict.errors.contains("video"), "\(strict.errors)")
    #expect(strict.output.contains("\"status\": \"failed\""), "\(strict.output)")
    #expect(try String(contentsOfFile: folder("out/a.opus"), encoding: .utf8) == "mine")
    #expect(TemporaryFolder.contents(of: folder("out")) == ["a.opus"])
    let usual = try Respool.start(words).wait()
    #expect(usual.status == 0, "\(usual.errors)")
    #expect(FileManager.default.contents(atPath: folder("out/a.opus"))?.count ?? 0 > 1000)
  }

  @Test func `a conversion without a loss passes`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    let result = try run(
      "convert", folder("in/a.wav"), folder("a.flac"), "--preset", "flac", "--strict")
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func `a source that ends early fails`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    let whole = try #require(FileManager.default.contents(atPath: folder("in/a.wav")))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: folder("in/a.wav")))
    let result = try run(
      "convert", folder("in/a.wav"), folder("a.flac"), "--preset", "flac", "--strict")
    #expect(result.status == 1 && result.errors.contains("ends early"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("a.flac")))
  }

  @Test func `what one of the joined files lacks fails a strict concat`() throws {
    try folder.add("clap-and-flash.mp4", as: "in/a.mp4")
    let words = [
      "concat", folder("in/a.mp4"), folder("in/a.mp4"), folder("b.opus"), "--preset",
      "opus-64k",
    ]
    let strict = try Respool.start(words + ["--strict"]).wait()
    #expect(strict.status == 1, "\(strict.errors)")
    #expect(strict.errors.contains("something would be lost: "), "\(strict.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("b.opus")))
  }
}
