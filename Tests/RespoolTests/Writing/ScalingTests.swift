import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Frames that a writer scales or converts to match its settings.
@Suite struct ScalingTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns a 128x64 frame of gray columns that end at `edges`.
  private func columns(_ edges: [Int], aspect: Rational = .unknown) throws -> Frame {
    let grays = [30, 80, 120, 160, 200]
    let picture = try VideoFixture.picture(.yuv420p, 128, 64, color: .unspecified) { plane, x, _ in
      plane > 0 ? 128 : grays[edges.count { $0 <= x }]
    }
    var frame = picture.frame
    frame.sampleAspect = aspect
    return frame
  }

  private func write(
    _ frame: Frame, aperture: CleanAperture? = nil, _ settings: VideoOutputSettings,
    name: String = "out.mp4"
  ) throws -> String {
    let writer = try Writing.writer(scratch, name)
    let input = AssetWriterInput(mediaType: .video, settings: .video(settings))
    try Writing.start(writer, [input])
    let picture = try #require(PixelBuffer(frame, cleanAperture: aperture))
    for number in 0..<3 {
      try #require(
        input.append(SampleBuffer(picture, at: Writing.time(number), duration: Writing.time(1))),
        "\(String(describing: writer.error))")
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return writer.path
  }

  private func settings(
    _ mode: VideoOutputSettings.ScalingMode, _ width: Int, _ height: Int, aspect: Rational? = nil
  ) -> VideoOutputSettings {
    VideoOutputSettings(
      codec: "h264", width: width, height: height, encoder: "x264", quality: 5,
      scalingMode: mode, pixelAspectRatio: aspect)
  }

  /// Returns the luma of ffmpeg's second frame at these positions, which are fractions of width and height.
  private func grays(_ path: String, _ width: Int, _ height: Int, _ places: [(Double, Double)])
    throws -> [Int]
  {
    let luma = try FFmpegPictures(path, width: width, height: height).luma(1)
    return places.map { luma[Int($0.0 * Double(width)), Int($0.1 * Double(height))] }
  }

  private func expect(
    _ made: [Int], _ wanted: [Int], _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(made.count == wanted.count, sourceLocation: location)
    #expect(
      zip(made, wanted).allSatisfy { abs($0 - $1) <= 4 }, "\(made), not \(wanted)",
      sourceLocation: location)
  }

  @Test(.rule("AVVideoScalingModeResize does not preserve the aspect ratio"))
  func `the mode resize fills the size and does not preserve the aspect ratio`() throws {
    let path = try write(columns([16, 48, 80, 112]), settings(.resize, 128, 128))
    let made = try grays(
      path, 128, 128,
      [(0.05, 0.02), (0.25, 0.5), (0.5, 0.98), (0.75, 0.02), (0.95, 0.98)])
    expect(made, [30, 80, 120, 160, 200])
  }

  @Test(
    .rule("AVVideoScalingModeResizeAspect preserves the aspect ratio and fills the rest with black")
  )
  func `the mode resizeAspect preserves the aspect ratio in the middle of black`() throws {
    let path = try write(columns([16, 48, 80, 112]), settings(.resizeAspect, 128, 128))
    // The frame is twice as wide as high and fills rows 32 to 95.
    let made = try grays(
      path, 128, 128,
      [
        (0.5, 0.05), (0.5, 0.23), (0.5, 0.27), (0.05, 0.5), (0.95, 0.5), (0.5, 0.72), (0.5, 0.78),
        (0.5, 0.95),
      ])
    expect(made, [16, 16, 120, 30, 200, 120, 16, 16])
  }

  @Test(.rule("AVVideoScalingModeResizeAspectFill preserves the aspect ratio and crops"))
  func `the mode resizeAspectFill preserves the aspect ratio and crops`() throws {
    let path = try write(columns([16, 48, 80, 112]), settings(.resizeAspectFill, 128, 128))
    // Columns 32 to 95 of 0 to 127 remain.
    let made = try grays(
      path, 128, 128, [(0.02, 0.02), (0.2, 0.5), (0.5, 0.98), (0.8, 0.02), (0.98, 0.98)])
    expect(made, [80, 80, 120, 160, 160])
  }

  @Test func `the pixel aspect ratio is used before and after`() throws {
    // 128x64 pixels that are twice as high as wide are shown as a square.
    let path = try write(
      columns([16, 48, 80, 112], aspect: Rational(1, 2)), settings(.resizeAspect, 128, 64))
    // The frame already has the size of the settings, so it is not scaled.
    expect(try grays(path, 128, 64, [(0.05, 0.5), (0.95, 0.5)]), [30, 200])
    let square = try write(
      columns([16, 48, 80, 112], aspect: Rational(1, 2)), settings(.resizeAspect, 192, 96),
      name: "square.mp4")
    // The frame fills the middle 96 of 192 columns.
    expect(
      try grays(square, 192, 96, [(0.1, 0.5), (0.27, 0.5), (0.5, 0.5), (0.73, 0.5), (0.9, 0.5)]),
      [16, 30, 120, 200, 16])
    #expect(
      try Writing.probe(square, ["-show_entries", "stream=sample_aspect_ratio"])
        .trimmingCharacters(in: .whitespacesAndNewlines) == "1:1")
    let wide = try write(
      columns([16, 48, 80, 112]), settings(.resizeAspect, 128, 128, aspect: Rational(2, 1)),
      name: "wide.mp4")
    // Shown at 256x128, which has the aspect ratio of the source: no bars.
    expect(try grays(wide, 128, 128, [(0.05, 0.02), (0.5, 0.98), (0.95, 0.5)]), [30, 120, 200])
  }

  @Test(
    .rule, arguments: [VideoOutputSettings.ScalingMode.resize, .resizeAspect, .resizeAspectFill])
  func `frames are cropped to their clean aperture before scaling`(
    mode: VideoOutputSettings.ScalingMode
  ) throws {
    // The aperture has columns 16 to 111 and rows 8 to 55: twice as wide as high.
    let frame = try columns([16, 48, 80, 112])
    let path = try write(
      frame, aperture: CleanAperture(width: 96, height: 48), settings(mode, 192, 96))
    expect(
      try grays(path, 192, 96, [(0.02, 0.02), (0.3, 0.5), (0.5, 0.5), (0.7, 0.5), (0.98, 0.98)]),
      [80, 80, 120, 160, 160])
    #expect(try Writing.track(path, .video).cleanAperture == nil)
  }

  @Test(.rule) func `without width and height the size is that of the source`() throws {
    let writer = try Writing.writer(scratch, "other.mp4")
    #expect(writer.canApply(settings: .video(codec: "h264"), for: .video))
    #expect(!writer.canApply(settings: .video(codec: "h264", width: 64), for: .video))
    #expect(!writer.canApply(settings: .video(codec: "h264", width: 0, height: 0), for: .video))
    let path = try write(
      columns([16, 48, 80, 112]), VideoOutputSettings(codec: "h264", encoder: "x264", quality: 5))
    expect(try grays(path, 128, 64, [(0.05, 0.5), (0.5, 0.5), (0.95, 0.5)]), [30, 120, 200])
  }

  @Test(.rule("A writer's input does not accept AVVideoScalingModeFit"))
  func `a writer input does not accept the mode fit`() throws {
    let writer = try Writing.writer(scratch)
    #expect(
      !writer.canApply(
        settings: .video(codec: "h264", width: 64, height: 64, scalingMode: .fit), for: .video))
    #expect(
      writer.canApply(
        settings: .video(codec: "h264", width: 64, height: 64, scalingMode: .resizeAspect),
        for: .video))
  }

  @Test(.rule) func `color properties mark the output, and frames with others are converted`()
    throws
  {
    // Red in BT.601. In BT.709 the same red has other code values.
    var frame = try FrameFixture.flat(.yuv420p, 96, 64, [90, 106, 195])
    frame.color = ColorDescription(primaries: 1, transfer: 1, matrix: 6)
    var settings = VideoOutputSettings(codec: "h264", encoder: "x264", quality: 5)
    settings.color = ColorDescription(primaries: 1, transfer: 1, matrix: 1)
    let path = try write(frame, settings)
    #expect(
      try Writing.probe(
        path, ["-show_entries", "stream=color_space,color_transfer,color_primaries"]
      ).trimmingCharacters(in: .whitespacesAndNewlines) == "bt709,bt709,bt709")
    let made = try FFmpegPictures(path, width: 96, height: 64).pictures[0]
    // In BT.601, Y 74/219, Cb -22/224 and Cr 67/224 are red .757, green .194 and blue .164.
    let (red, green, blue) = (
      74.0 / 219 + 1.402 * 67 / 224,
      74.0 / 219 - 0.344136 * -22 / 224 - 0.714136 * 67 / 224, 74.0 / 219 + 1.772 * -22 / 224
    )
    let y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    expect(
      [made[0], made[96 * 64], made[96 * 64 * 5 / 4]].map(Int.init),
      [16 + 219 * y, 128 + 224 * (blue - y) / 1.8556, 128 + 224 * (red - y) / 1.5748].map {
        Int($0.rounded())
      })
    // Without a color in the settings, the color is unchanged.
    let plain = try write(
      frame, VideoOutputSettings(codec: "h264", encoder: "x264", quality: 5), name: "plain.mp4")
    expect(
      try FFmpegPictures(plain, width: 96, height: 64).pictures[0].prefix(1).map(Int.init), [90])
  }
}
