import Foundation
import Glibc
import Testing

@Suite struct ConvertTests {
  @Test func `an existing output is rejected and kept`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "speech.wav")
    try folder.add("notes.txt", as: "speech.opus")
    let before = FileManager.default.contents(atPath: folder("speech.opus"))
    let result = try Respool.run("convert", folder("speech.wav"), folder("speech.opus"))
    #expect(result.status == 2)
    #expect(result.errors.contains("--replace"))
    #expect(FileManager.default.contents(atPath: folder("speech.opus")) == before)
    let replaced = try Respool.run(
      "convert", folder("speech.wav"), folder("speech.opus"), "--replace")
    #expect(replaced.status == 0, "\(replaced.errors)")
    #expect(FileManager.default.contents(atPath: folder("speech.opus")) != before)
    #expect(folder.contents == ["speech.opus", "speech.wav"])
  }

  @Test func `the output is the same wherever and however often it is made`() throws {
    let folder = TemporaryFolder()
    for name in ["one.mp4", "two.mp4"] {
      let result = try Respool.run(
        "convert", Respool.media + "/clap-and-flash.mp4", name, "--preset", "web-480p",
        folder: folder.path)
      #expect(result.status == 0, "\(result.errors)")
    }
    let one = try #require(FileManager.default.contents(atPath: folder("one.mp4")))
    #expect(one == FileManager.default.contents(atPath: folder("two.mp4")))
  }

  @Test func `verbose names the plugins and the reasons`() throws {
    let folder = TemporaryFolder()
    let result = try Respool.run(
      "convert", "-v", Respool.media + "/speech.wav", folder("speech.opus"))
    #expect(result.status == 0)
    #expect(result.output == "")
    for plugin in ["wav", "opus", "ogg"] { #expect(result.errors.lowercased().contains(plugin)) }
  }

  /// Each argument has the `ftyp` brand at the start of the output (ISO/IEC 14496-12 4.3), or no text if it has none.
  @Test(arguments: [
    ("clap-and-flash.mp4", "a.mov", "ftypqt  "), ("clap-and-flash.mp4", "a.mp4", "ftypisom"),
    ("clap-and-flash.mp4", "a.m4v", "ftypM4V "), ("speech.wav", "a.m4b", "ftypM4A "),
    ("speech.wav", "a.m4a", "ftypM4A "), ("speech.wav", "a.oga", ""),
    ("speech-flac.flac", "a.mka", ""),
  ])
  func `without a preset the extension determines the container`(
    input: String, output: String, brand: String
  )
    throws
  {
    let folder = TemporaryFolder()
    let result = try Respool.start(
      ["convert", Respool.media + "/" + input, folder(output)]
    ).wait()
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let made = try #require(FileManager.default.contents(atPath: folder(output)))
    #expect(String(decoding: made.dropFirst(4).prefix(brand.utf8.count), as: UTF8.self) == brand)
  }

  @Test func `a missing input is named and nothing is written`() throws {
    let folder = TemporaryFolder()
    let result = try Respool.run("convert", folder("missing.wav"), folder("out.opus"))
    #expect(result.status != 0)
    #expect(result.errors.contains("missing.wav"))
    #expect(folder.contents.isEmpty)
  }

  @Test func `hashes are in the columns of framemd5`() throws {
    let result = try Respool.run("hash", Respool.media + "/speech.wav")
    #expect(result.status == 0)
    let rows = result.output.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(!rows.isEmpty)
    for row in rows {
      let columns = row.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(columns.count == 6)
      #expect(columns.last?.count == 32)
    }
  }

  @Test func `file names that are not text are accepted`() throws {
    let folder = TemporaryFolder()
    let input: [UInt8] = Array("in \u{FC} ".utf8) + [0xFC, 0xFF] + Array(".wav".utf8)
    let output: [UInt8] = [0xFE] + Array(".opus".utf8)
    try folder.add("speech.wav", as: input)
    let result = try Running(
      bytes: [Array(Respool.executable.utf8), Array("convert".utf8), input, output],
      environment: Respool.environment, folder: folder.path
    ).wait()
    #expect(result.status == 0, "\(result.errors)")
    let made = (Array(folder.path.utf8) + [0x2F] + output).map { CChar(bitPattern: $0) } + [0]
    #expect(access(made, F_OK) == 0)
  }
}
