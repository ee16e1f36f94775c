import Foundation
import Testing

/// Audio whose times leave a gap, converted into files that do not store times.
@Suite struct AudioGapTests {
  private let folder = TemporaryFolder()

  private static let outputs = [
    ("wav", "wav"), ("aiff", "aiff"), ("caf", "caf"), ("flac", "flac"), ("mp3-v2", "mp3"),
    ("opus-128k", "opus"), ("remux-mov", "mov"), ("prores-lt", "mov"),
  ].flatMap { preset, name in
    ["pcm_s16le", "pcm_u8", "pcm_s24le"].map { (preset, name, $0) }
  }

  @Test(arguments: outputs) func `a gap in the times of PCM becomes silence`(
    preset: String, name: String, codec: String
  ) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=440:r=48000:d=2",
        "-af", "aselect='lt(t,0.5)+gte(t,1.5)'", "-c:a", codec, folder("a.mkv"),
      ])
    let result = try Respool.run(
      "convert", folder("a.mkv"), folder("b.\(name)"), "--preset", preset)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("ms of silence were inserted"), "\(result.errors)")
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-i", folder("b.\(name)"), "-f", "s16le", folder("pcm"),
      ])
    let pcm = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("pcm"))))
    let samples = (0..<pcm.count / 2).map { Int16(pcm[2 * $0]) | Int16(pcm[2 * $0 + 1]) << 8 }
    #expect(abs(samples.count - 96000) <= 24)
    func peak(_ range: Range<Int>) -> Int {
      samples[range].map { Int($0.magnitude) }.max() ?? 0
    }
    // The edges of the gap are those of ffmpeg's packets.
    #expect(peak(30000..<66000) < 200)
    #expect(peak(0..<20000) > 2000 && peak(76000..<95000) > 2000)
  }

  @Test func `Matroska keeps the gap`() throws {
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=440:r=48000:d=2",
        "-af", "aselect='lt(t,0.5)+gte(t,1.5)'", "-c:a", "pcm_s16le", folder("a.mkv"),
      ])
    func packets(_ file: String) throws -> [Substring] {
      try Respool.run("hash", "--packets", file).output.split(separator: "\n")
        .filter { !$0.hasPrefix("#") }
    }
    let result = try Respool.run(
      "convert", folder("a.mkv"), folder("b.mkv"), "--preset", "remux-mkv")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(try packets(folder("b.mkv")) == packets(folder("a.mkv")))
  }
}
