import Foundation
import Testing

/// TIFF files, as scanners, cameras and programs write them.
@Suite struct TIFFImageTests: ImageTests {
  let folder = TemporaryFolder()

  /// A profile that begins as one of RGB colors (ICC.1:2022 7.2).
  private static let profile: Data = {
    var bytes = Data((0..<600).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    bytes.replaceSubrange(0..<4, with: [0, 0, 2, 88])
    bytes.replaceSubrange(12..<24, with: Data("mntrRGB XYZ ".utf8))
    bytes.replaceSubrange(36..<40, with: Data("acsp".utf8))
    return bytes
  }()

  @Test(arguments: ["photo-jpeg.jpg", "photo-png.png", "photo-avif.avif"], [1, 6, 7])
  func `a TIFF file keeps its orientation, profile, Exif data and XMP`(
    _ format: String, orientation: Int
  ) throws {
    try photo("a.tif", format: "rgb24")
    try photo("plain.png", format: "rgb24")
    try Self.profile.write(to: URL(fileURLWithPath: folder("p.icc")))
    // Other programs cannot show images with a profile of no content.
    let isJPEG = format.hasSuffix("jpg")
    _ = try run(
      "exiftool",
      (isJPEG ? ["-icc_profile<=\(folder("p.icc"))"] : []) + [
        "-q", "-overwrite_original", "-n", "-IFD0:Orientation=\(orientation)", "-Make=Maker",
        "-Artist=Somebody", "-DateTimeOriginal=2024:05:06 07:08:09", "-ISO=200",
        "-GPSLatitude=47.5", "-GPSLatitudeRef=N", "-GPSLongitude=8.25", "-GPSLongitudeRef=W",
        "-XMP-dc:Title=Title", folder("a.tif"),
      ])
    func facts(_ path: String) throws -> String {
      try run(
        "exiftool",
        [
          "-s", "-n", "-Make", "-Artist", "-DateTimeOriginal", "-ISO", "-GPSLatitude",
          "-GPSLongitude", "-XMP-dc:all", path,
        ])
    }
    let output = try converted("a.tif", format)
    let before = try facts(folder("a.tif"))
    #expect(before.split(separator: "\n").count == 7, "\(before)")
    #expect(try facts(output) == before)
    if isJPEG {
      let file = try #require(FileManager.default.contents(atPath: output))
      #expect(file.range(of: Self.profile) != nil)
    }
    let turns = [1: "null", 6: "transpose=clock", 7: "transpose=clock_flip"]
    // An upright image is shown by a program that does not read the orientation of TIFF.
    var image = output
    if isJPEG { image = try upright(output) }
    let value = try similarity(
      shown(image), folder("plain.png"), filter: try #require(turns[orientation]))
    #expect(value > 30, "\(value) dB")
  }

  /// Returns an image as PNG, rotated by its Exif data.
  private func upright(_ path: String) throws -> String {
    try ffmpeg(["-i", path, path + ".png"])
    return path + ".png"
  }

  @Test func `further pages, records of IPTC and 16 bits are kept or named`() throws {
    try photo("a.tif", format: "rgb48le")
    _ = try run("exiftool", ["-q", "-overwrite_original", "-IPTC:Keywords=word", folder("a.tif")])
    let bytes = try #require(FileManager.default.contents(atPath: folder("a.tif")))
    var file = TIFFBytes(Array(bytes))
    file.repeatDirectory()
    file.repeatDirectory()
    try Data(file.bytes).write(to: URL(fileURLWithPath: folder("a.tif")))
    let result = try Respool.run(
      "convert", folder("a.tif"), folder("b.png"), "--preset", "photo-png")
    #expect(result.status == 0)
    #expect(
      result.errors.contains("lost: the 2 further images of the file"), "\(result.errors)")
    #expect(result.errors.contains("lost: the records of Photoshop or IPTC"), "\(result.errors)")
    let strict = try Respool.run(
      "batch", "--strict", folder("a.tif"), "--to", folder("c"), "--preset", "photo-png")
    #expect(strict.status == 1)
    let format = try run(
      "ffprobe",
      ["-v", "error", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0", folder("b.png")])
    #expect(format == "rgb48be\n")
  }

  @Test(arguments: ["photo.dng", "photo.NEF", "photo.tif"])
  func `raw photos are left alone, and replaced by nothing`(_ name: String) throws {
    try photo("in/a.tif", format: "gray")
    let path = folder("in/" + name)
    let bytes = try #require(FileManager.default.contents(atPath: folder("in/a.tif")))
    var file = TIFFBytes(Array(bytes))
    // A color filter array.
    file.set(262, to: 32_803)
    try FileManager.default.removeItem(atPath: folder("in/a.tif"))
    try Data(file.bytes).write(to: URL(fileURLWithPath: path))
    let run = try BatchRun(folder("in"), to: folder("out"), preset: "photo-jpeg")
    #expect(run.outcome(name) == "skipped")
    #expect(run.reason(name).contains("a raw photo of a camera"))
    _ = try Respool.run("batch", folder("in"), "--replace", "--preset", "photo-jpeg")
    #expect(FileManager.default.contents(atPath: path) == Data(file.bytes))
  }

  private static let rawStarts: [String: String] = [
    "a.cr3": "\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom", "a.crw": "II\u{1A}\0\0\0HEAPCCDR",
    "a.raf": "FUJIFILMCCD-RAW 0201", "a.x3f": "FOVb\0\0\u{2}\0", "a.mrw": "\0MRM\0\0\0\u{9}",
  ]

  @Test(arguments: rawStarts.keys.sorted())
  func `raw photos of other formats are named as such`(name: String) throws {
    let start = try Array(#require(Self.rawStarts[name]).utf8)
    let bytes = start + (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 5) }
    try FileManager.default.createDirectory(
      atPath: folder("in"), withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: folder("in/" + name)))
    for preset in ["photo-jpeg", "web-720p"] {
      let run = try BatchRun(folder("in"), to: folder("out"), preset: preset)
      #expect(run.outcome(name) == "skipped", "\(run.events)")
      #expect(run.reason(name).contains("a raw photo of a camera; develop it"), "\(run.events)")
    }
  }

  @Test func `a whole TIFF file is healthy, and one that was cut is not`() throws {
    try photo("a.tif", format: "rgb24")
    _ = try run(
      "exiftool",
      ["-q", "-overwrite_original", "-n", "-IFD0:Orientation=6", "-Make=M", folder("a.tif")])
    #expect(try Respool.run("check", folder("a.tif")).status == 0)
    let bytes = try #require(FileManager.default.contents(atPath: folder("a.tif")))
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: folder("cut.tif")))
    #expect(try Respool.run("check", folder("cut.tif")).status == 1)
  }
}

/// A TIFF file in little-endian order.
private struct TIFFBytes {
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private func number(_ place: Int, _ size: Int) -> Int {
    bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func put(_ value: Int, at place: Int, size: Int) {
    for index in 0..<size {
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
    }
  }

  /// Appends a copy of the first directory, for the same image.
  mutating func repeatDirectory() {
    let start = number(4, 4)
    let end = start + 2 + number(start, 2) * 12
    let copy = Array(bytes[start..<end + 4])
    if bytes.count % 2 == 1 { bytes.append(0) }
    put(bytes.count, at: end, size: 4)
    bytes += copy
  }

  /// Changes a number in the first directory.
  mutating func set(_ tag: Int, to value: Int) {
    let start = number(4, 4)
    for entry in stride(from: start + 2, to: start + 2 + number(start, 2) * 12, by: 12)
    where number(entry, 2) == tag { put(value, at: entry + 8, size: 2) }
  }
}
