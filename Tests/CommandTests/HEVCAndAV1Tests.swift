import Foundation
import Testing

/// Conversions to HEVC and AV1, whose frames and times equal those of Debian's ffmpeg with the same libraries.
@Suite struct HEVCAndAV1Tests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ arguments: [String]) throws {
    _ = try Tool.run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
  }

  /// Makes two seconds of lossless video.
  private func source(
    _ format: String = "yuv420p", filter: String = "null", options: [String] = []
  ) throws -> String {
    let path = folder("source.mkv")
    try ffmpeg(
      [
        "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=2,\(filter)", "-c:v", "ffv1",
        "-pix_fmt", format,
      ] + options + [path])
    return path
  }

  private func convert(_ source: String, _ output: String, _ preset: String) throws
    -> Respool.Result
  {
    let path = folder("preset.yaml")
    try preset.write(toFile: path, atomically: true, encoding: .utf8)
    let result = try Respool.run("convert", "-v", source, output, "--preset", path)
    try #require(result.status == 0, "\(result.errors)")
    return result
  }

  /// Returns time and hash of each decoded frame.
  private func frames(_ path: String) throws -> [String] {
    let text = try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-vsync", "passthrough",
        "-enc_time_base", "1:1000", "-f", "framemd5", "-",
      ])
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      return "\(fields[2]) \(fields[5])"
    }
  }

  /// Returns the presentation times of packets, in the order of the file.
  private func packetTimes(_ path: String) throws -> String {
    try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,flags", "-of",
        "csv=p=0", path,
      ])
  }

  @Test(arguments: [
    ("yuv420p", "mp4"), ("yuv420p10le", "mp4"), ("yuv422p10le", "mkv"), ("yuv444p12le", "mkv"),
  ])
  func `HEVC has the frames and times of ffmpeg's`(format: String, container: String) throws {
    let source = try source(format)
    let (made, expected) = (folder("made.\(container)"), folder("expected.\(container)"))
    _ = try convert(
      source, made,
      """
      container: \(container)
      video: {codec: hevc, encoder: x265, quality: 30, pixelFormat: \(format), options: {preset: fast}}
      audio: none
      """)
    try ffmpeg([
      "-i", source, "-c:v", "libx265", "-preset", "fast", "-crf", "30", "-x265-params",
      "log-level=none:frame-threads=1", "-tag:v", "hvc1", expected,
    ])
    let all = try frames(made)
    #expect(all.count == 50)
    #expect(all == (try frames(expected)))
    #expect(try packetTimes(made) == packetTimes(expected))
  }

  @Test(arguments: ["yuv420p", "yuv420p10le"])
  func `AV1 has the frames and times of ffmpeg's`(format: String) throws {
    let source = try source(format)
    let (made, expected) = (folder("made.mkv"), folder("expected.mkv"))
    _ = try convert(
      source, made,
      """
      container: mkv
      video: {codec: av1, encoder: svtav1, quality: 40, pixelFormat: \(format), options: {preset: 10}}
      audio: none
      """)
    try ffmpeg([
      "-i", source, "-c:v", "libsvtav1", "-preset", "10", "-crf", "40", "-svtav1-params",
      // The library's default; ffmpeg sets 4.
      "irefresh-type=2:hierarchical-levels=5", expected,
    ])
    let all = try frames(made)
    #expect(all.count == 50)
    #expect(all == (try frames(expected)))
    #expect(try packetTimes(made) == packetTimes(expected))
  }

  @Test(arguments: [("hevc-1080p", "mp4", "hvc1"), ("av1-1080p", "webm", "av01")])
  func `HDR10 stays HDR10`(preset: String, container: String, tag: String) throws {
    let source = folder("hdr.mp4")
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=1", "-pix_fmt", "yuv420p10le",
      "-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params",
      "log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:"
        + "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):"
        + "max-cll=1000,400",
      source,
    ])
    let output = folder("out.\(container)")
    let result = try Respool.run("convert", "-v", source, output, "--preset", preset)
    try #require(result.status == 0, "\(result.errors)")
    #expect(!result.errors.contains("lost"), "\(result.errors)")
    let stream = try Tool.run(
      "ffprobe",
      ["-v", "error", "-select_streams", "v:0", "-show_streams", "-of", "default", output])
    for text in [
      "pix_fmt=yuv420p10le", "color_space=bt2020nc", "color_transfer=smpte2084",
      "color_primaries=bt2020", "side_data_type=Mastering display metadata", "max_content=1000",
    ] {
      #expect(stream.contains(text), "\(text) in \(stream)")
    }
    if container == "mp4" { #expect(stream.contains("codec_tag_string=\(tag)"), "\(stream)") }
    // The stream itself has the metadata too.
    let frame = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-read_intervals", "%+#1", "-show_frames", "-of",
        "default", output,
      ])
    for text in ["max_luminance=", "max_content=1000", "max_average=400"] {
      #expect(frame.contains(text), "\(text) in \(frame)")
    }
  }

  @Test func `interlaced video is deinterlaced for HEVC or loses its fields`() throws {
    let source = try source(
      filter: "tinterlace=4,setfield=tff", options: ["-field_order", "tt"])
    let usual = try Respool.run(
      "convert", "-v", source, folder("out.mp4"), "--preset", "hevc-1080p")
    #expect(usual.status == 0, "\(usual.errors)")
    #expect(usual.errors.contains("deinterlaced"), "\(usual.errors)")
    #expect(!usual.errors.contains("codes no fields"), "\(usual.errors)")
    let kept = try convert(
      source, folder("kept.mp4"),
      """
      container: mp4
      video: {codec: hevc, encoder: x265, deinterlace: never, options: {preset: ultrafast}}
      audio: none
      """)
    #expect(kept.errors.contains("hevc codes no fields"), "\(kept.errors)")
    #expect(kept.errors.contains("deinterlace: auto"), "\(kept.errors)")
  }

  @Test(arguments: ["yuv420p", "yuv422p10le", "yuv444p12le", "gray", "gbrp"])
  func `dav1d decodes the frames that ffmpeg decodes`(format: String) throws {
    let path = folder("clip.mkv")
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=182x102:rate=25:duration=0.4", "-pix_fmt", format,
      "-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "30", path,
    ])
    let made = try Respool.run("hash", path)
    #expect(made.status == 0, "\(made.errors)")
    let hashes = made.output.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
      $0.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
    }
    #expect(hashes.count == 10)
    #expect(
      hashes == (try frames(path)).compactMap { $0.split(separator: " ").last.map(String.init) })
  }
}
