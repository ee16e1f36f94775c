import Foundation
import Testing

/// The extension of an output determines the container, or the command rejects it.
@Suite struct OutputContainerTests {
  private let folder = TemporaryFolder()

  private func convert(_ input: String, _ output: String, _ preset: String?) throws
    -> Respool.Result
  {
    try Respool.start(
      ["convert", input.hasPrefix("/") ? input : Respool.media + "/" + input, folder(output)]
        + (preset.map { ["--preset", $0] } ?? [])
    ).wait()
  }

  private func container(_ output: String) throws -> String? {
    let document = try Respool.run("inspect", "--json", folder(output)).object()
    return (document["files"] as? [[String: Any]])?.first?["container"] as? String
  }

  @Test(arguments: [
    ("speech.wav", "a.mp4", "opus-128k", "mp4"),
    ("clap-and-flash.mp4", "a.mkv", "remux-mp4", "mkv"),
    ("speech.wav", "a.mka", "opus-128k", "mkv"),
    ("speech.wav", "a.ogg", "opus-128k", "ogg"), ("speech.wav", "a.WAV", "wav", "wav"),
    ("speech.wav", "a", "wav", "wav"), ("speech.wav", "a.wav.tmp", "wav", "wav"),
    ("speech.wav", "a v1.2", "wav", "wav"),
  ])
  func `the output has the container of its extension if that supports the codecs`(
    _ input: String, _ output: String, _ preset: String, _ expected: String
  ) throws {
    let result = try convert(input, output, preset)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try container(output) == expected)
  }

  @Test(arguments: [
    ("o.opus", "remux-mkv", "ogg does not carry h264"),
    ("o.wav", "opus-128k", "wav does not carry opus"),
    ("o.avi", "web-480p", "no plugin writes .avi files"),
    ("o.mp2", "aac-160k", "no plugin writes .mp2 files"),
  ])
  func `an extension whose container does not support the codecs is rejected`(
    _ output: String, _ preset: String, _ reason: String
  ) throws {
    let result = try convert("clap-and-flash.mp4", output, preset)
    #expect(result.status == 2)
    #expect(
      result.errors.contains("the output has the extension .\(output.dropFirst(2)), but \(reason)"))
    #expect(folder.contents.isEmpty)
  }

  @Test(arguments: [
    ("speech.wav", ["m4a", "m4b", "mka", "opus", "ogg", "oga", "wav", "wave"]),
    ("clap-and-flash.mp4", ["mp4", "m4v", "mov", "qt", "mkv"]),
  ])
  func `every extension that a plugin writes works without a preset`(
    _ input: String, _ extensions: [String]
  ) throws {
    for suffix in extensions {
      let result = try convert(input, "a.\(suffix)", nil)
      #expect(result.status == 0, "\(suffix): \(result.errors)")
    }
  }

  @Test func `a file of subtitles has nothing else`() throws {
    let text = "1\n00:00:00,000 --> 00:00:01,000\nWords\n"
    try text.write(toFile: folder("a.srt"), atomically: true, encoding: .utf8)
    let made = try Running(
      [
        "/usr/bin/ffmpeg", "-v", "error", "-i", Respool.media + "/clap-and-flash.mp4", "-i",
        folder("a.srt"), "-map", "0", "-map", "1", "-c", "copy", "-c:s", "srt", folder("film.mkv"),
      ], environment: Respool.environment, folder: nil
    ).wait()
    try #require(made.status == 0, "\(made.errors)")
    let result = try convert(folder("film.mkv"), "text.mks", nil)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Respool.run("inspect", folder("text.mks")).output.contains("subtitle 1: subrip"))
    let none = try convert("speech.wav", "none.mks", nil)
    #expect(
      none.status == 1 && none.errors.contains("the source has no subtitles"), "\(none.errors)")
  }

  @Test func `an unknown extension is rejected with advice`() throws {
    for (output, words) in [("a.wv", "no plugin writes .wv files"), ("a", "no extension")] {
      let result = try convert("speech.wav", output, nil)
      #expect(result.status == 2 && result.errors.contains(words), "\(result.errors)")
    }
  }
}
