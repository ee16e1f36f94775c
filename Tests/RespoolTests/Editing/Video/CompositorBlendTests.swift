import RespoolMedia
import ReadingFixtures
import TestFixtures
import Testing

@testable import Respool

/// Layers at whole pixels: opacity, order, background, crop, alpha.
@Suite struct CompositorBlendTests {
  /// Creates a gradient over the codes of a bit depth that differs in each plane.
  private func gradient(_ format: PixelFormat, _ width: Int, _ height: Int, seed: Int) throws
    -> PixelBuffer
  {
    let most = (1 << (format.layout?.depth ?? 8)) - 1
    return try VideoFixture.picture(format, width, height) { plane, x, y in
      (x * (7 + plane) + y * (3 + seed) + seed * 97) % (most + 1)
    }
  }

  @Test(arguments: [PixelFormat.yuv420p, .yuv420p10le], [0, 0.1, 0.25, 0.5, 0.999, 1])
  func `an opacity ramp blends within one code`(format: PixelFormat, seconds: Double) throws {
    let (width, height) = (107, 33)
    let lower = try gradient(format, width, height, seed: 1)
    let upper = try gradient(format, width, height, seed: 2)
    let composition = VideoFixture.composition(
      width, height,
      [
        try VideoFixture.layer(1) {
          try $0.setOpacityRamp(
            fromStartOpacity: 0, toEndOpacity: 1, timeRange: VideoFixture.second)
        }, VideoFixture.layer(2),
      ])
    let wide = MutableVideoCompositionInstruction(
      timeRange: TimeRange(start: .zero, duration: MediaTime(value: 2, timescale: 1)),
      layerInstructions: (composition.instructions[0] as? VideoCompositionInstruction)?
        .layerInstructions ?? [])
    composition.instructions = [wide]
    let result = try VideoFixture.render(composition, at: seconds, [1: upper, 2: lower])
    #expect(result.pixelFormat == format)
    for plane in 0..<3 {
      let (a, b) = (try VideoFixture.plane(lower, plane), try VideoFixture.plane(upper, plane))
      let difference = VideoFixture.greatestDifference(try VideoFixture.plane(result, plane)) {
        Double(a[$0, $1]) + (Double(b[$0, $1]) - Double(a[$0, $1])) * seconds
      }
      // Only the rounding to the nearest code is lost.
      #expect(difference <= 0.6)
    }
  }

  @Test func `every pair of codes and many weights blend to the nearest code`() {
    for weight in stride(from: 0, through: 1, by: 1.0 / 64) {
      for base in stride(from: 0, through: 255, by: 5) {
        let layer = (0...255).map { UInt8($0) }
        var result = [UInt8](repeating: UInt8(base), count: 256)
        let under = result
        BlendRows.mix(
          depth: 8, base: under, layer: layer, weight: LayerWeight(opacity: weight), into: &result,
          count: 256)
        for code in 0...255 {
          let wanted = Double(base) + Double(code - base) * weight
          #expect(abs(Double(result[code]) - wanted) <= 0.55)
        }
      }
      for base in stride(from: 0, through: 1023, by: 31) {
        let layer = (0...1023).map { UInt16($0) }
        var result = [UInt16](repeating: UInt16(base), count: 1024)
        let weights = [LayerWeight](repeating: LayerWeight(opacity: weight), count: 1024)
        BlendRows.mix(depth: 10, layer: layer, weights: weights, into: &result, count: 1024)
        for code in stride(from: 0, through: 1023, by: 3) {
          let wanted = Double(base) + Double(code - base) * weight
          #expect(abs(Double(result[code]) - wanted) <= 0.6)
        }
      }
    }
  }

  @Test func `an opaque layer in its place is the source itself`() throws {
    let picture = try gradient(.yuv420p, 64, 48, seed: 0)
    let hidden = try gradient(.yuv420p, 64, 48, seed: 5)
    let composition = VideoFixture.composition(
      64, 48, [VideoFixture.layer(1), VideoFixture.layer(2)])
    let result = try VideoFixture.render(composition, [1: picture, 2: hidden])
    #expect(result === picture)
  }

  @Test(.rule) func `the first layer instruction is topmost`() throws {
    let red = try VideoFixture.flat(.yuv420p, 16, 16, [63, 102, 240])
    let blue = try VideoFixture.flat(.yuv420p, 8, 8, [32, 240, 118])
    let composition = VideoFixture.composition(
      16, 16,
      [
        try VideoFixture.layer(2) { try $0.setTransform(.init(translationX: 4, y: 6), at: .zero) },
        VideoFixture.layer(1),
      ])
    let result = try VideoFixture.render(composition, [1: red, 2: blue])
    let luma = try VideoFixture.plane(result, 0)
    let chroma = try VideoFixture.plane(result, 1)
    for y in 0..<16 {
      for x in 0..<16 {
        let isBlue = (4..<12).contains(x) && (6..<14).contains(y)
        #expect(luma[x, y] == (isBlue ? 32 : 63))
        #expect(chroma[x / 2, y / 2] == (isBlue ? 240 : 102))
      }
    }
  }

