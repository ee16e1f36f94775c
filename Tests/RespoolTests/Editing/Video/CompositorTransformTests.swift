import Foundation
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Rotated, scaled and shifted layers, compared with a separate computation in floating point.
///
/// The computation is bilinear at the position of each pixel component and measures the covered part of a pixel
/// line by line. At either bit depth, edges may differ by two codes and all else by one.
@Suite struct CompositorTransformTests {
  private static let squares = 12

  /// Creates a luma checkerboard with smooth chroma, in codes of the format's bit depth.
  private func board(_ format: PixelFormat, _ width: Int, _ height: Int) throws -> PixelBuffer {
    let unit = format.layout?.depth == 10 ? 4 : 1
    return try VideoFixture.picture(format, width, height) { plane, x, y in
      switch plane {
      case 0: ((x / Self.squares + y / Self.squares) % 2 == 0 ? 40 : 215) * unit
      case 1: (80 + x) * unit
      default: (200 - y) * unit
      }
    }
  }

  /// Returns the position of a pixel component, in pixels, for 4:2:0 with chroma sited at the left.
  private func place(_ plane: Int, _ x: Int, _ y: Int) -> (x: Double, y: Double) {
    plane == 0 ? (Double(x) + 0.5, Double(y) + 0.5) : (2 * Double(x) + 0.5, 2 * Double(y) + 1)
  }

  private func value(_ source: VideoFixture.Plane, _ plane: Int, at point: (x: Double, y: Double))
    -> Double
  {
    let x = plane == 0 ? point.x - 0.5 : (point.x - 0.5) / 2
    let y = plane == 0 ? point.y - 0.5 : (point.y - 1) / 2
    let (left, top) = (Int(floor(x)), Int(floor(y)))
    func sample(_ x: Int, _ y: Int) -> Double {
      Double(source[min(max(x, 0), source.width - 1), min(max(y, 0), source.height - 1)])
    }
    let (u, v) = (x - floor(x), y - floor(y))
    return (sample(left, top) * (1 - u) + sample(left + 1, top) * u) * (1 - v)
      + (sample(left, top + 1) * (1 - u) + sample(left + 1, top + 1) * u) * v
  }

  /// Returns the part of a pixel component's area that the source covers, from 0 to 1.
  ///
  /// The part is computed exactly along each of many lines.
  private func coverage(
    _ plane: Int, _ x: Int, _ y: Int, _ back: Transform, width: Int, height: Int
  ) -> Double {
    let side = plane == 0 ? 1.0 : 2.0
    let lines = 2048
    var sum = 0.0
    // The lines cross the edges: an edge parallel to them could add or lose a whole line.
    let isAcross = abs(back.c) > abs(back.a)
    let (alongX, alongY) = isAcross ? (back.c, back.d) : (back.a, back.b)
    for line in 0..<lines {
      let part = (Double(line) + 0.5) / Double(lines) * side
      let from =
        isAcross
        ? back.apply(Double(x) * side + part, Double(y) * side)
        : back.apply(Double(x) * side, Double(y) * side + part)
      var (low, high) = (0.0, side)
      for (start, step, most) in [(from.x, alongX, width), (from.y, alongY, height)] {
        if step == 0 {
          if start < 0 || start > Double(most) { high = low }
        } else {
          let ends = (-start / step, (Double(most) - start) / step)
          low = max(low, min(ends.0, ends.1))
          high = min(high, max(ends.0, ends.1))
        }
      }
      sum += max(0, high - low)
    }
    return sum / side / Double(lines)
  }

  private func check(
    _ result: PixelBuffer, _ source: PixelBuffer, _ transform: Transform, opacity: Double = 1
  ) throws {
    let back = try #require(transform.inverted)
    let unit = source.pixelFormat.layout?.depth == 10 ? 4.0 : 1
    for plane in 0..<3 {
      let from = try VideoFixture.plane(source, plane)
      let made = try VideoFixture.plane(result, plane)
      let ground = (plane == 0 ? 16 : 128) * unit
      var (flat, edge) = (0.0, 0.0)
      for y in 0..<made.height {
        for x in 0..<made.width {
          let side = plane == 0 ? 1.0 : 2.0
          let corners = [(0.0, 0.0), (side, 0), (0, side), (side, side)].map {
            back.apply(Double(x) * side + $0.0, Double(y) * side + $0.1)
          }
          let isInside = corners.allSatisfy {
            $0.x >= 0 && $0.x <= Double(source.width) && $0.y >= 0 && $0.y <= Double(source.height)
          }
          let isNear = corners.contains {
            $0.x > -4 && $0.x < Double(source.width) + 4 && $0.y > -4
              && $0.y < Double(source.height) + 4
          }
          let covered =
            isInside
            ? 1
            : isNear
              ? coverage(plane, x, y, back, width: source.width, height: source.height) : 0
          let point = place(plane, x, y)
          let wanted =
            ground
            + (value(from, plane, at: back.apply(point.x, point.y)) - ground) * covered * opacity
          let difference = abs(Double(made[x, y]) - wanted)
          if covered == 0 || covered == 1 {
            flat = max(flat, difference)
          } else {
            edge = max(edge, difference)
          }
        }
      }
      #expect(flat <= 1, "plane \(plane)")
      #expect(edge <= 2, "plane \(plane)")
    }
  }

