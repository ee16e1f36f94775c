import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct OverlayTests {
  private let base: PixelBuffer

  init() throws { base = try VideoFixture.flat(.yuv444p, 64, 48, [100, 110, 140]) }

  /// Creates a PNG file of straight-alpha RGBA with FFmpeg, and returns its path.
  private func png(
    _ scratch: Scratch, _ width: Int, _ height: Int,
    _ pixel: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8, UInt8)
  ) throws -> String {
    var bytes = Data()
    for y in 0..<height {
      for x in 0..<width {
        let (r, g, b, a) = pixel(x, y)
        bytes.append(contentsOf: [r, g, b, a])
      }
    }
    let (raw, path) = (scratch.path("in.rgba"), scratch.path("in.png"))
    try bytes.write(to: URL(filePath: raw))
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", "\(width)x\(height)",
        "-i", raw, "-frames:v", "1", path,
      ])
    return path
  }

  private func render(
    _ overlays: [Overlay], at seconds: Double = 0, over base: PixelBuffer? = nil
  ) throws -> PixelBuffer {
    let base = base ?? self.base
    let composition = VideoFixture.composition(base.width, base.height, [VideoFixture.layer(1)])
    composition.overlays = overlays
    let renderer = try VideoCompositionRenderer(
      composition, sources: [VideoFixture.source(1, base)], pixelFormat: base.pixelFormat)
    return try #require(
      try renderer.render(at: VideoFixture.time(seconds), frames: [1: base]))
  }

  /// Returns the limited-range Y, Cb and Cr codes of an 8-bit RGB color by BT.709.
  private func codes(_ r: Double, _ g: Double, _ b: Double) -> [Double] {
    let y = (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255
    return [16 + 219 * y, 128 + 224 * (b / 255 - y) / 1.8556, 128 + 224 * (r / 255 - y) / 1.5748]
  }

  @Test(arguments: [1, 0.4])
  func `an image with alpha is blended in the right matrix`(opacity: Double) throws {
    let scratch = try Scratch()
    func pixel(_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8, UInt8) {
      (UInt8(x * 12), UInt8(255 - y * 15), UInt8(x * y % 256), UInt8(min(x * 13, 255)))
    }
    let path = try png(scratch, 20, 16, pixel)
    let result = try render([
      Overlay(
        .image(path: path),
        position: OverlayPosition(.topLeft, offset: .init(x: .points(7), y: .points(9))),
        opacity: opacity)
    ])
    for plane in 0..<3 {
      let difference = VideoFixture.greatestDifference(try VideoFixture.plane(result, plane)) {
        x, y in
        let under = [100.0, 110, 140][plane]
        guard (7..<27).contains(x), (9..<25).contains(y) else { return under }
        let (r, g, b, a) = pixel(x - 7, y - 9)
        let alpha = Double(a) / 255 * opacity
        return under + (codes(Double(r), Double(g), Double(b))[plane] - under) * alpha
      }
      #expect(difference <= 1.2, "plane \(plane)")
    }
  }

  @Test func `chroma is the mean at its location`() throws {
    let scratch = try Scratch()
    // A red image of half the width and height, whose first column lies between two chroma samples.
    let path = try png(scratch, 32, 24) { _, _ in (255, 0, 0, 255) }
    let base = try VideoFixture.flat(.yuv420p, 64, 48, [100, 128, 128])
    let result = try render(
      [
        Overlay(
          .image(path: path),
          position: OverlayPosition(.topLeft, offset: .init(x: .points(9), y: .points(8))))
      ], over: base)
    let luma = try VideoFixture.plane(result, 0)
    let chroma = try VideoFixture.plane(result, 2)
    #expect(luma[8, 12] == 100 && luma[9, 12] == 63 && luma[40, 12] == 63 && luma[41, 12] == 100)
    // Chroma is sited at the left pixel of its pair. It takes half of that pixel and a quarter of each
    // neighbor: column 4 covers pixels 7, 8 and 9.
    #expect((3...6).map { chroma[$0, 6] } == [128, 156, 240, 240])
    #expect((19...21).map { chroma[$0, 6] } == [240, 212, 128])
    #expect([3, 4, 15, 16].map { chroma[10, $0] } == [128, 240, 240, 128])
  }

  @Test(arguments: [PixelFormat.yuv420p, .yuv420p10le])
  func `an opaque image covers exactly`(format: PixelFormat) throws {
    let scratch = try Scratch()
    let path = try png(scratch, 16, 16) { _, _ in (255, 255, 255, 255) }
    let unit = format == .yuv420p ? 1 : 4
    let base = try VideoFixture.flat(format, 64, 48, [16, 90, 90].map { $0 * unit })
    let result = try render(
      [Overlay(.image(path: path), position: OverlayPosition(.bottomRight))], over: base)
    let luma = try VideoFixture.plane(result, 0)
    let expected = VideoFixture.greatestDifference(luma) { x, y in
      Double((x >= 48 && y >= 32 ? 235 : 16) * unit)
    }
    #expect(expected == 0)
  }

  @Test func `size and anchor place the image`() throws {
    let scratch = try Scratch()
    let path = try png(scratch, 8, 4) { _, _ in (0, 0, 0, 255) }
    let result = try render([
      Overlay(.image(path: path), position: OverlayPosition(.center), width: .fraction(0.5))
    ])
    let luma = try VideoFixture.plane(result, 0)
    for (x, y, isCovered) in [
      (15, 24, false), (16, 24, true), (47, 24, true), (48, 24, false), (30, 15, false),
      (30, 16, true), (30, 31, true), (30, 32, false),
    ] {
      #expect(luma[x, y] == (isCovered ? 16 : 100), "\(x) \(y)")
    }
  }

  @Test func `fades and time ranges set the opacity`() throws {
    let scratch = try Scratch()
    let path = try png(scratch, 64, 48) { _, _ in (255, 255, 255, 255) }
    let overlay = Overlay(
      .image(path: path),
      timeRange: TimeRange(start: VideoFixture.time(0.2), end: VideoFixture.time(0.8)),
      fadeIn: VideoFixture.time(0.2), fadeOut: VideoFixture.time(0.1))
    for (seconds, opacity) in [
      (0.1, 0.0), (0.2, 0), (0.3, 0.5), (0.4, 1), (0.65, 1), (0.75, 0.5), (0.8, 0), (0.9, 0),
    ] {
      let luma = try VideoFixture.plane(render([overlay], at: seconds), 0)
      #expect(abs(Double(luma[30, 20]) - (100 + 135 * opacity)) <= 1, "\(seconds)")
    }
    let untouched = try render([overlay], at: 0.1)
    #expect(untouched === base)
  }

  @Test func `keyframes move by parts of a pixel`() throws {
    let scratch = try Scratch()
    let path = try png(scratch, 10, 10) { _, _ in (255, 255, 255, 255) }
    let overlay = Overlay(
      .image(path: path), position: OverlayPosition(.topLeft),
      keyframes: [
        .init(at: VideoFixture.time(0), offset: .init(x: .points(0), y: .points(10)), opacity: 1),
        .init(at: VideoFixture.time(0.5), opacity: 0.5),
        .init(at: VideoFixture.time(1), offset: .init(x: .points(40), y: .points(10))),
      ])
    // At 0.25 s, a quarter of the way, x is 10.0; at 0.2625 s it is 10.5.
    let still = try VideoFixture.plane(render([overlay], at: 0.25), 0)
    #expect(still[9, 15] == 100)
    #expect(abs(Double(still[10, 15]) - (100 + 135 * 0.75)) <= 1)
    let moving = try VideoFixture.plane(render([overlay], at: 0.2625), 0)
    let opacity = 1 - 0.2625
    #expect(abs(Double(moving[10, 15]) - (100 + 135 * opacity / 2)) <= 1.5)
    #expect(abs(Double(moving[15, 15]) - (100 + 135 * opacity)) <= 1)
    #expect(abs(Double(moving[20, 15]) - (100 + 135 * opacity / 2)) <= 1.5)
    // Just before the last keyframe, which sets no opacity.
    #expect(try VideoFixture.plane(render([overlay], at: 0.99), 0)[49, 15] > 130)
  }

  @Test func `a text is drawn at its position`() throws {
    let black = try VideoFixture.flat(.yuv420p, 320, 120, [16, 128, 128])
    func text(_ words: String, _ anchor: OverlayPosition.Anchor, outline: Double? = nil) throws
      -> VideoFixture.Plane
    {
      let text = OverlayText(
        words, font: "DejaVu Sans", size: 40, color: .white,
        outline: outline.map { OverlayText.Outline(color: .white, width: $0) })
      return try VideoFixture.plane(
        render([Overlay(.text(text), position: OverlayPosition(anchor))], over: black), 0)
    }
    func columns(_ plane: VideoFixture.Plane) -> ClosedRange<Int>? {
      let lit = (0..<plane.width).filter { x in (0..<plane.height).contains { plane[x, $0] > 60 } }
      return lit.first.flatMap { first in lit.last.map { first...$0 } }
    }
    let left = try #require(columns(text("Hamburg", .left)))
    let right = try #require(columns(text("Hamburg", .right)))
    #expect(left.lowerBound < 8)
    #expect(right.upperBound > 312)
    #expect(abs(left.count - right.count) <= 1)
    // DejaVu Sans has an em of 2,048 units. The advances of H a m b u r g add up to 9,271 of them.
    #expect((160...190).contains(left.count))
    let middle = try text("Hamburg", .center)
    // The H's stem is fully white, and nothing is brighter than white.
    #expect(middle.samples.max() == 235)
    #expect(middle.samples.min() == 16)
    let bold = try text("Hamburg", .center, outline: 4)
    let (thick, thin) = (try #require(columns(bold)), try #require(columns(middle)))
    #expect(thick.count >= thin.count + 6)
  }

  @Test func `a shadow is below the text`() throws {
    let white = try VideoFixture.flat(.yuv420p, 200, 80, [235, 128, 128])
    let text = OverlayText(
      "I", font: "DejaVu Sans", size: 60, color: VideoColor(red: 1, green: 0, blue: 0),
      shadow: .init(color: .black, x: 12, y: 0))
    let result = try render([Overlay(.text(text))], over: white)
    let (luma, chroma) = (try VideoFixture.plane(result, 0), try VideoFixture.plane(result, 2))
    let row = 40
    let red = (0..<200).filter { abs(luma[$0, row] - 63) <= 4 && chroma[$0 / 2, row / 2] > 160 }
    let black = (0..<200).filter { luma[$0, row] <= 18 }
    #expect(!red.isEmpty && !black.isEmpty)
    #expect((11...13).contains(black[0] - red[0]))
  }

  @Test func `a word that is longer than a line is broken`() throws {
    let word = OverlayText("Donaudampfschifffahrt", font: "DejaVu Sans", size: 20)
    let whole = try OverlayDrawing(.text(word), scale: 1, wrapWidth: 0).size
    let broken = try OverlayDrawing(.text(word), scale: 1, wrapWidth: 100).size
    #expect(whole.width > 200)
    #expect(broken.width <= 102)
    #expect(broken.height > 2 * whole.height)
    // Lines are broken between words if that is sufficient.
    let words = OverlayText("Donau dampf", font: "DejaVu Sans", size: 20)
    let lines = try OverlayDrawing(.text(words), scale: 1, wrapWidth: 100).size
    #expect(lines.height < 2.5 * whole.height && lines.height > 1.5 * whole.height)
  }

  @Test func `characters without a font are counted`() throws {
    // A noncharacter, twice, and two characters that every font has.
    let text = OverlayText("a\u{5FFFE}b\u{5FFFE}", size: 20)
    #expect(try OverlayDrawing(.text(text), scale: 1, wrapWidth: 0).unknownCharacters == 2)
    let plain = try OverlayDrawing(.text(OverlayText("ab", size: 20)), scale: 1, wrapWidth: 0)
    #expect(plain.unknownCharacters == 0)
  }

  @Test func `drawings that cannot be made are errors`() throws {
    let error = #expect(throws: MediaError.self) {
      try render([Overlay(.image(path: "/no/such/file.png"))])
    }
    #expect(error?.file == "/no/such/file.png")
    #expect(error?.cause != nil)
    let other = #expect(throws: MediaError.self) {
      try render([Overlay(.image(path: Pipeline.clip("notes.txt")))])
    }
    #expect(other?.cause?.contains("it is no PNG") == true)
    // NaN, infinite, negative and invalid values draw nothing and cause no error.
    let text = OverlayText("x\u{0}y", size: .nan, wrapWidth: .points(.nan))
    _ = try render([
      Overlay(
        .text(text), position: OverlayPosition(.left, offset: .init(x: .points(.nan), y: .zero)),
        width: .points(-5), keyframes: [.init(at: .invalid), .init(at: .zero, scale: .infinity)])
    ])
  }

  @Test func `later overlays are on top and post-processing can be off`() throws {
    let scratch = try Scratch()
    let path = try png(scratch, 8, 8) { _, _ in (255, 255, 255, 255) }
    let text = OverlayText(
      "\u{2588}\u{2588}\u{2588}", font: "DejaVu Sans", size: 60, color: .black)
    let white = Overlay(.image(path: path))
    let over = try VideoFixture.plane(render([Overlay(.text(text)), white]), 0)
    let under = try VideoFixture.plane(render([white, Overlay(.text(text))]), 0)
    #expect(over[32, 24] == 235)
    #expect(under[32, 24] == 16)
    let composition = VideoFixture.composition(64, 48, [VideoFixture.layer(1)])
    composition.overlays = [white]
    (composition.instructions[0] as? MutableVideoCompositionInstruction)?.enablePostProcessing =
      false
    let renderer = try VideoCompositionRenderer(
      composition, sources: [VideoFixture.source(1, base)], pixelFormat: .yuv444p)
    #expect(try renderer.render(at: .zero, frames: [1: base]) === base)
  }
}

extension OverlayLength {
  fileprivate static var zero: OverlayLength { .points(0) }
}
