import Foundation
import RespoolMedia
import Testing

@testable import Respool

/// HDR10 from SEI messages and boxes to what other encoders and containers have for it.
@Suite struct HighDynamicRangeExports {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let display = MasteringDisplay(
    red: .init(x: UInt16(34000), y: UInt16(16000)),
    green: .init(x: UInt16(13250), y: UInt16(34500)),
    blue: .init(x: UInt16(7500), y: UInt16(3000)),
    whitePoint: .init(x: UInt16(15635), y: UInt16(16450)),
    maximumLuminance: 10_000_000, minimumLuminance: 50)

  private static let records = [
    SideData(.masteringDisplay, display.bytes),
    SideData(.contentLightLevel, ContentLightLevel(maximum: 1000, maximumAverage: 400).bytes),
  ]

  /// HEVC that has its HDR metadata in SEI messages and not in boxes.
  private func source() throws -> String {
    let path = scratch.path("hdr10.mp4")
    let options = [
      "log-level=error", "hdr10=1", "colorprim=bt2020", "transfer=smpte2084",
      "colormatrix=bt2020nc", "max-cll=1000,400",
      "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)",
    ]
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=128x64:rate=10:duration=0.5", "-pix_fmt",
        "yuv420p10le", "-c:v", "libx265", "-x265-params", options.joined(separator: ":"),
        "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", path,
      ])
    return path
  }

  private func tracks(_ path: String) throws -> [TrackDescription] {
    try Asset(path: path, registry: Pipeline.registry).mediaDescription().tracks
  }

  @Test func `a re-encoded film of 10 bits keeps its HDR metadata`() throws {
    let source = try source()
    var preset = try Pipeline.preset("webm-720p")
    preset.container = "mp4"
    let session = try ExportSession(input: source, preset: preset, registry: Pipeline.registry)
    let path = scratch.path("out.mp4")
    _ = try session.exportAndWait(to: path, progress: nil)
    let track = try #require(try tracks(path).first)
    #expect(track.codec == "vp9" && track.color.transfer == 16)
    #expect(track.sideData == Self.records)
    // A copy keeps it, too, and other programs see it.
    try Pipeline.export(path, "remux-mp4", to: scratch.path("copy.mp4"))
    #expect(try tracks(scratch.path("copy.mp4")).first?.sideData == Self.records)
    let seen = try Writing.probe(scratch.path("copy.mp4"), ["-of", "default", "-show_streams"])
    #expect(seen.contains("Mastering display metadata") && seen.contains("max_content=1000"))
  }

  @Test func `a film whose tones are mapped has no HDR metadata`() throws {
    let path = scratch.path("sdr.mp4")
    try Pipeline.export(try source(), "web-480p", to: path)
    let track = try #require(try tracks(path).first)
    #expect(track.color == .bt709 || track.color.transfer == 1)
    #expect(track.sideData == [])
    let frames = try Writing.probe(
      path, ["-of", "default", "-show_frames", "-select_streams", "v"])
    #expect(!frames.contains("Mastering") && !frames.contains("Content light"))
  }

  @Test func `decoded frames carry HDR metadata`() throws {
    let samples = try Pipeline.samples(try source(), .video, .video(pixelFormat: .yuv420p10le))
    let first = try #require(samples.first?.imageBuffer?.frame)
    #expect(first.sideData == Self.records)
  }
}
