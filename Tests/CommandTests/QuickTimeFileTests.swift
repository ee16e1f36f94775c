import Foundation
import Testing

/// QuickTime files as FFmpeg reads them.
@Suite struct QuickTimeFileTests {
  private let folder = TemporaryFolder()

  private func run(_ words: [String]) throws -> Respool.Result {
    try Running(words, environment: ["PATH=/usr/bin:/bin"], folder: nil).wait()
  }

  @Test func `items with keys leave numbers of songs, names of tracks and places readable`() throws
  {
    let title = String(repeating: "Ünïcode ", count: 40)
    let made = try run([
      "/usr/bin/ffmpeg", "-v", "error", "-i", Respool.media + "/speech.wav", "-c:a", "alac",
      "-metadata", "compilation=1", "-metadata", "title=Song", "-metadata", "location=Paris",
      "-metadata:s:a", "title=\(title)", "-movflags", "use_metadata_tags", folder("in.mkv"),
    ])
    try #require(made.status == 0, "\(made.errors)")
    let result = try Respool.run(
      "convert", folder("in.mkv"), folder("out.mov"), "--preset", "remux-mov")
    #expect(result.status == 0, "\(result.errors)")
    let probe = try run([
      "/usr/bin/ffprobe", "-v", "warning", "-of", "default=nw=1", "-show_entries",
      "format_tags:stream_tags", folder("out.mov"),
    ])
    #expect(probe.errors.isEmpty, "\(probe.errors)")
    let lines = probe.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("TAG:title=Song") && lines.contains("TAG:compilation=1"), "\(lines)")
    #expect(!lines.contains { $0.contains("ISO6709") }, "\(lines)")
    let handler = lines.first { $0.hasPrefix("TAG:handler_name=") }?.dropFirst(17) ?? ""
    #expect(title.hasPrefix(handler) && handler.utf8.count > 100, "\(lines)")
  }
}
