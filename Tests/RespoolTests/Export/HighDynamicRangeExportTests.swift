import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// HDR10 metadata in SEI messages and boxes, converted to its forms in other encoders and containers.
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

  /// Creates HEVC with HDR metadata in SEI messages and not in boxes.
  private func source() throws -> String {
    let path = scratch.path("hdr10.mp4")
    let options = [
      "log-level=error", "hdr10=1", "bframes=0", "colorprim=bt2020", "transfer=smpte2084",
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

  /// Returns an HDR10+ message (SMPTE ST 2094-40, in ITU-T T.35) that differs from frame to frame.
  private static func message(_ picture: Int) -> [UInt8] {
    var bits: [Bool] = []
    func add(_ value: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
    }
    // One window, luminance of the target display, no peaks of that display. Then for the window: maxima, average,
    // number of percentiles, fraction of bright pixels. No peaks of the mastering display, tone curve or saturation.
    for (value, count) in [
      (1, 2), (0x2AA_AAAA, 27), (0, 1), (0xAAAA, 17), (0xAAAA, 17), (0xAAAA, 17),
      (0x1000 + picture, 17), (0, 4), (0x155, 10), (0, 1), (0, 1), (0, 1),
    ] {
      add(value, count)
    }
    while !bits.count.isMultiple(of: 8) { bits.append(false) }
    let body = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    return [0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04, 0x01] + body
  }

  /// Creates the film of `source()` with an HDR10+ message before each frame.
  private func dynamicSource() throws -> String {
    let (stream, path) = (scratch.path("plain.hevc"), scratch.path("dynamic.mp4"))
    try PluginWorkshop.run("ffmpeg", ["-v", "error", "-i", try source(), "-c", "copy", stream])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stream)))
    var (result, pictures, place) = ([UInt8](), 0, 0)
    while place < bytes.count {
      // A start code and the NAL unit of a frame's first slice (ITU-T H.265 7.3.1.2 and 7.3.6.1).
      if place + 5 < bytes.count, bytes[place..<place + 3].elementsEqual([0, 0, 1]),
        bytes[place + 3] >> 1 < 32, bytes[place + 5] & 0x80 != 0
      {
        let message = Self.message(pictures)
        result += [0, 0, 1, 39 << 1, 1, 4, UInt8(message.count)] + message + [0x80]
        pictures += 1
      }
      result.append(bytes[place])
      place += 1
    }
    try #require(pictures == 5)
    try Data(result).write(to: URL(fileURLWithPath: stream))
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-framerate", "10", "-i", stream, "-c", "copy", path])
    return path
  }

  /// Returns the numbers of the HDR10+ messages in the frames of a file, in presentation order.
  private func messages(_ path: String) throws -> [Int] {
    let known = (0..<5).map(Self.message)
    let samples = try Pipeline.samples(path, .video, nil)
      .sorted { $0.presentationTimeStamp < $1.presentationTimeStamp }
    return samples.flatMap { sample in
      let bytes = sample.dataBuffer.map { Array($0.readOnly) } ?? []
      return known.indices.filter { bytes.firstRange(of: known[$0]) != nil }
    }
  }

  @Test func `messages of HDR10+ stay with their frames`() throws {
    let source = try dynamicSource()
    let expected = try messages(source)
    #expect(Set(expected).count == 5)
    try Pipeline.export(source, "remux-mkv", to: scratch.path("copy.mkv"))
    let copied = try messages(scratch.path("copy.mkv"))
    #expect(copied == expected, "\(copied), not \(expected)")

    var preset = try Pipeline.preset("web-480p")
    preset.video?.pixelFormats = [.yuv420p10le]
    preset.video?.options = []
    let session = try ExportSession(input: source, preset: preset, registry: Pipeline.registry)
    let report = try session.exportAndWait(to: scratch.path("deep.mp4"), progress: nil)
    let track = try #require(try tracks(scratch.path("deep.mp4")).first)
    #expect(track.codec == "h264" && track.color.transfer == 16, "\(report.losses)")
    let encoded = try messages(scratch.path("deep.mp4"))
    #expect(encoded == expected, "\(encoded), not \(expected)")
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
    // A copy keeps the metadata, too, and ffprobe reports it.
    try Pipeline.export(path, "remux-mp4", to: scratch.path("copy.mp4"))
    #expect(try tracks(scratch.path("copy.mp4")).first?.sideData == Self.records)
    let seen = try Writing.probe(scratch.path("copy.mp4"), ["-of", "default", "-show_streams"])
    #expect(seen.contains("Mastering display metadata") && seen.contains("max_content=1000"))
  }

  @Test func `a tone-mapped film has no HDR metadata`() throws {
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
