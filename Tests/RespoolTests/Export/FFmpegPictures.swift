import Foundation
import TestFixtures
import Testing

@testable import Respool

/// The frames that ffmpeg decodes from a file, as 8-bit 4:2:0 planes.
///
/// The frames are upright unless an input option turns rotation off.
struct FFmpegPictures {
  let width: Int
  let height: Int
  let pictures: [[UInt8]]

  init(
    _ path: String, _ filter: String = "null", width: Int, height: Int, input: [String] = []
  ) throws {
    let scratch = try Scratch()
    let output = scratch.path("out.yuv")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error"] + input + ["-i", path, "-an", "-vf", filter, "-fps_mode", "passthrough"]
        + ["-pix_fmt", "yuv420p", "-f", "rawvideo", output])
    let data = try Data(contentsOf: URL(filePath: output))
    let size = width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2)
    try #require(data.count % size == 0 && !data.isEmpty, "not \(width)x\(height)")
    (self.width, self.height) = (width, height)
    pictures = stride(from: 0, to: data.count, by: size).map { [UInt8](data[$0..<$0 + size]) }
  }

  /// Returns the luma plane of a frame.
  func luma(_ number: Int) -> VideoFixture.Plane {
    VideoFixture.Plane(
      width: width, height: height, samples: pictures[number].prefix(width * height).map { Int($0) }
    )
  }
}

extension VideoFixture.Plane {
  /// Returns the mean of the pixel components in a part of the plane.
  func mean(x: Range<Int>, y: Range<Int>) -> Double {
    var sum = 0
    for row in y { for column in x { sum += self[column, row] } }
    return Double(sum) / Double(x.count * y.count)
  }

  /// Returns the mean absolute difference between the part that begins at `x` and `y` and another plane.
  func distance(x: Int = 0, y: Int = 0, to other: VideoFixture.Plane) -> Double {
    var sum = 0
    for row in 0..<other.height {
      for column in 0..<other.width {
        sum += abs(self[x + column, y + row] - other[column, row])
      }
    }
    return Double(sum) / Double(other.width * other.height)
  }
}
