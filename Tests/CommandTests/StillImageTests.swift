import Foundation
import Testing

/// Still images, with other programs as judges of what comes out.
@Suite struct StillImageTests: ImageTests {
  let folder = TemporaryFolder()

  private static let formats = [
    "photo-jpeg.jpg", "photo-avif.avif", "photo-heic.heic", "photo-webp.webp", "photo-jpegxl.jxl",
    "photo-png.png",
  ]

  @Test(
    arguments: formats, ["yuvj420p.jpg", "rgb24.png", "rgb48be.png", "gray.jpg", "yuv420p.webp"])
  func `an image of each kind looks as before in each format`(_ format: String, source: String)
    throws
  {
    let pixels = (source as NSString).deletingPathExtension
    try photo(source, format: pixels)
    let output = try converted(source, format)
    let value = try similarity(shown(output), folder(source))
    #expect(value > (source.hasPrefix("gray") ? 34 : 31), "\(value) dB")
  }

  @Test(arguments: formats) func `sides of odd lengths stay where the codec has them`(
    _ format: String
  ) throws {
    try photo("odd.png", size: "321x201", format: "rgb24")
    let shown = try shown(converted("odd.png", format))
    let size = try run(
      "ffprobe",
      ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", shown])
    let isEven = format.hasSuffix("heic")
    #expect(size == (isEven ? "320,200\n" : "321,201\n"))
  }

  /// Returns a JPEG file with a segment of Exif data behind its start.
  private func withExif(_ file: Data, orientation: UInt8) -> Data {
    let tiff: [UInt8] =
      [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
      + [0, 0, 0, 0]
    let body = Array("Exif\0\0".utf8) + tiff
    return file.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(body.count + 2)] + body) + file.dropFirst(2)
  }

  /// Filters of ffmpeg that show an image with an orientation upright (CIPA DC-008 4.6.5.1.6).
  private static let turns = [
    "null", "hflip", "hflip,vflip", "vflip", "transpose=cclock_flip", "transpose=clock",
    "transpose=clock_flip", "transpose=cclock",
  ]

  @Test(arguments: 1...8, formats) func `a rotated image is shown upright`(
    _ orientation: Int, format: String
  ) throws {
    try photo("plain.jpg")
    let plain = try #require(FileManager.default.contents(atPath: folder("plain.jpg")))
    try withExif(plain, orientation: UInt8(orientation)).write(
      to: URL(fileURLWithPath: folder("turned.jpg")))
    let output = try converted("turned.jpg", format)
    if format.hasSuffix("jpg") {
      let stored = try run("exiftool", ["-s3", "-n", "-Orientation", output])
      #expect(stored == "\(orientation)\n")
    }
    let value = try similarity(
      shown(output), folder("plain.jpg"), filter: Self.turns[orientation - 1])
    #expect(value > 30, "\(value) dB")
  }

