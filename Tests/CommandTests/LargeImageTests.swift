import Foundation
import Testing

/// Small files whose images are large when they are decoded.
@Suite struct LargeImageTests {
  private let folder = TemporaryFolder()

  /// A decoded image of this size takes 1 GB.
  @Test func `files with a large image are described in little memory`() throws {
    let image = folder("big.png")
    try Tool.run(
      "ffmpeg",
      ["-v", "error"] + [
        "-f", "lavfi", "-i", "color=red:size=16000x16000", "-frames:v", "1", "-pix_fmt", "rgba",
        image,
      ])
    for name in ["a.mp3", "a.flac"] {
      try Tool.run(
        "ffmpeg",
        ["-v", "error"] + [
          "-i", Respool.media + "/speech.wav", "-i", image, "-map", "0", "-map", "1", "-c:v",
          "copy",
          "-disposition:v", "attached_pic", folder(name),
        ])
    }
    for name in ["a.avi", "a.mkv", "a.mov"] {
      try Tool.run("ffmpeg", ["-v", "error"] + ["-i", image, "-c", "copy", folder(name)])
    }
    for name in ["a.mp3", "a.flac", "a.avi", "a.mkv", "a.mov"] {
      let result = try Running(
        [
          "/bin/bash", "-c", "ulimit -v 800000; exec \(Respool.executable) inspect \(folder(name))",
        ], environment: Respool.environment, folder: nil
      ).wait()
      let plan = try Running(
        [
          "/bin/bash", "-c",
          "ulimit -v 800000; exec \(Respool.executable) batch \(folder(name)) --to "
            + "\(folder("out")) --preset web-480p --dry-run",
        ], environment: Respool.environment, folder: nil
      ).wait()
      #expect(plan.status == 0, "\(name): \(plan)")
      #expect(
        result.status == 0 && result.output.contains("png, 16000x16000"), "\(name): \(result)")
    }
  }
}
