import Foundation
import Testing

/// Outputs that are read back with packets or times that differ from those written, and are right.
@Suite struct ReadBackTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ words: String) throws {
    let words = words.split(separator: " ").map(String.init)
    try Tool.run("ffmpeg", ["-v", "error"] + words, in: folder.path)
  }

  private static let video = "-f lavfi -i testsrc2=s=160x120:r=25:d=2"
  private static let tone = "-f lavfi -i sine=440:d=2:r=48000"

  private func convert(_ input: String, _ output: String, _ words: String) throws {
    let result = try Respool.start(
      ["convert", folder(input), folder(output)] + words.split(separator: " ").map(String.init)
    ).wait()
    #expect(result.status == 0, "\(input) to \(output), \(words): \(result.errors)")
  }

  @Test func `lossless cuts end with frames that refer to later ones`() throws {
    try ffmpeg(
      "\(Self.video) \(Self.tone) -c:v libx264 -preset veryfast -g 12 -bf 3 -c:a aac a.mp4")
    try ffmpeg("-i a.mp4 -c copy a.mkv")
    for (number, times) in ["--from 0 --to 1", "--from 0.2 --to 0.9"].enumerated() {
      for kind in ["mp4", "mkv", "mov"] {
        try convert("a.mkv", "\(number)-1.\(kind)", "--preset remux-\(kind) \(times)")
        try convert("a.mp4", "\(number)-2.\(kind)", "--preset remux-\(kind) \(times)")
      }
    }
  }

  @Test func `streams get packets that were not in their source`() throws {
    try ffmpeg("\(Self.tone) -c:a libmp3lame a.mkv")
    try convert("a.mkv", "a.mp3", "--preset mp3-v2")
  }

  @Test func `video may begin before its first frame that can be decoded`() throws {
    try ffmpeg("\(Self.video) -c:v libx264 -preset veryfast -g 12 -bf 3 -f mpegts a.ts")
    let stream = try Data(contentsOf: URL(fileURLWithPath: folder("a.ts")))
    try stream.dropFirst(188 * 11).write(to: URL(fileURLWithPath: folder("late.ts")))
    try convert("late.ts", "late.mkv", "--preset remux-mkv")
    try convert("late.ts", "archive.mkv", "--preset archive-mkv")
  }

  @Test func `the last frame may have no presentation time`() throws {
    try ffmpeg("\(Self.video) \(Self.tone) -c:v mpeg1video -bf 2 -c:a mp2 a.mpg")
    try convert("a.mpg", "a.mkv", "--preset remux-mkv")
    try convert("a.mpg", "a.mp4", "--preset remux-mp4")
  }
}
