import Foundation
import Testing

/// Facts of frames that converted video keeps.
@Suite struct ColorMatrixTests {
  private let folder = TemporaryFolder()

  @Test(arguments: [("smpte170m", "smpte170m"), ("bt2020nc", "bt2020nc"), ("bt709", "bt709")])
  func `frames of DNxHR state their color matrix`(matrix: String, expected: String) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=0.2",
        "-vf", "scale=out_color_matrix=\(matrix == "bt2020nc" ? "bt2020" : matrix),format=yuv420p",
        "-c:v", "libx264", "-colorspace", matrix, folder("a.mp4"),
      ])
    let result = try Respool.run(
      "convert", folder("a.mp4"), folder("b.mov"), "--preset", "dnxhr-hqx", "--verify", "full")
    #expect(result.status == 0, "\(result.errors)")
    let frames = try Tool.run(
      "ffprobe",
      ["-v", "error", "-show_entries", "frame=color_space", "-of", "csv=p=0", folder("b.mov")])
    #expect(Set(frames.split(whereSeparator: { $0 == "\n" || $0 == "," })) == [expected[...]])
  }

  @Test(arguments: [90, 180, 270]) func `no rotation is lost where frames are rotated`(
    degrees: Int
  ) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=s=96x64:r=25:d=0.4",
        "-c:v", "libx264", folder("upright.mp4"),
      ])
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-i", folder("upright.mp4"), "-c", "copy",
        "-metadata:s:v", "rotate=\(degrees)", folder("a.mp4"),
      ])
    let result = try Respool.run(
      "convert", folder("a.mp4"), folder("b.ts"), "--preset", "remux-ts")
    #expect(result.status == 0 && !result.errors.contains("lost: the rotation"), "\(result.errors)")
  }
}
