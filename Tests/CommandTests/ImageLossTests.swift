import Foundation
import Testing

/// Parts of images that an output lacks, and damage of sources.
@Suite struct ImageLossTests: ImageTests {
  let folder = TemporaryFolder()

  /// Converts a file and returns the notes.
  private func notes(_ name: String, to output: String) throws -> String {
    let result = try Respool.run("convert", folder(name), folder(output))
    try #require(result.status == 0, "\(result.errors)")
    return result.errors
  }

  private func bytes(_ name: String) throws -> Data {
    try #require(FileManager.default.contents(atPath: folder(name)))
  }

  private func write(_ bytes: Data, _ name: String) throws {
    try bytes.write(to: URL(fileURLWithPath: folder(name)))
  }

  @Test func `damage inside a JPEG image is reported and fails a strict batch`() throws {
    try photo("in/a.jpg")
    var file = try bytes("in/a.jpg")
    #expect(try notes("in/a.jpg", to: "whole.png").isEmpty)
    for place in file.count / 2..<file.count / 2 + 300 { file[place] ^= 0xA5 }
    try write(file, "in/a.jpg")
    #expect(try notes("in/a.jpg", to: "b.png").contains("parts of 1 frame are damaged"))
    let strict = try BatchRun(
      folder("in"), to: folder("out"), preset: "photo-png", ["--strict"])
    #expect(strict.outcome("a.jpg") == "failed")
  }

  @Test(arguments: ["rgba", "rgba64be"], [true, false])
  func `only transparency that an image has is named as lost`(_ format: String, isOpaque: Bool)
    throws
  {
    try ffmpeg([
      "-f", "lavfi", "-i",
      "mandelbrot=s=160x100,format=\(format)"
        + (isOpaque ? ",lutrgb=a=maxval" : ",lutrgb=a=maxval/2"),
      "-frames:v", "1", folder("a.png"),
    ])
    let text = try notes("a.png", to: "b.jpg")
    #expect(text.contains("drawn on black") != isOpaque, "\(text)")
    #expect(text.isEmpty == isOpaque, "\(text)")
  }
}
