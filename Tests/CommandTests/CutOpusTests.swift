import Foundation
import Testing

/// Parts of Opus that ffmpeg has cut out without encoding, whose first pages begin before the start of the file.
@Suite struct CutOpusTests {
  private let folder = TemporaryFolder()

  @Test(arguments: ["3.3", "3.7", "5"], ["12", "2.3"])
  func `a part of Opus is read as a whole`(start: String, duration: String) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=440:r=48000:d=12",
        "-c:a", "libopus", folder("a.opus"),
      ])
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-ss", start, "-i", folder("a.opus"), "-t", duration,
        "-c", "copy", folder("b.opus"),
      ])
    let check = try Respool.run("check", folder("b.opus"))
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    for (preset, name) in [("wav", "c.wav"), ("opus-128k", "c.opus"), ("remux-mkv", "c.mkv")] {
      let result = try Respool.run(
        "convert", folder("b.opus"), folder(name), "--preset", preset, "--verify", "full")
      #expect(result.status == 0, "\(result.errors)")
      #expect(try sampleCount(folder(name)) == sampleCount(folder("b.opus")), "\(preset)")
    }
  }

  private func sampleCount(_ file: String) throws -> Int {
    try Tool.run(
      "ffmpeg", ["-nostdin", "-v", "quiet", "-y", "-i", file, "-f", "s16le", folder("pcm")])
    return try Data(contentsOf: URL(fileURLWithPath: folder("pcm"))).count / 2
  }
}