  @Test(arguments: [
    (VideoColor.black, ColorDescription.bt709, [16, 128, 128]),
    (.white, .bt709, [235, 128, 128]),
    (VideoColor(red: 1, green: 0, blue: 0), .bt709, [63, 102, 240]),
    (VideoColor(red: 1, green: 0, blue: 0), .bt601NTSC, [81, 90, 240]),
    (VideoColor(red: 0, green: 0, blue: 9), .bt601NTSC, [41, 240, 110]),
    (
      VideoColor(red: 0, green: 1, blue: 0),
      ColorDescription(primaries: 1, transfer: 1, matrix: 1, range: .full), [182, 30, 12]
    ),
  ])
  func `the background has its known codes`(
    color: VideoColor, as space: ColorDescription, codes: [Int]
  )
    throws
  {
    let picture = try VideoFixture.flat(.yuv420p, 4, 4, [100, 100, 100], color: space)
    let composition = VideoFixture.composition(
      12, 10, [VideoFixture.layer(1)], background: color)
    let result = try VideoFixture.render(composition, [1: picture])
    for plane in 0..<3 {
      let samples = try VideoFixture.plane(result, plane)
      #expect(samples[samples.width - 1, samples.height - 1] == codes[plane])
      #expect(samples[0, 0] == 100)
    }
    #expect(result.frame.color == space)
  }

  @Test(arguments: [(UInt8(16), 0.5807), (18, 0.75)])
  func `white is not dazzling in HDR`(transfer: UInt8, signal: Double) throws {
    let space = ColorDescription(primaries: 9, transfer: transfer, matrix: 9, range: .limited)
    let picture = try VideoFixture.flat(.yuv420p10le, 4, 4, [400, 512, 512], color: space)
    let composition = VideoFixture.composition(8, 8, [VideoFixture.layer(1)], background: .white)
    let result = try VideoFixture.render(composition, [1: picture])
    #expect(try abs(Double(VideoFixture.plane(result, 0)[7, 7]) - (64 + 876 * signal)) <= 1)
    #expect(try abs(VideoFixture.plane(result, 1)[3, 3] - 512) <= 1)
    #expect(try abs(VideoFixture.plane(result, 2)[3, 3] - 512) <= 1)
  }

  @Test func `a translucent layer is blended over a background`() throws {
    let picture = try VideoFixture.flat(.yuv420p10le, 10, 10, [940, 200, 700])
    let composition = VideoFixture.composition(
      10, 10, [try VideoFixture.layer(1) { try $0.setOpacity(0.25, at: .zero) }])
    let result = try VideoFixture.render(composition, [1: picture])
    for (plane, wanted) in [64 + 219, 512 - 78, 512 + 47].enumerated() {
      #expect(try VideoFixture.plane(result, plane).samples.allSatisfy { abs($0 - wanted) <= 1 })
    }
  }

  @Test func `a crop shows its part in place`() throws {
    let picture = try gradient(.yuv420p, 40, 30, seed: 3)
    let composition = VideoFixture.composition(
      40, 30,
      [
        try VideoFixture.layer(1) {
          try $0.setCropRectangle(Rectangle(x: 10, y: 4, width: 12, height: 18), at: .zero)
        }
      ])
    let result = try VideoFixture.render(composition, [1: picture])
    for plane in 0..<3 {
      let shift = plane == 0 ? 0 : 1
      let source = try VideoFixture.plane(picture, plane)
      let difference = VideoFixture.greatestDifference(try VideoFixture.plane(result, plane)) {
        x, y in
        let isShown =
          (10 >> shift..<22 >> shift).contains(x) && (4 >> shift..<22 >> shift).contains(y)
        return isShown ? Double(source[x, y]) : plane == 0 ? 16 : 128
      }
      #expect(difference == 0)
    }
  }

  @Test func `a crop ramp moves its edge by parts of a pixel`() throws {
    let picture = try VideoFixture.flat(.yuv420p, 32, 16, [216, 128, 128])
    let composition = VideoFixture.composition(
      32, 16,
      [
        try VideoFixture.layer(1) {
          try $0.setCropRectangleRamp(
            fromStartCropRectangle: Rectangle(x: 0, y: 0, width: 32, height: 16),
            toEndCropRectangle: Rectangle(x: 0, y: 0, width: 0, height: 16),
            timeRange: VideoFixture.second)
        }
      ])
    // At 0.24 s the edge is at x = 24.32.
    let luma = try VideoFixture.plane(VideoFixture.render(composition, at: 0.24, [1: picture]), 0)
    #expect(luma[23, 5] == 216)
    #expect(abs(luma[24, 5] - (16 + 64)) <= 1)
    #expect(luma[25, 5] == 16)
  }

