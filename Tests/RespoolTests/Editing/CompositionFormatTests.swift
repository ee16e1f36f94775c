import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// Pixel formats, sizes and colors of composed frames, for readers and custom compositors.
@Suite struct CompositionFormatTests {
  let clip = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)

  private func reader(
    _ format: PixelFormat?, _ composition: VideoComposition? = nil, width: Int? = nil,
    height: Int? = nil
  ) throws -> (AssetReader, AssetReaderVideoCompositionOutput) {
    let reader = try AssetReader(asset: clip)
    reader.timeRange = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 5))
    let output = AssetReaderVideoCompositionOutput(
      videoTracks: try clip.tracks(withMediaType: .video), pixelFormat: format, width: width,
      height: height)
    output.videoComposition = try composition ?? VideoComposition(propertiesOf: clip)
    try reader.add(output)
    return (reader, output)
  }

  private func pictures(_ reader: (AssetReader, AssetReaderVideoCompositionOutput)) throws
    -> [PixelBuffer]
  {
    try #require(reader.0.startReading(), "\(String(describing: reader.0.error))")
    var pictures: [PixelBuffer] = []
    while let sample = reader.1.copyNextSampleBuffer() {
      pictures.append(try #require(sample.imageBuffer))
    }
    try #require(reader.0.status == .completed, "\(String(describing: reader.0.error))")
    return pictures
  }

  @Test(.rule, arguments: ["bgra", "rgba", "rgb24", "nv12", "p010le", "yuv444p", "yuv420p10le"])
  func `composed frames have the requested pixel format`(name: String) throws {
    let format = try #require(PixelFormat(name: name))
    let made = try pictures(try reader(format))
    #expect(made.count == 5)
    let scratch = try Scratch()
    let path = scratch.path("out.raw")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", clip.path ?? "", "-frames:v", "5", "-vf",
        "scale=flags=accurate_rnd+full_chroma_int+bicubic", "-pix_fmt", name, "-f", "rawvideo",
        path,
      ])
    let wanted = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let bytes = try made.flatMap { picture in
      try #require(picture.pixelFormat == format)
      return FrameFixture.allBytes(picture.frame)
    }
    try #require(bytes.count == wanted.count)
    // P010 stores ten-bit components in the high bits, other formats in the low bits. Compare the upper eight.
    let isDeep = name.contains("10")
    func sample(_ bytes: [UInt8], _ index: Int) -> Int {
      guard isDeep else { return Int(bytes[index]) }
      let word = Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8
      return name == "p010le" ? word >> 8 : word >> 2
    }
    let count = isDeep ? bytes.count / 2 : bytes.count
    let sum = (0..<count).reduce(0) { $0 + abs(sample(bytes, $1) - sample(wanted, $1)) }
    let mean = Double(sum) / Double(count)
    // FFmpeg upsamples chroma in another way. With another matrix the mean would be 6 or more.
    #expect(mean < (format.layout?.family == .rgb ? 3 : 1.5), "off by \(mean)")
    if name == "bgra" || name == "rgba" {
      #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
    }
  }

  @Test(arguments: ["yuv420p", "nv12"], [(160, 120), (nil, 90), (640, 360)] as [(Int?, Int)])
  func `composed frames have the requested size, as those of a track`(
    name: String, size: (Int?, Int)
  ) throws {
    let format = try #require(PixelFormat(name: name))
    let made = try pictures(try reader(format, width: size.0, height: size.1))
    let wanted = try Pipeline.samples(
      of: clip, .video, .video(pixelFormat: format, width: size.0, height: size.1))
    #expect(made.count == 5)
    for (picture, sample) in zip(made, wanted) {
      let other = try #require(sample.imageBuffer)
      #expect((picture.width, picture.height) == (size.0 ?? 320, size.1))
      let (a, b) = (FrameFixture.allBytes(picture.frame), FrameFixture.allBytes(other.frame))
      #expect(a.count == b.count)
      #expect(zip(a, b).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }
  }

  @Test(arguments: [0, -2, 40000]) func `an impossible size is rejected before reading`(
    width: Int
  ) throws {
    let (reader, _) = try reader(nil, width: width)
    #expect(!reader.startReading())
    #expect(reader.error?.code == .invalidArgument)
  }

  @Test func `a pixel format that cannot be made is rejected before reading`() throws {
    let (reader, _) = try reader(PixelFormat(name: "pal8"))
    #expect(!reader.startReading())
    #expect(reader.error?.code == .unsupported)
  }

  /// A compositor that records its calls and returns its source frame.
  private final class Listening: VideoCompositing {
    let told = Mutex<[String]>([])
    let colors = Mutex<Set<UInt8>>([])
    let canConformColorOfSourceFrames: Bool
    init(conforms: Bool = true) { canConformColorOfSourceFrames = conforms }

    private func note(_ what: String, _ hint: VideoCompositionRenderHint) {
      told.withLock {
        $0.append("\(what) \(hint.startCompositionTime.seconds) \(hint.endCompositionTime.seconds)")
      }
    }
    func anticipateRendering(using renderHint: VideoCompositionRenderHint) {
      note("anticipate", renderHint)
    }
    func prerollForRendering(using renderHint: VideoCompositionRenderHint) {
      note("preroll", renderHint)
    }
    func renderContextChanged(_ newRenderContext: VideoCompositionRenderContext) {
      told.withLock {
        $0.append("context \(newRenderContext.pixelAspectRatio.doubleValue)")
      }
    }
    func startRequest(_ request: AsynchronousVideoCompositionRequest) {
      told.withLock { if !$0.contains("request") { $0.append("request") } }
      guard let frame = request.sourceFrame(byTrackID: 1) else {
        return request.finishCancelledRequest()
      }
      colors.withLock { _ = $0.insert(frame.frame.color.matrix) }
      request.finish(withComposedVideoFrame: frame)
    }
  }

  @Test(.rule("The custom compositor in use is available"))
  func `the custom compositor in use is available and gets its callbacks`() throws {
    let listening = Listening()
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: clip))
    composition.customVideoCompositor = { listening }
    let (reader, output) = try reader(nil, composition)
    #expect(output.customVideoCompositor == nil)
    _ = try pictures((reader, output))
    #expect(output.customVideoCompositor === listening)
    #expect(
      listening.told.withLock { $0 } == [
        "anticipate 0.0 0.2", "preroll 0.0 0.2", "context 1.0", "request",
      ])
    let plain = try self.reader(nil)
    _ = try pictures(plain)
    #expect(plain.1.customVideoCompositor == nil)
  }

  @Test(.rule, arguments: [true, false])
  func `a compositor that does not conform colors gets frames with the composition's colors`(
    conforms: Bool
  ) throws {
    let listening = Listening(conforms: conforms)
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: clip))
    composition.customVideoCompositor = { listening }
    composition.colorYCbCrMatrix = 9
    let made = try pictures(try reader(nil, composition))
    // The clip does not state its matrix.
    #expect(listening.colors.withLock { $0 } == [conforms ? 2 : 9])
    #expect(Set(made.map(\.frame.color.matrix)) == [9])
  }
}