  @Test func `Exif data, XMP and a profile go through every format`() throws {
    try photo("a.jpg")
    _ = try run(
      "exiftool",
      [
        "-q", "-overwrite_original", "-Make=Maker", "-Model=Model 1", "-Artist=Ärtist",
        "-DateTimeOriginal=2024:05:06 07:08:09", "-OffsetTimeOriginal=+02:00",
        "-GPSLatitude=47.5", "-GPSLatitudeRef=N", "-GPSLongitude=8.25", "-GPSLongitudeRef=W",
        "-ISO=200", "-XMP-dc:Title=Title", folder("a.jpg"),
      ])
    // A profile of 70000 bytes needs two segments.
    let profile = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let file = try #require(FileManager.default.contents(atPath: folder("a.jpg")))
    let segments = [profile.prefix(40_000), profile.suffix(30_000)].enumerated().map {
      index, part in
      let size = part.count + 16
      return Data([0xFF, 0xE2, UInt8(size >> 8), UInt8(size & 255)]) + Data("ICC_PROFILE\0".utf8)
        + [UInt8(index + 1), 2] + part
    }
    try (file.prefix(2) + segments.joined() + file.dropFirst(2))
      .write(to: URL(fileURLWithPath: folder("a.jpg")))
    func facts(_ path: String) throws -> String {
      try run(
        "exiftool",
        [
          "-s", "-n", "-Make", "-Model", "-Artist", "-DateTimeOriginal", "-OffsetTimeOriginal",
          "-GPSLatitude", "-GPSLongitude", "-ISO", "-XMP-dc:all", path,
        ])
    }
    let before = try facts(folder("a.jpg"))
    #expect(before.split(separator: "\n").count == 9, "\(before)")
    var path = "a.jpg"
    for format in [
      "photo-avif.avif", "photo-png.png", "photo-webp.webp", "photo-heic.heic", "photo-jpeg.jpg",
    ] {
      let output = try converted(path, format)
      #expect(try facts(output) == before)
      path = (output as NSString).lastPathComponent
      let report = try Respool.run("inspect", "--json", output)
      #expect(report.output.contains("2024-05-06T07:08:09+02:00"))
      #expect(report.output.contains("+47.50000-008.25000/"))
    }
    let last = try #require(FileManager.default.contents(atPath: folder(path)))
    // A segment has at most 65519 bytes of it.
    #expect(last.range(of: profile.prefix(65_519)) != nil)
    #expect(last.range(of: profile.suffix(70_000 - 65_519)) != nil)
  }

  @Test(
    arguments: ["png", "webp", "heic", "avif"],
    ["photo-png.png", "photo-webp.webp", "photo-jpegxl.jxl"])
  func `transparency is kept where both formats have it`(_ source: String, format: String) throws {
    try ffmpeg([
      "-f", "lavfi", "-i", "mandelbrot=s=320x200:start_scale=0.3,gblur=sigma=3", "-vf",
      "format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='X*255/W'", "-frames:v", "1",
      folder("a.png"),
    ])
    var name = "a.png"
    switch source {
    case "heic", "avif":
      name = "a." + source
      _ = try run(
        "heif-enc",
        ["-q", "90"] + (source == "avif" ? ["-A"] : []) + ["-o", folder(name), folder("a.png")])
    case "webp":
      name = "b.webp"
      try ffmpeg(["-i", folder("a.png"), "-c:v", "libwebp", "-quality", "90", folder(name)])
    default: break
    }
    let shown = try shown(converted(name, format))
    let text = try Running(
      [
        "/usr/bin/ffmpeg", "-nostdin", "-i", shown, "-i", folder("a.png"), "-lavfi",
        "[0]format=rgba,alphaextract[a];[1]format=rgba,alphaextract[b];[a][b]psnr", "-f", "null",
        "-",
      ], environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait().errors
    let value = text.components(separatedBy: "average:").last?.split(separator: " ").first
    #expect(value == "inf" || (value.flatMap { Double($0) } ?? 0) > 40, "\(text)")
  }

  @Test func `a folder with images and video gives each preset its part`() throws {
    try photo("in/a.jpg")
    try folder.add("pattern-h264.mp4", as: "in/b.mp4")
    let images = try BatchRun(folder("in"), to: folder("images"), preset: "photo-avif")
    #expect(images.outcome("a.jpg") == "converted")
    #expect(images.outcome("b.mp4") == "skipped")
    #expect(images.reason("b.mp4") == "avif holds one still image, and the source has none")
    let video = try BatchRun(folder("in"), to: folder("video"), preset: "web-720p")
    #expect(video.outcome("a.jpg") == "skipped" && video.outcome("b.mp4") == "converted")
    #expect(video.reason("a.jpg") == "a still image, not video")
    // Images that comply are copied, byte for byte.
    let copied = try BatchRun(folder("images"), to: folder("again"), preset: "photo-avif")
    #expect(copied.outcome("a.avif") == "copied")
    #expect(
      FileManager.default.contentsEqual(
        atPath: folder("images/a.avif"), andPath: folder("again/a.avif")))
  }