  @Test func `alpha of a source is used`() throws {
    // Alpha rises from left to right. Where it is 0, the color must not show.
    let picture = try VideoFixture.picture(.yuva444p, 256, 8) { plane, x, _ in
      plane == 3 ? x : [235, 90, 160][plane]
    }
    let below = try VideoFixture.flat(.yuv444p, 256, 8, [35, 140, 100])
    let composition = VideoFixture.composition(
      256, 8,
      [
        try VideoFixture.layer(1) { try $0.setOpacity(0.5, at: .zero) }, VideoFixture.layer(2),
      ])
    let frames = [Int64(1): picture, 2: below]
    let renderer = try VideoCompositionRenderer(
      composition, sources: [VideoFixture.source(2, below), VideoFixture.source(1, picture)],
      pixelFormat: .yuv444p)
    let result = try #require(try renderer.render(at: .zero, frames: frames))
    for plane in 0..<3 {
      let (top, bottom) = ([235.0, 90, 160][plane], [35.0, 140, 100][plane])
      let difference = VideoFixture.greatestDifference(try VideoFixture.plane(result, plane)) {
        x, _ in bottom + (top - bottom) * Double(x) / 255 * 0.5
      }
      #expect(difference <= 0.6)
    }
  }

  @Test func `a clear background makes a transparent frame`() throws {
    let picture = try VideoFixture.flat(.yuv420p, 8, 8, [200, 100, 150])
    let composition = VideoFixture.composition(
      16, 8,
      [
        try VideoFixture.layer(2) {
          try $0.setOpacity(0.5, at: .zero)
          try $0.setTransform(Transform(translationX: 4, y: 0), at: .zero)
        }, VideoFixture.layer(1),
      ], background: .clear)
    let other = try VideoFixture.flat(.yuv420p, 8, 8, [100, 100, 150])
    let result = try VideoFixture.render(composition, [1: picture, 2: other])
    #expect(result.pixelFormat == .yuva420p)
    let luma = try VideoFixture.plane(result, 0)
    let alpha = try VideoFixture.plane(result, 3)
    #expect(
      (0..<16).map { alpha[$0, 3] } == [255, 255, 255, 255, 255, 255, 255, 255]
        + [128, 128, 128, 128, 0, 0, 0, 0])
    // Over the opaque layer, the mean of both; over nothing, the layer's own color.
    #expect(luma[1, 3] == 200)
    #expect(luma[5, 3] == 150)
    #expect(luma[9, 3] == 100)
  }

  @Test func `another matrix and range are converted`() throws {
    // Red by BT.601 with full range is red by BT.709 with limited range.
    let full = ColorDescription(primaries: 1, transfer: 1, matrix: 6, range: .full)
    let red = try VideoFixture.flat(.yuv444p, 16, 16, [76, 85, 255], color: full)
    let base = try VideoFixture.flat(.yuv420p, 32, 32, [16, 128, 128])
    let composition = VideoFixture.composition(
      32, 32, [VideoFixture.layer(2), VideoFixture.layer(1)])
    let result = try VideoFixture.render(composition, [1: base, 2: red])
    #expect(try abs(VideoFixture.plane(result, 0)[4, 4] - 63) <= 1)
    #expect(try abs(VideoFixture.plane(result, 1)[4, 4] - 102) <= 1)
    #expect(try abs(VideoFixture.plane(result, 2)[4, 4] - 240) <= 1)
  }

  @Test func `missing frames and tracks leave the background`() throws {
    let composition = VideoFixture.composition(10, 6, [VideoFixture.layer(1)])
    let result = try VideoFixture.render(composition, [:])
    #expect(try VideoFixture.plane(result, 0).samples.allSatisfy { $0 == 16 })
    #expect((result.width, result.height) == (10, 6))
    let renderer = try VideoFixture.renderer(composition, [:])
    #expect(try renderer.render(at: VideoFixture.time(1), frames: [:]) == nil)
    #expect(renderer.requiredTrackIDs(at: .zero) == [1])
  }

  @Test func `the render scale makes everything smaller`() throws {
    let picture = try VideoFixture.flat(.yuv420p, 64, 64, [200, 90, 100])
    let composition = VideoFixture.composition(
      128, 64,
      [
        try VideoFixture.layer(1) {
          try $0.setTransform(Transform(translationX: 64, y: 0), at: .zero)
        }
      ])
    composition.renderScale = 0.5
    let result = try VideoFixture.render(composition, [1: picture])
    #expect((result.width, result.height) == (64, 32))
    let luma = try VideoFixture.plane(result, 0)
    #expect(luma[31, 9] == 16)
    #expect(luma[32, 9] == 200)
  }
}
