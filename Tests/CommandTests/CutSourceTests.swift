import Foundation
import Testing

/// Sources that end within a packet, of which everything is converted that ffmpeg decodes.
@Suite struct CutSourceTests {
  private let folder = TemporaryFolder()

  private static let tone = ["-f", "lavfi", "-i", "sine=440:r=44100:d=1.3"]
  private static let noise = ["-f", "lavfi", "-i", "anoisesrc=r=44100:d=1"]
  private static let bars = ["-f", "lavfi", "-i", "testsrc=s=96x64:r=25:d=1.3"]

  private static let sources: [(name: String, arguments: [String], preset: String)] = [
    ("a.mp3", tone + ["-c:a", "libmp3lame"], "mp3-v2"),
    ("a.mp3", tone + ["-c:a", "libmp3lame"], "remux-mkv"),
    ("a.mp3", tone + ["-c:a", "libmp3lame", "-write_xing", "0", "-id3v2_version", "0"], "mp3-v2"),
    ("a.avi", tone + ["-c:a", "libmp3lame"], "mp3-v2"),
    ("a.flac", noise + ["-c:a", "flac"], "flac"), ("a.flac", noise + ["-c:a", "flac"], "wav"),
    ("a.mov", tone + ["-c:a", "pcm_s24be", "-movflags", "faststart"], "wav"),
    ("a.mov", tone + ["-c:a", "pcm_s16le", "-movflags", "faststart"], "remux-mkv"),
    ("a.mov", tone + ["-c:a", "libmp3lame", "-movflags", "faststart"], "flac"),
    ("a.mov", tone + ["-c:a", "libmp3lame", "-movflags", "faststart"], "remux-mkv"),
    ("a.ac3", tone + ["-c:a", "ac3"], "remux-mkv"),
    ("a.dts", tone + ["-c:a", "dca", "-strict", "-2"], "remux-mkv"),
    ("a.thd", tone + ["-ar", "48000", "-c:a", "truehd", "-strict", "-2"], "remux-mkv"),
    ("a.flv", bars + ["-c:v", "flv"], "remux-mkv"),
    ("a.flv", bars + ["-c:v", "flv"], "web-480p"),
    ("a.ivf", bars + ["-c:v", "libvpx"], "remux-mkv"),
  ]

  /// Returns the number of audio samples or frames that ffmpeg decodes, without those that MP3 and encoders hide.
  private func count(_ file: String) throws -> Int {
    if file.hasSuffix(".flv") || file.hasSuffix(".ivf") || file.hasSuffix("video.mkv")
      || file.hasSuffix(".mp4")
    {
      let text = try Tool.run(
        "ffmpeg",
        ["-nostdin", "-v", "quiet", "-i", file, "-vsync", "passthrough", "-f", "framecrc", "-"])
      return text.split(separator: "\n").count { !$0.hasPrefix("#") }
    }
    try Tool.run(
      "ffmpeg", ["-nostdin", "-v", "quiet", "-y", "-i", file, "-f", "s16le", folder("pcm")])
    return try Data(contentsOf: URL(fileURLWithPath: folder("pcm"))).count / 2
  }

  @Test(arguments: sources, [0.37, 0.93]) func `a source that ends within a packet is converted`(
    _ source: (name: String, arguments: [String], preset: String), part: Double
  ) throws {
    try Tool.run(
      "ffmpeg",
      ["-nostdin", "-v", "error", "-y"] + source.arguments + [
        folder("whole")
          + source.name
      ])
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder("whole") + source.name))
    let size = Int(Double(whole.count) * part) | 1
    try whole.prefix(size).write(to: URL(fileURLWithPath: folder(source.name)))
    let isVideo = source.name.hasSuffix("flv") || source.name.hasSuffix("ivf")
    let ending =
      switch source.preset {
      case "mp3-v2": "a2.mp3"
      case "flac": "a2.flac"
      case "wav": "a2.wav"
      case "web-480p": "a2.mp4"
      default: isVideo ? "video.mkv" : "audio.mkv"
      }
    let result = try Respool.run(
      "convert", folder(source.name), folder(ending), "--preset", source.preset, "--verify", "full")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("the source ends early"), "\(result.errors)")
    let difference = try count(folder(ending)) - count(folder(source.name))
    // ffmpeg hides the delay of MP3 in MP3, and not in Matroska.
    let isMP3 = source.arguments.contains("libmp3lame") && source.name != "a.avi"
    let delay = isMP3 && source.preset == "remux-mkv" ? 1105 : 0
    #expect(difference == 0 || difference == delay, "\(difference)")
  }
}
