import Foundation
import Testing

/// AAC files of ADTS frames.
@Suite struct ADTSTests {
  private let folder = TemporaryFolder()

  /// Returns the hash of the packets of AAC without headers.
  private func hash(_ name: String) throws -> String {
    let filter = name.hasSuffix("aac") ? ["-bsf:a", "aac_adtstoasc"] : []
    return try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", folder(name), "-map", "0:a", "-c", "copy"] + filter
        + ["-f", "streamhash", "-"])
  }

  @Test(arguments: [
    "speech.wav", "tones-5.1.wav", "speech-mp3.mp3",
  ])
  func `encoded and copied files have the same frames, and name their delay`(
    _ source: String
  ) throws {
    let m4a = try Respool.run(
      "convert", Respool.media + "/" + source, folder("a.m4a"), "--preset", "aac-160k")
    try #require(m4a.status == 0, "\(m4a.errors)")
    let encoded = try Respool.run(
      "convert", Respool.media + "/" + source, folder("encoded.aac"), "--preset", "aac-adts-160k")
    let copied = try Respool.run(
      "convert", folder("a.m4a"), folder("copied.aac"), "--preset", "aac-adts-160k")
    for result in [encoded, copied] {
      #expect(result.status == 0)
      #expect(
        result.errors.contains(
          "begins with the 1024 samples of its encoder's delay and ends with "),
        "\(result.errors)")
    }
    let expected = try hash("a.m4a")
    #expect(try hash("encoded.aac") == expected && hash("copied.aac") == expected)
    // Frames with headers of their own are copied as they are, without another delay.
    try folder.write(
      #require(FileManager.default.contents(atPath: folder("copied.aac"))), as: "headers/a.aac")
    try folder.write(
      #require(FileManager.default.contents(atPath: folder("a.m4a"))), as: "in/a.m4a")
    try folder.write(
      "extends: aac-adts-160k\nname: copy\naudio: {passthrough: only}\n", as: "copy.yaml")
    let again = try BatchRun(
      folder("headers"), to: folder("out"), preset: folder("copy.yaml"), ["--strict"])
    #expect(again.outcome("a.aac") == "copied", "\(again.events)")
    #expect(
      FileManager.default.contentsEqual(
        atPath: folder("copied.aac"), andPath: folder("out/a.aac")))
    let strict = try BatchRun(
      folder("in"), to: folder("strict"), preset: "aac-adts-160k", ["--strict"])
    #expect(strict.outcome("a.m4a") == "failed")
    let back = try Respool.run(
      "convert", folder("copied.aac"), folder("back.mp4"), "--preset", "remux-mp4")
    #expect(back.status == 0, "\(back.errors)")
    #expect(try hash("back.mp4") == expected)
  }

  @Test func `tags and covers are in an ID3 tag`() throws {
    _ = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Respool.media + "/speech-flac.flac", "-i",
        Respool.media + "/still.png", "-map", "0", "-map", "1", "-c:a", "flac", "-c:v", "copy",
        "-disposition:v", "attached_pic", "-metadata", "title=Größe", "-metadata", "track=3/9",
        folder("a.flac"),
      ])
    let result = try Respool.run(
      "convert", folder("a.flac"), folder("a.aac"), "--preset", "aac-adts-160k")
    #expect(result.status == 0 && !result.errors.contains("lost"), "\(result.errors)")
    let shown = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "format_tags:stream=codec_name", "-of", "flat",
        folder("a.aac"),
      ])
    for text in ["title=\"Größe\"", "track=\"3/9\"", "codec_name=\"png\""] {
      #expect(shown.contains(text), "\(shown)")
    }
  }

}
