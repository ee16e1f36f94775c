import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Single images and contact sheets, and their PNG files as decoded by FFmpeg.
@Suite struct ImageTests {
  private func rgb(_ image: PixelBuffer) -> [UInt8] { FrameFixture.allBytes(image.frame) }

  /// Returns the first frame that FFmpeg decodes with these arguments, as rows of RGB.
  private func decoded(_ arguments: [String]) throws -> [UInt8] {
    let scratch = try Scratch()
    let path = scratch.path("out.rgb")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error"] + arguments + ["-frames:v", "1", "-pix_fmt", "rgb24", "-f", "rawvideo", path])
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  private func generator(_ clip: String) throws -> AssetImageGenerator {
    var generator = try AssetImageGenerator(
      asset: Asset(path: Pipeline.clip(clip), registry: Pipeline.registry))
    generator.appliesPreferredTrackTransform = true
    return generator
  }

  @Test(arguments: ["pattern-h264.mp4", "portrait.mov"], [0.0, 0.48, 1.24, 1.96])
  func `the image is the frame at its time, upright`(clip: String, time: Double) throws {
    let image = try generator(clip).copyImage(
      at: MediaTime(seconds: time + 0.01, preferredTimescale: 1000)
    ).image
    let expected = try decoded([
      "-i", Pipeline.clip(clip), "-vf", "select='gte(t,\(time - 0.001))',setpts=N/25/TB",
      "-sws_flags", "accurate_rnd+full_chroma_int",
    ])
    let made = rgb(image)
    try #require(made.count == expected.count)
    let difference = zip(made, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    // Chroma is upsampled with other filters than FFmpeg's. A neighboring frame differs by far more.
    #expect(Double(difference) / Double(made.count) < 4)
  }

  @Test func `an image fits into the box and none is enlarged`() throws {
    var generator = try generator("portrait.mov")
    generator.maximumSize = VideoDimensions(width: 90, height: 0)
    let small = try generator.copyImage(at: .zero).image
    #expect(small.width == 90 && small.height == 160)
    generator.maximumSize = VideoDimensions(width: 9000, height: 0)
    #expect(try generator.copyImage(at: .zero).image.width == 180)
  }

  @Test func `an image has its actual time, and tolerances limit the distance`()
    async throws
  {
    var generator = try generator("pattern-h264.mp4")
    let between = MediaTime(value: 1010, timescale: 1000)
    let shown = try generator.copyImage(at: between)
    #expect(shown.actualTime == MediaTime(value: 1, timescale: 1))
    let awaited = try await generator.image(at: between)
    #expect(rgb(awaited.image) == rgb(shown.image) && awaited.actualTime == shown.actualTime)

    let late = MediaTime(value: 300, timescale: 1)
    let last = try generator.copyImage(at: late)
    #expect(last.actualTime == MediaTime(value: 49, timescale: 25))
    #expect(try rgb(last.image) == rgb(generator.copyImage(at: last.actualTime).image))
    generator.requestedTimeToleranceBefore = MediaTime(value: 10, timescale: 1)
    #expect(throws: MediaError.self) { try generator.copyImage(at: late) }
    generator.requestedTimeToleranceBefore = MediaTime(value: 1000, timescale: 1)
    #expect(try generator.copyImage(at: late).actualTime == last.actualTime)
    // Even with tolerances of zero, the frame shown at the requested time is returned.
    (generator.requestedTimeToleranceBefore, generator.requestedTimeToleranceAfter) = (.zero, .zero)
    #expect(try generator.copyImage(at: between).actualTime == shown.actualTime)
  }

  @Test func `after the end comes the last frame, and long after it an error`() throws {
    var generator = try generator("pattern-h264.mp4")
    generator.requestedTimeToleranceBefore = MediaTime(value: 1, timescale: 1)
    let last = try generator.copyImage(at: MediaTime(value: 199, timescale: 100)).image
    let behind = try generator.copyImage(at: MediaTime(value: 25, timescale: 10)).image
    #expect(rgb(last) == rgb(behind))
    #expect(throws: MediaError.self) {
      try generator.copyImage(at: MediaTime(value: 9, timescale: 1)).image
    }
    #expect(throws: MediaError.self) { try generator.copyImage(at: .invalid).image }
  }

  @Test func `audio has no images`() {
    #expect(throws: MediaError.self) { try generator("speech.wav") }
  }

  @Test(arguments: [(1, 1), (2, 3), (61, 47)])
  func `a PNG is read as it was written`(width: Int, height: Int) throws {
    let picture = try #require(PixelBuffer(width: width, height: height, pixelFormat: .rgb24))
    var state: UInt32 = 7
    let plane = picture.frame.planes[0]
    for row in 0..<height {
      for column in 0..<width * 3 {
        // Smooth on the left and noise on the right, so that every PNG filter is the best one in some row.
        state = state &* 1_664_525 &+ 1_013_904_223
        let value = column < width ? UInt8(truncatingIfNeeded: row + column) : UInt8(state >> 24)
        plane.base.storeBytes(of: value, toByteOffset: row * plane.stride + column, as: UInt8.self)
      }
    }
    let scratch = try Scratch()
    let path = scratch.path("a.png")
    try Data(try PNGWriter.bytes(picture)).write(to: URL(filePath: path))
    #expect(try decoded(["-i", path]) == rgb(picture))
  }

  @Test func `a sheet has every image in its cell with a label`() throws {
    let colors: [UInt8] = [40, 90, 140]
    let images = try colors.map { value in
      let image = try #require(PixelBuffer(width: 100, height: 60, pixelFormat: .rgb24))
      let plane = image.frame.planes[0]
      for row in 0..<60 {
        (plane.base + row * plane.stride).initializeMemory(
          as: UInt8.self, repeating: value, count: 300)
      }
      return image
    }
    let sheet = try ImageSheet(columns: 2).draw([
      (images[0], "0:01"), (images[1], ""), (images[2], ""),
    ])
    #expect(sheet.width == 212 && sheet.height == 132)
    let bytes = rgb(sheet)
    func pixel(_ x: Int, _ y: Int) -> UInt8 { bytes[(y * 212 + x) * 3 + 1] }
    #expect([pixel(1, 1), pixel(106, 40), pixel(160, 100)] == [24, 24, 24])
    #expect([pixel(60, 10), pixel(160, 30), pixel(50, 120)] == [40, 90, 140])
    let label = (34..<64).flatMap { y in (4..<60).map { x in pixel(x, y) } }
    #expect(label.contains(255) && label.contains(0) && label.contains(40))
    #expect(throws: MediaError.self) { try ImageSheet(columns: 2).draw([]) }
  }

  @Test(arguments: [
    (4, 320, 180, 708), (4, 320, 180, 709), (1, 16000, 16000, 1), (200, 90, 160, 9),
  ])
  func `as many images fit as the error states`(columns: Int, width: Int, height: Int, count: Int)
    throws
  {
    let sheet = ImageSheet(columns: columns)
    let cell = VideoDimensions(width: width, height: height)
    _ = try sheet.size(of: count, cell)
    let error = #expect(throws: MediaError.self) { try sheet.size(of: 1 << 40, cell) }
    let message = error?.message ?? ""
    let words = message.split(separator: " ")
    let place = try #require(words.lastIndex { $0 == "of" })
    let most = try #require(Int(words[place - 1]))
    #expect(most >= count, "\(message)")
    let size = try sheet.size(of: most, cell)
    #expect(size.width <= 32767 && size.height <= 32767 && size.width * size.height <= 1 << 28)
    #expect(throws: MediaError.self) { try sheet.size(of: most + 1, cell) }
  }

  @Test func `a sheet that is too wide reports how many images fit in a row`() {
    let cell = VideoDimensions(width: 320, height: 180)
    let error = #expect(throws: MediaError.self) {
      try ImageSheet(columns: 102).size(of: 102, cell)
    }
    #expect(error?.message.hasSuffix("at most 101 of 320x180 fit in a row") == true)
  }

  @Test(arguments: ["pattern-h264.mp4", "portrait.mov"])
  func `the size of images is known before one is decoded`(clip: String) throws {
    var generator = try generator(clip)
    for most in [0, 90] {
      generator.maximumSize = VideoDimensions(width: most, height: 0)
      let size = try #require(generator.imageSize)
      let image = try generator.copyImage(at: .zero).image
      #expect((image.width, image.height) == (size.width, size.height))
    }
  }
}
