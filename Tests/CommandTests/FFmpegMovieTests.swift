import Foundation
import Testing

/// QuickTime files of FFmpeg with the codes of AVI and WAVE, for codecs that QuickTime does not have.
@Suite struct FFmpegMovieTests {
  private let folder = TemporaryFolder()

  private static let encoders = [
    "libvorbis", "adpcm_ms", "adpcm_ima_wav", "adpcm_yamaha", "g722", "pcm_s64le", "ffvhuff",
    "huffyuv", "utvideo", "msmpeg4v2", "wmv2", "snow", "zmbv", "flashsv", "asv1", "cljr",
    "speedhq", "zlib",
  ]

  @Test(arguments: encoders) func `the media of FFmpeg's QuickTime files is decoded`(
    encoder: String
  ) throws {
    let isAudio =
      encoder.contains("pcm") || encoder == "libvorbis" || encoder == "g722"
    try Tool.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
        isAudio ? "sine=440:r=48000:d=1" : "testsrc=s=96x64:r=25:d=0.4", "-c", encoder,
        "-strict", "-2", folder("a.mov"),
      ])
    // FFmpeg takes this code for PCM of 16 bits.
    let expected =
      encoder == "pcm_s64le"
      ? nil
      : try Tool.run(
        "ffmpeg",
        [
          "-nostdin", "-v", "error", "-i", folder("a.mov"), "-vsync", "passthrough", "-f",
          "framemd5", "-",
        ])
    let result = try Respool.run("hash", folder("a.mov"))
    #expect(result.status == 0, "\(result.errors)")
    func hashes(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        .compactMap { $0.split(separator: " ").last }
    }
    #expect(!hashes(result.output).isEmpty)
    if isAudio {
      // Frames of audio may be divided otherwise.
      let result = try Respool.run(
        "convert", folder("a.mov"), folder("b.wav"), "--preset", "wav")
      #expect(result.status == 0, "\(result.errors)")
    } else if let expected {
      #expect(hashes(result.output) == hashes(expected))
    }
  }
}