  @Test(arguments: ["jpg", "jpeg", "png", "webp", "avif", "heic", "jxl"])
  func `the extension of the output selects a preset of images`(_ suffix: String) throws {
    try photo("a.bmp", format: "bgr24")
    let result = try Respool.run("convert", folder("a.bmp"), folder("b." + suffix))
    #expect(result.status == 0, "\(result.errors)")
    #expect(try similarity(shown(folder("b." + suffix)), folder("a.bmp")) > 30)
  }

  @Test(arguments: ["tga", "webp"])
  func `whole files that no decoder or no magic knows are not called damaged`(_ suffix: String)
    throws
  {
    try ffmpeg(
      ["-f", "lavfi", "-i", "testsrc=s=160x100:r=5"]
        + (suffix == "webp" ? ["-c:v", "libwebp_anim", "-t", "1"] : ["-frames:v", "1"])
        + [folder("a." + suffix)])
    let result = try Respool.run("check", folder("a." + suffix))
    #expect(result.status == 0, "\(result.errors)\(result.output)")
  }

  @Test(arguments: formats) func `a file that is cut anywhere is converted or named`(
    _ format: String
  ) throws {
    try photo("a.png", format: "rgb24")
    let whole = try #require(
      FileManager.default.contents(atPath: converted("a.png", format)))
    let suffix = (format as NSString).pathExtension
    for part in 1...12 {
      let file = folder("cut \(part).\(suffix)")
      try whole.prefix(whole.count * part / 13).write(to: URL(fileURLWithPath: file))
      let result = try Respool.run(
        "convert", file, folder("cut \(part).out.png"), "--preset", "photo-png")
      #expect([0, 1].contains(result.status), "\(part): \(result.errors)")
      #expect(!result.errors.contains("plugin crashed"), "\(result.errors)")
      if result.status == 0 {
        #expect(
          ["cut off", "ends", "damaged", "header states"].contains { result.errors.contains($0) },
          "\(part): \(result.errors)")
      }
    }
  }
}

/// Photos of phones, which consist of tiles.
@Suite struct TiledImageTests {
  private let folder = TemporaryFolder()

  @Test(arguments: [0, 1, 3], [false, true])
  func `tiles are put together, cropped and rotated`(_ quarters: Int, isCropped: Bool) throws {
    let tile = folder("tile.heic")
    try ffmpeg([
      "-f", "lavfi", "-i", "mandelbrot=s=320x200:start_scale=0.3,gblur=sigma=3", "-frames:v", "1",
      folder("tile.png"),
    ])
    #expect(
      try Respool.run("convert", folder("tile.png"), tile, "--preset", "photo-heic").status == 0)
    let bytes = try #require(FileManager.default.contents(atPath: tile))
    try TiledFile(of: Array(bytes), quarters: UInt8(quarters), isCropped: isCropped).bytes
      .write(to: URL(fileURLWithPath: folder("photo.heic")))
    let output = folder("photo.png")
    let result = try Respool.run("convert", folder("photo.heic"), output, "--preset", "photo-png")
    try #require(result.status == 0, "\(result.errors)")
    // The second tile is cut by 10 columns.
    let turn = ["", ",transpose=cclock", ",transpose=cclock,transpose=cclock", ",transpose=clock"]
    try ffmpeg([
      "-i", folder("tile.png"), "-lavfi",
      "split[a][b];[a][b]hstack,crop=630:200:0:0" + (isCropped ? ",crop=400:120:100:20" : "")
        + turn[quarters],
      folder("expected.png"),
    ])
    let text = try Running(
      [
        "/usr/bin/ffmpeg", "-nostdin", "-i", output, "-i", folder("expected.png"), "-lavfi", "psnr",
        "-f", "null", "-",
      ], environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait().errors
    let value = text.components(separatedBy: "average:").last?.split(separator: " ").first
    #expect(try #require(value.flatMap { Double($0) }, "\(text)") > 33, "\(text)")
  }

