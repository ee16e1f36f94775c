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

  @Test(arguments: [150_000, 10_000]) func `XMP of any length goes into JPEG and back`(
    _ count: Int
  ) throws {
    try photo("a.png", format: "rgb24")
    let text = String(repeating: "word ", count: count / 5) + "end"
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder("text")))
    _ = try run(
      "exiftool",
      ["-q", "-overwrite_original", "-XMP-dc:Description<=\(folder("text"))", folder("a.png")])
    #expect(!(try notes("a.png", to: "b.jpg").contains("XMP")))
    #expect(!(try notes("b.jpg", to: "c.jpg").contains("XMP")))
    #expect(!(try notes("c.jpg", to: "d.png").contains("XMP")))
    for name in ["b.jpg", "c.jpg", "d.png"] {
      #expect(try run("exiftool", ["-b", "-XMP-dc:Description", folder(name)]) == text)
    }
  }

  @Test func `an extension of XMP is copied with its packet or named as lost`() throws {
    try photo("a.jpg")
    let text = String(repeating: "word ", count: 20_000)
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder("text")))
    _ = try run(
      "exiftool",
      [
        "-q", "-overwrite_original", "-XMP-dc:Description<=\(folder("text"))",
        "-XMP-dc:Title=Title", folder("a.jpg"),
      ])
    #expect(try notes("a.jpg", to: "b.jpg").isEmpty)
    #expect(
      try run("exiftool", ["-b", "-XMP-dc:Description", folder("b.jpg")])
        .hasPrefix("word word"))
    #expect(try notes("a.jpg", to: "b.png").contains("lost: the extended XMP packet"))
  }

  @Test func `the video of a motion photo is named as lost when the image is encoded`() throws {
    try photo("a.jpg")
    try folder.add("pattern-h264.mp4", as: "b.mp4")
    try write(bytes("a.jpg") + bytes("b.mp4"), "a.jpg")
    #expect(try notes("a.jpg", to: "b.png").contains("lost: the video of the motion photo"))
    #expect(try notes("a.jpg", to: "b.jpg").isEmpty)
    #expect(try bytes("b.jpg").count > bytes("b.mp4").count)
  }

  @Test(arguments: ["mjpeg", "mjpg", "jpg"])
  func `several JPEG images in a row are video or named as lost`(_ suffix: String) throws {
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=160x100:r=25", "-t", "1", "-c:v", "mjpeg", "-f", "mjpeg",
      folder("a." + suffix),
    ])
    guard suffix == "jpg" else {
      let report = try Respool.run("inspect", folder("a." + suffix)).output
      #expect(report.contains("25.0 fps") && !report.contains("still_image"), "\(report)")
      return
    }
    #expect(try notes("a.jpg", to: "b.png").contains("lost: the further images of the file"))
  }

  @Test func `a profile of gray goes only into images of gray`() throws {
    try photo("a.png", format: "gray")
    var profile = Data(count: 600)
    profile.replaceSubrange(0..<4, with: [0, 0, 2, 88])
    profile.replaceSubrange(12..<24, with: Data("mntrGRAYXYZ ".utf8))
    profile.replaceSubrange(36..<40, with: Data("acsp".utf8))
    try write(profile, "p.icc")
    _ = try run(
      "exiftool",
      ["-q", "-overwrite_original", "-icc_profile<=\(folder("p.icc"))", folder("a.png")])
    for (name, isKept) in [("b.jpg", false), ("b.webp", false), ("b.avif", true), ("b.png", true)] {
      let isLost = try notes("a.png", to: name).contains("lost: the color profile (ICC)")
      #expect(isLost != isKept, "\(name)")
      // PNG has it compressed.
      guard name != "b.png" else { continue }
      #expect((try bytes(name).range(of: Data("mntrGRAY".utf8)) != nil) == isKept, "\(name)")
    }
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

  @Test func `images that are too large or animated are called so`() throws {
    // The header of a PNG file of 20000x20000 pixels.
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    file += Array("IHDR".utf8) + [0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20, 8, 2, 0, 0, 0, 0, 0, 0, 0]
    file += [0, 0, 0, 0] + Array("IDAT".utf8) + [0, 0, 0, 0]
    file += [0, 0, 0, 0] + Array("IEND".utf8) + [0, 0, 0, 0]
    try write(Data(file), "a.png")
    let large = try Respool.run("convert", folder("a.png"), folder("a.jpg"))
    #expect(large.errors.contains("about 268 million pixels"), "\(large.errors)")
    try ffmpeg(["-f", "lavfi", "-i", "testsrc=s=160x100:r=5", "-t", "1", folder("a.gif")])
    let animated = try Respool.run("convert", folder("a.gif"), folder("a.jpg"))
    #expect(animated.errors.contains("is an animation"), "\(animated.errors)")
  }

  @Test func `a sequence of AVIF is video, and one of WebP is named as not decoded`() throws {
    let movie = ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=0.5"]
    try ffmpeg(movie + ["-c:v", "libaom-av1", "-cpu-used", "8", folder("a.avif")])
    let image = try Respool.run("convert", folder("a.avif"), folder("a.jpg"))
    #expect(image.status == 1)
    #expect(image.errors.contains("is an animation"), "\(image.errors)")
    let video = try Respool.run(
      "convert", folder("a.avif"), folder("b.mkv"), "--preset", "archive-mkv")
    #expect(video.status == 0, "\(video.errors)")
    for name in ["a.avif", "b.mkv"] {
      try ffmpeg(["-i", folder(name), "-f", "framemd5", folder(name + ".md5")])
    }
    func hashes(_ name: String) throws -> [String] {
      String(decoding: try bytes(name + ".md5"), as: UTF8.self).split(separator: "\n")
        .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: ",").last.map(String.init) }
    }
    #expect(try hashes("a.avif").count == 5)
    #expect(try hashes("a.avif") == hashes("b.mkv"))
    try ffmpeg(movie + ["-c:v", "libwebp_anim", folder("a.webp")])
    for output in ["c.jpg", "c.mp4"] {
      let result = try Respool.run("convert", folder("a.webp"), folder(output))
      #expect(result.status == 1)
      #expect(
        result.errors.contains("an animation in WebP, which is not decoded"), "\(result.errors)")
    }
  }
}