  @Test(
    arguments: [PixelFormat.yuv420p, .yuv420p10le],
    [
      Transform(rotation: .pi / 7), Transform(rotation: -2.2),
      Transform(scaleX: 1.37, y: 0.99).concatenating(Transform(rotation: 0.3)),
      Transform(a: 1.2, b: 0.2, c: -0.4, d: 1.1), Transform(a: -1, b: 0.1, c: 0.05, d: 1),
    ])
  func `rotated checkerboards are bilinear with anti-aliased edges`(
    format: PixelFormat, transform: Transform
  )
    throws
  {
    let source = try board(format, 66, 48)
    let centered = Transform(translationX: -33, y: -24).concatenating(transform)
      .concatenating(Transform(translationX: 60.25, y: 50.75))
    let composition = VideoFixture.composition(
      121, 103, [try VideoFixture.layer(1) { try $0.setTransform(centered, at: .zero) }])
    try check(VideoFixture.render(composition, [1: source]), source, centered)
  }

  @Test(arguments: [PixelFormat.yuv420p, .yuv420p10le])
  func `rotated layers may be translucent`(format: PixelFormat) throws {
    let source = try board(format, 40, 40)
    let transform = Transform(rotation: 0.5).concatenating(Transform(translationX: 30, y: 5))
    let composition = VideoFixture.composition(
      70, 64,
      [
        try VideoFixture.layer(1) {
          try $0.setTransform(transform, at: .zero)
          try $0.setOpacity(0.3, at: .zero)
        }
      ])
    try check(VideoFixture.render(composition, [1: source]), source, transform, opacity: 0.3)
  }

  @Test(
    arguments: [PixelFormat.yuv420p, .yuv420p10le],
    [(0.5, 0.25), (1, 1), (3, 2), (-7.125, 4), (0, 0.875)])
  func `moves by parts of a pixel are exact`(format: PixelFormat, by move: (x: Double, y: Double))
    throws
  {
    let (x, y) = move
    let source = try board(format, 48, 36)
    let move = Transform(translationX: x, y: y)
    let composition = VideoFixture.composition(
      48, 36, [try VideoFixture.layer(1) { try $0.setTransform(move, at: .zero) }])
    try check(VideoFixture.render(composition, [1: source]), source, move)
  }

  @Test(arguments: [PixelFormat.yuv420p, .yuv420p10le])
  func `a transform ramp is exact at each time`(format: PixelFormat) throws {
    let source = try board(format, 40, 30)
    let end = Transform(a: 1.5, b: 0.5, c: -0.5, d: 1.25, tx: 20, ty: 10)
    let composition = VideoFixture.composition(
      90, 70,
      [
        try VideoFixture.layer(1) {
          try $0.setTransformRamp(fromStart: .identity, toEnd: end, timeRange: VideoFixture.second)
        }
      ])
    for seconds in [0.25, 0.5, 0.8] {
      let transform = Transform.interpolate(.identity, end, seconds)
      try check(
        VideoFixture.render(composition, at: seconds, [1: source]), source, transform)
    }
  }

