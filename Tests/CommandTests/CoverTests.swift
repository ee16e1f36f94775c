import Foundation
import Testing

/// Covers that containers of audio keep, in formats with and without a decoder.
@Suite struct CoverTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws {
    try Tool.run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
  }

  @Test func `WAV keeps PNG covers and tags`() throws {
    try ffmpeg(["-f", "lavfi", "-i", "testsrc=s=32x32", "-frames:v", "1", folder("c.png")])
    try ffmpeg([
      "-f", "lavfi", "-i", "sine=d=1", "-i", folder("c.png"), "-map", "0", "-map", "1", "-c:a",
      "flac", "-c:v", "copy", "-disposition:v", "attached_pic", "-metadata", "title=Song",
      folder("a.flac"),
    ])
    let result = try Respool.run(
      "convert", folder("a.flac"), folder("b.wav"), "--preset", "wav", "--verify", "full")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let back = try Respool.run(
      "convert", folder("b.wav"), folder("c.flac"), "--preset", "flac")
    #expect(back.status == 0 && back.errors.isEmpty, "\(back.errors)")
    try ffmpeg(["-i", folder("c.flac"), "-map", "0:v", "-c", "copy", folder("d.png")])
    func bytes(_ name: String) throws -> Data {
      try Data(contentsOf: URL(fileURLWithPath: folder(name)))
    }
    #expect(try bytes("d.png") == bytes("c.png"))
    let tags = try Tool.run(
      "ffprobe",
      ["-v", "error", "-show_entries", "format_tags=title", "-of", "csv=p=0", folder("b.wav")])
    #expect(tags.contains("Song"))
    try ffmpeg(["-i", folder("a.flac"), "-f", "s16le", folder("a.pcm")])
    try ffmpeg(["-i", folder("b.wav"), "-f", "s16le", folder("b.pcm")])
    #expect(try bytes("a.pcm") == bytes("b.pcm"))
  }

  /// The bytes that begin a file of AVIF; no one decodes a cover.
  private static let image =
    [0, 0, 0, 0x14] + Array("ftypavif".utf8) + [0, 0, 0, 0] + Array("avif".utf8)
    + [UInt8](repeating: 7, count: 200)

  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  @Test(arguments: ["flac", "opus", "m4a"]) func `AVIF covers are kept as files`(
    name: String
  ) throws {
    let source = folder("a.\(name)")
    let (type, number) = (Array("image/avif".utf8), Self.number)
    let picture =
      number(3) + number(type.count) + type + number(0) + [UInt8](repeating: 0, count: 16)
      + number(Self.image.count) + Self.image
    let sound = ["-f", "lavfi", "-i", "sine=r=48000:d=1"]
    switch name {
    case "opus":
      let comment = "METADATA_BLOCK_PICTURE=" + Data(picture).base64EncodedString()
      try ffmpeg(sound + ["-c:a", "libopus", "-metadata:s:a", comment, source])
    case "flac":
      try ffmpeg(sound + [source])
      var file = try Data(contentsOf: URL(fileURLWithPath: source))
      file.insert(contentsOf: [6] + number(picture.count).dropFirst() + picture, at: 42)
      try file.write(to: URL(fileURLWithPath: source))
    default:
      // The image takes the place of a cover of the same size, of which ffmpeg does not read the format.
      try ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1", folder("c.png")])
      try ffmpeg(
        sound + [
          "-i", folder("c.png"), "-map", "0", "-map", "1", "-c:a", "aac", "-c:v", "copy",
          "-disposition:v", "attached_pic", source,
        ])
      var file = try Data(contentsOf: URL(fileURLWithPath: source))
      let cover = try Data(contentsOf: URL(fileURLWithPath: folder("c.png")))
      let place = try #require(file.range(of: cover))
      let padding = [UInt8](repeating: 0, count: cover.count - Self.image.count)
      file.replaceSubrange(place, with: Self.image + padding)
      try file.write(to: URL(fileURLWithPath: source))
    }
    for (preset, output) in [("opus-128k", "b.opus"), ("flac", "b.flac"), ("remux-mkv", "b.mkv")] {
      let result = try Respool.run("convert", source, folder(output), "--preset", preset)
      #expect(result.status == 0 && !result.errors.contains("cover"), "\(result.errors)")
      #expect(!result.errors.contains("attach"), "\(result.errors)")
      let found = try Respool.run("inspect", folder(output)).output
      #expect(found.contains("mimetype: image/avif"), "\(found)")
    }
  }
}
