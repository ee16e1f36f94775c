import Foundation
import Testing

/// JPEG XL images, with the programs of libjxl as judges.
@Suite struct JPEGXLTests: ImageTests {
  let folder = TemporaryFolder()

  private func cjxl(_ input: String, _ output: String, _ arguments: [String] = []) throws {
    _ = try run("cjxl", [folder(input), folder(output), "--quiet"] + arguments)
  }

  private func pixelFormat(_ path: String) throws -> String {
    try run(
      "ffprobe", ["-v", "error", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0", path])
  }

  @Test(arguments: [
    ("rgb24", "rgb24"), ("rgb48be", "rgb48be"), ("gray", "gray"), ("gray16be", "gray16be"),
    ("rgba", "rgba"), ("rgba64be", "rgba64be"), ("ya8", "ya8"),
  ])
  func `depth, gray and transparency stay in both directions`(_ format: String, _ kept: String)
    throws
  {
    try photo("a.png", format: format)
    try cjxl("a.png", "a.jxl", ["-d", "0"])
    let output = try converted("a.jxl", "photo-png.png")
    #expect(try pixelFormat(output) == kept + "\n")
    #expect(try similarity(output, folder("a.png")) == .infinity)
    let back = try converted("a.png", "photo-jpegxl.jxl")
    #expect(try pixelFormat(shown(back)) == kept + "\n")
  }

  @Test(arguments: ["0", "1"]) func `an image with an orientation is shown upright`(
    _ rebuilds: String
  ) throws {
    try photo("a.jpg")
    _ = try run(
      "exiftool", ["-q", "-overwrite_original", "-n", "-Orientation=6", "-Make=M", folder("a.jpg")])
    try cjxl("a.jpg", "a.jxl", ["--lossless_jpeg=\(rebuilds)"])
    let expected = try shown(folder("a.jxl"))
    for format in ["photo-png.png", "photo-jpeg.jpg"] {
      let output = try converted("a.jxl", format)
      #expect(try similarity(output, expected) > 32)
      // Only a file that rebuilds the JPEG file has its Exif data.
      if rebuilds == "1" { #expect(try run("exiftool", ["-s3", "-Make", output]) == "M\n") }
    }
  }

  @Test func `Exif data and XMP in compressed boxes are kept`() throws {
    try photo("a.jpg")
    _ = try run(
      "exiftool",
      ["-q", "-overwrite_original", "-Model=Camera", "-XMP-dc:Title=Title", folder("a.jpg")])
    try cjxl("a.jpg", "a.jxl")
    let file = try #require(FileManager.default.contents(atPath: folder("a.jxl")))
    #expect(file.range(of: Data("brob".utf8)) != nil)
    let output = try converted("a.jxl", "photo-jpeg.jpg")
    #expect(
      try run("exiftool", ["-s3", "-Model", "-XMP-dc:Title", output]) == "Camera\nTitle\n")
  }

  @Test(arguments: ["0", "1"]) func `a color space is kept`(_ distance: String) throws {
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=160x100", "-frames:v", "1", "-pix_fmt", "rgb24",
      folder("a.ppm"),
    ])
    try cjxl("a.ppm", "a.jxl", ["-d", distance, "-x", "color_space=RGB_D65_DCI_Rel_SRG"])
    let image = try converted("a.jxl", "photo-png.png")
    #expect(!(try run("exiftool", ["-s3", "-ICC_Profile:ProfileDescription", image]).isEmpty))
    let back = try converted((image as NSString).lastPathComponent, "photo-jpegxl.jxl")
    let facts = try run("jxlinfo", [back])
    #expect(facts.contains("red(x=0.68") || facts.contains("P3"), "\(facts)")
    let report = try Respool.run(
      "convert", folder("a.jxl"), folder("b.jpg"), "--preset", "photo-jpeg")
    #expect(!report.errors.contains("lost"), "\(report.errors)")
  }

  @Test func `further frames of an animation are named as lost`() throws {
    try ffmpeg(["-f", "lavfi", "-i", "testsrc=s=160x100:r=5", "-t", "1", folder("a.gif")])
    try cjxl("a.gif", "a.jxl")
    let result = try Respool.run(
      "convert", folder("a.jxl"), folder("b.png"), "--preset", "photo-png")
    #expect(
      result.errors.contains("lost: the 4 further frames of the animation"), "\(result.errors)")
  }
}
