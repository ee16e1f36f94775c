import Foundation
import Testing

/// The preset archive-mkv, whose frames equal those of the source in ffmpeg.
@Suite struct ArchiveTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws -> String {
    let result = try Running(
      ["/usr/bin/ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments,
      environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait()
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }

  @Test(arguments: [
    // NTSC DV, and full range as cameras give it.
    ("yuv411p", ["-c:v", "dvvideo", "-s", "720x480", "-r", "30000/1001"], "clip.dv"),
    ("yuvj422p", ["-c:v", "mjpeg", "-q:v", "3"], "clip.avi"),
    ("yuvj420p", ["-c:v", "libx264"], "clip.mp4"),
    ("yuv422p12le", ["-c:v", "libx265", "-x265-params", "log-level=0"], "clip.mkv"),
    ("gbrp", ["-c:v", "utvideo"], "clip.avi"),
    // RGB in codecs that usually have Y'CbCr, by a native demuxer and by libavformat.
    ("gbrp", ["-c:v", "libx264rgb", "-qp", "0"], "clip.mp4"),
    ("gbrp", ["-c:v", "libx264rgb", "-crf", "20"], "clip.mkv"),
    ("gbrp10le", ["-c:v", "libx265", "-x265-params", "log-level=0"], "clip.mp4"),
    ("gbrp", ["-c:v", "libx265", "-x265-params", "log-level=0"], "clip.ts"),
    ("gbrp", ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "20"], "clip.mp4"),
  ])
  func `every frame has the values of the source`(
    _ format: String, _ encoder: [String], _ name: String
  ) throws {
    _ = try ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=320x240:d=0.4", "-pix_fmt", format] + encoder
        + [folder(name)])
    let result = try Respool.run(
      "convert", folder(name), folder("out.mkv"), "--preset", "archive-mkv")
    #expect(result.status == 0, "\(result.errors)")
    // RGB may lie in planes or in pixels of four bytes, which ffmpeg converts without loss.
    let output = format.hasPrefix("gbrp") ? ["-pix_fmt", format] : []
    func hash(_ file: String) throws -> String {
      try ffmpeg(["-i", folder(file), "-map", "0:v"] + output + ["-f", "md5", "-"])
    }
    #expect(try hash("out.mkv") == hash(name), "\(result.errors)")
  }

  @Test(arguments: [("yuv420p", "libvpx-vp9", "clip.webm"), ("yuv444p", "libx264", "clip.mkv")])
  func `frames with odd sides keep every line, and their aspect ratio is valid`(
    _ format: String, _ encoder: String, _ name: String
  ) throws {
    let filter = "testsrc2=s=102x76:d=0.4,format=yuv444p,crop=101:75:0:0:exact=1,format=\(format)"
    _ = try ffmpeg(["-f", "lavfi", "-i", filter, "-c:v", encoder, folder(name)])
    let result = try Respool.run(
      "convert", folder(name), folder("out.mkv"), "--preset", "archive-mkv")
    #expect(result.status == 0 && !result.errors.contains("note"), "\(result.errors)")
    func hash(_ file: String) throws -> String {
      let result = try Running(
        ["/usr/bin/ffmpeg", "-v", "warning", "-i", folder(file), "-f", "md5", "-"],
        environment: ["PATH=/usr/bin:/bin"], folder: nil
      ).wait()
      #expect(result.errors.isEmpty, "\(result.errors)")
      return result.output
    }
    #expect(try hash("out.mkv") == hash(name))
  }

  @Test func `a cover beside audio with an encoder delay leaves the times of the video`() throws {
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=64x64:d=1:r=1", "-vframes", "1", folder("c.jpg"),
    ])
    _ = try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=320x240:d=1", "-f", "lavfi", "-i", "sine=d=1", "-i",
      folder("c.jpg"), "-map", "0", "-map", "1", "-map", "2", "-c:a", "aac", "-c:v:1", "copy",
      "-disposition:v:1", "attached_pic", folder("clip.mp4"),
    ])
    let result = try Respool.run(
      "convert", folder("clip.mp4"), folder("out.mkv"), "--preset", "archive-mkv")
    #expect(result.status == 0, "\(result.errors)")
  }
}