  private func ffmpeg(_ arguments: [String]) throws {
    let result = try Running(
      ["/usr/bin/ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments,
      environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait()
    try #require(result.status == 0, "\(result.errors)")
  }
}

/// A HEIC file with an image twice, side by side (ISO/IEC 23008-12 6.6.2.3).
private struct TiledFile {
  private(set) var bytes = Data()

  /// `isCropped` is `true` if only 400x120 pixels at 100, 20 are shown.
  init(of tile: [UInt8], quarters: UInt8, isCropped: Bool) throws {
    let whole = Self.boxes(tile[...])
    let meta = Self.boxes(try #require(whole["meta"])[12...])
    let properties = Self.boxes(Self.boxes(try #require(meta["iprp"])[8...])["ipco"]?[8...] ?? [])
    let (size, record) = (try #require(properties["ispe"]), try #require(properties["hvcC"]))
    let color = try #require(properties["colr"])
    let place = try #require(meta["iloc"])[22...]
    let start = Int(Self.number(place.prefix(4))), length = Int(Self.number(place.dropFirst(4)))
    let image = tile[start..<start + length]
    let width = Self.number(size.dropFirst(12).prefix(4)), height = Self.number(size.suffix(4))
    let head = Self.box("ftyp", Array("heic\0\0\0\0mif1heic".utf8))
    let grid =
      [0, 0, 0, 1] + Self.bytes(UInt16(2 * width - 10)) + Self.bytes(UInt16(height))
    func newMeta(_ offset: Int) -> [UInt8] {
      var items = Self.full(
        "hdlr", [0, 0, 0, 0] + Array("pict".utf8) + Array(repeating: 0, count: 13))
      items += Self.full("pitm", [0, 3])
      let places: [UInt8] = Self.bytes(UInt32(offset)) + Self.bytes(UInt32(image.count))
      items += Self.full(
        "iloc",
        [0x44, 0, 0, 3] + [0, 1, 0, 0, 0, 0, 0, 1] + places + [0, 2, 0, 0, 0, 0, 0, 1] + places
          + [0, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0] + Self.bytes(UInt32(grid.count)), 1)
      func entry(_ id: UInt8, _ type: String, _ flags: UInt8) -> [UInt8] {
        Self.full("infe", [0, id, 0, 0] + Array(type.utf8) + [0], 2, flags)
      }
      items += Self.full(
        "iinf", [0, 3] + entry(1, "hvc1", 1) + entry(2, "hvc1", 1) + entry(3, "grid", 0))
      items += Self.full("iref", Self.box("dimg", [0, 3, 0, 2, 0, 1, 0, 2]))
      let extent = Self.full("ispe", Self.bytes(2 * width - 10) + Self.bytes(height))
      let aperture: [Int32] = [400, 1, 120, 1, -15, 1, -20, 1]
      let all =
        Array(size) + Array(record) + extent + Self.box("irot", [quarters]) + Array(color)
        + Self.box("clap", aperture.flatMap { Self.bytes($0) })
      let links: [UInt8] =
        [0, 0, 0, 3, 0, 1, 3, 1, 0x82, 5, 0, 2, 3, 1, 0x82, 5]
        + (isCropped ? [0, 3, 3, 3, 0x86, 0x84] : [0, 3, 2, 3, 0x84])
      items += Self.box("iprp", Self.box("ipco", all) + Self.full("ipma", links))
      return Self.full("meta", items + Self.box("idat", grid))
    }
    let offset = head.count + newMeta(0).count + 8
    bytes = Data(head + newMeta(offset) + Self.box("mdat", Array(image)))
  }

  /// Returns the last box of each type.
  private static func boxes(_ bytes: ArraySlice<UInt8>) -> [String: ArraySlice<UInt8>] {
    var (found, rest) = ([String: ArraySlice<UInt8>](), bytes)
    while rest.count >= 8 {
      let size = Int(number(rest.prefix(4)))
      let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
      let whole = rest.prefix(max(8, size))
      found[type] = ArraySlice(Array(whole))
      rest = rest.dropFirst(max(8, size))
    }
    return found
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  private static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    bytes(UInt32(body.count + 8)) + Array(type.utf8) + body
  }

  private static func full(
    _ type: String, _ body: [UInt8], _ version: UInt8 = 0, _ flags: UInt8 = 0
  ) -> [UInt8] { box(type, [version, 0, 0, flags] + body) }
}