  @Test(arguments: [PixelFormat.yuv420p, .yuv420p10le])
  func `gradients stay gradients after scaling`(format: PixelFormat) throws {
    // Luma is linear in x and y, so every correct filter gives the same result.
    let unit = format.layout?.depth == 10 ? 4 : 1
    let source = try VideoFixture.picture(format, 80, 60) { plane, x, y in
      (plane == 0 ? 30 + 2 * x + y / 2 * 1 : plane == 1 ? 60 + 2 * x : 220 - 3 * y) * unit
    }
    for (scaleX, scaleY) in [(2.0, 2.0), (0.5, 0.5), (0.3, 0.8), (1.25, 0.75)] {
      let (width, height) = (Int(80 * scaleX), Int(60 * scaleY))
      let composition = VideoFixture.composition(
        width, height,
        [
          try VideoFixture.layer(1) {
            try $0.setTransform(Transform(scaleX: scaleX, y: scaleY), at: .zero)
          }
        ])
      let result = try VideoFixture.render(composition, [1: source])
      let difference = VideoFixture.greatestDifference(try VideoFixture.plane(result, 1)) { x, y in
        let place = (Double(2 * x) + 0.5) / scaleX
        let index = (place - 0.5) / 2
        guard index > 4, index < 35, y > 4, y < result.height / 2 - 4 else { return nil }
        return (60 + 2 * index) * Double(unit)
      }
      #expect(difference <= 1)
    }
  }

  @Test func `a small rotated frame has the mean of its pixels`() throws {
    // Each pixel of the canvas covers more than a hundred pixels of the source.
    let source = try VideoFixture.picture(.yuv420p, 640, 640) { plane, x, y in
      plane == 0 ? (x + y) % 2 * 200 + 20 : 128
    }
    let transform = Transform(scaleX: 0.08, y: 0.08).concatenating(Transform(rotation: 0.4))
      .concatenating(Transform(translationX: 25, y: 2))
    let composition = VideoFixture.composition(
      80, 80, [try VideoFixture.layer(1) { try $0.setTransform(transform, at: .zero) }])
    let luma = try VideoFixture.plane(VideoFixture.render(composition, [1: source]), 0)
    let back = try #require(transform.inverted)
    let difference = VideoFixture.greatestDifference(luma) { x, y in
      let point = back.apply(Double(x) + 0.5, Double(y) + 0.5)
      guard (30..<610).contains(point.x), (30..<610).contains(point.y) else { return nil }
      return 120
    }
    #expect(difference <= 2)
  }

  @Test(arguments: [0, 90, 180, 270])
  func `quarter turns keep every luma sample`(degrees: Int) throws {
    let source = try board(.yuv420p, 48, 36)
    let transform = Transform(
      upright: DisplayMatrix(clockwiseDegrees: degrees), width: 48, height: 36)
    let (width, height) = degrees % 180 == 0 ? (48, 36) : (36, 48)
    let composition = VideoFixture.composition(
      width, height, [try VideoFixture.layer(1) { try $0.setTransform(transform, at: .zero) }])
    let result = try VideoFixture.render(composition, [1: source])
    try check(result, source, transform)
    let (from, to) = (try VideoFixture.plane(source, 0), try VideoFixture.plane(result, 0))
    for y in 0..<36 {
      for x in 0..<48 {
        let place = transform.apply(Double(x) + 0.5, Double(y) + 0.5)
        #expect(to[Int(place.x), Int(place.y)] == from[x, y])
      }
    }
  }

  @Test func `impossible transforms show the background`() throws {
    let source = try board(.yuv420p, 16, 16)
    for transform in [
      Transform(scaleX: 0, y: 1), Transform(a: 1, b: 1, c: 1, d: 1),
      Transform(scaleX: 1e-12, y: 1e-12), Transform(translationX: 1e300, y: 0),
      Transform(scaleX: 1e300, y: 1e300), Transform(translationX: 16, y: 0),
    ] {
      let composition = VideoFixture.composition(
        16, 16, [try VideoFixture.layer(1) { try $0.setTransform(transform, at: .zero) }])
      let luma = try VideoFixture.plane(VideoFixture.render(composition, [1: source]), 0)
      let isEnlarged = transform.a > 1
      #expect(luma.samples.allSatisfy { isEnlarged || $0 == 16 })
    }
  }

  @Test func `pixels that are not square are stretched`() throws {
    let plain = try VideoFixture.flat(.yuv420p, 36, 20, [150, 90, 90])
    var frame = plain.frame
    frame.sampleAspect = Rational(4, 3)
    let picture = try #require(PixelBuffer(frame))
    let composition = VideoFixture.composition(60, 20, [VideoFixture.layer(1)])
    let renderer = try VideoCompositionRenderer(composition, sources: [])
    let luma = try VideoFixture.plane(
      #require(try renderer.render(at: .zero, frames: [1: picture])), 0)
    #expect(luma[47, 9] == 150)
    #expect(luma[48, 9] == 16)
  }
}
