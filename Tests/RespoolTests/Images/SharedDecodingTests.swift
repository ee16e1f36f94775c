import RespoolMedia
import TestFixtures
import ReadingFixtures
import Synchronization
import Testing

@testable import Respool

/// Images generated for many times at once, compared with images generated one by one.
@Suite struct SharedDecodingTests {
  @Test(arguments: ["pattern-h264.mp4", "variable.mp4", "clap-and-flash.mp4", "pattern-vp9.webm"])
  func `shared and single decoding agree`(clip: String) throws {
    let asset = Asset(path: Pipeline.clip(clip), registry: Pipeline.registry)
    var generator = try AssetImageGenerator(asset: asset)
    generator.maximumSize = VideoDimensions(width: 64, height: 0)
    let range = try generator.timeRange()
    var times = (0..<17).map {
      range.start + range.duration.multiplied(by: 2 * $0 + 1, dividedBy: 34)
    }
    // One time twice more, an earlier time, and the end.
    times += [times[3], times[3], times[1], range.end]
    let made = Mutex<[Int: [UInt8]]>([:])
    try generator.images(at: times, threads: 2) { (index, image) throws(MediaError) in
      let bytes = Self.bytes(image)
      made.withLock { $0[index] = bytes }
    }
    let images = made.withLock { $0 }
    #expect(images.count == times.count)
    for (index, time) in times.enumerated() {
      #expect(images[index] == Self.bytes(try generator.copyImage(at: time).image), "\(index)")
    }
  }

  private static func bytes(_ image: PixelBuffer) -> [UInt8] {
    let plane = image.frame.planes[0]
    return withExtendedLifetime(image) {
      (0..<image.height).flatMap { row in
        let line = plane.base + row * plane.stride
        return Array(UnsafeRawBufferPointer(start: line, count: image.width * 3))
      }
    }
  }

  @Test func `an error of the handler ends the work`() throws {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)
    let generator = try AssetImageGenerator(asset: asset)
    let times = (0..<8).map { MediaTime(value: Int64($0), timescale: 20) }
    #expect(throws: MediaError.self) {
      try generator.images(at: times, threads: 2) { (index, _) throws(MediaError) in
        if index == 3 { throw MediaError(.io, "full") }
      }
    }
  }
}
