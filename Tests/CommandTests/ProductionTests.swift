import Foundation
import Testing

/// Conversions for editing: what is stated of color and depth.
@Suite struct ProductionTests {
  private let folder = TemporaryFolder()

  private func ffmpeg(_ words: [String]) throws {
    let result = try Running(
      ["/usr/bin/ffmpeg", "-v", "error", "-y"] + words, environment: Respool.environment,
      folder: nil
    ).wait()
    #expect(result.status == 0, "\(result.errors)")
  }

  private func probe(_ entries: String, _ path: String) throws -> String {
    try Running(
      ["/usr/bin/ffprobe", "-v", "error", "-show_entries", entries, "-of", "csv=p=0", path],
      environment: Respool.environment, folder: nil
    ).wait().output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `frames of ProRes state the color of HDR10`() throws {
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=256x144:d=0.2", "-pix_fmt", "yuv420p10le", "-c:v",
      "libx265", "-x265-params",
      "log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc", folder("hdr.mkv"),
    ])
    let result = try Respool.run(
      "convert", folder("hdr.mkv"), folder("out.mov"), "--preset", "prores-mov")
    #expect(result.status == 0, "\(result.errors)")
    // The color of the frames, and not that of the container.
    try ffmpeg(["-i", folder("out.mov"), "-c", "copy", "-f", "avi", folder("bare.avi")])
    let color = try probe("frame=color_space,color_primaries,color_transfer", folder("bare.avi"))
    let first = color.split(separator: "\n").first.map(String.init) ?? ""
    #expect(first.hasPrefix("bt2020nc,bt2020,smpte2084"), "\(color)")
  }

  @Test func `samples of 64 bits become 24 bits where FLAC is the nearest`() throws {
    try ffmpeg([
      "-f", "lavfi", "-i", "sine=d=0.5", "-c:a", "pcm_s64le", folder("wide.w64"),
    ])
    let result = try Respool.run(
      "convert", folder("wide.w64"), folder("out.flac"), "--preset", "flac")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try probe("stream=sample_fmt,bits_per_raw_sample", folder("out.flac")) == "s32,24")
  }
}
