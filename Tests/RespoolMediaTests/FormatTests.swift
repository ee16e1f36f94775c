import RespoolMedia
import Testing

@Suite struct FormatTests {
  @Test func `every pixel format is found by its name`() {
    for format in PixelFormat.allCases {
      #expect(PixelFormat(name: format.name) == format)
    }
    #expect(PixelFormat.yuv420p.name == "yuv420p")
    #expect(PixelFormat.gbrapf32le.name == "gbrapf32le")
    #expect(PixelFormat.pal8.name == "pal8")
    #expect(PixelFormat._0rgb.name == "0rgb")
  }

  @Test func `time bases convert exactly`() {
    #expect(Rational(1, 90000).convert(90000, to: Rational(1, 1000)) == 1000)
    #expect(Rational(1, 48000).convert(312, to: Rational(1, 1000), rounding: .down) == 6)
    #expect(Rational(1, 48000).convert(-312, to: Rational(1, 1000), rounding: .down) == -7)
    #expect(Rational(1, 1).convert(.max, to: Rational(1, 90000)) == .max)
  }

  @Test func `missing color properties are taken from another description`() {
    let open = ColorDescription(matrix: 5)
    let said = ColorDescription(
      primaries: 9, transfer: 18, matrix: 9, range: .full, chromaLocation: .center)
    #expect(
      open.completed(by: said, isYUV: true)
        == ColorDescription(
          primaries: 9, transfer: 18, matrix: 5, range: .full, chromaLocation: .center))
    #expect(
      open.completed(by: said, isYUV: false)
        == ColorDescription(primaries: 9, transfer: 18, matrix: 5))
    #expect(said.completed(by: .bt709, isYUV: true) == said)
    #expect(said.isHighDynamicRange && !said.isStandardDynamicRange)
    #expect(!open.isHighDynamicRange && !open.isStandardDynamicRange)
    #expect(
      said.asBT709
        == ColorDescription(
          primaries: 1, transfer: 1, matrix: 1, range: .full, chromaLocation: .center))
  }

  @Test(arguments: [0, 90, 180, 270]) func `rotations are recognized`(degrees: Int) {
    let turn = DisplayMatrix(clockwiseDegrees: degrees).orientation
    #expect(turn == .init(clockwiseDegrees: degrees))
  }

  @Test(arguments: [0, 30, 90, 123.5, 180, 270, 359], [false, true])
  func `angles and mirroring round-trip`(angle: Double, mirrored: Bool) throws {
    let matrix = DisplayMatrix(clockwiseAngle: angle, mirrored: mirrored)
    #expect(abs(try #require(matrix.clockwiseAngle) - angle) < 0.01)
    #expect(matrix.isMirrored == mirrored && !matrix.isScaledOrSkewed)
    #expect(matrix.isOblique == (angle.remainder(dividingBy: 90) != 0))
  }

  @Test(arguments: [(8, 9), (2, 1), (64, 45), (1, 3)] as [(Int32, Int32)])
  func `stretching becomes a pixel aspect ratio`(numerator: Int32, denominator: Int32) throws {
    for degrees in [0, 90, 180, 270] {
      var matrix = DisplayMatrix(clockwiseDegrees: degrees)
      matrix.a = Int32(Int64(matrix.a) * Int64(numerator) / Int64(denominator))
      matrix.b = Int32(Int64(matrix.b) * Int64(numerator) / Int64(denominator))
      let (plain, aspect) = try #require(matrix.unstretched)
      #expect(aspect == Rational(numerator, denominator))
      #expect(plain == DisplayMatrix(clockwiseDegrees: degrees))
    }
    #expect(DisplayMatrix(a: 131072, b: 0, c: 0, d: 131072).unstretched == nil)
    #expect(DisplayMatrix(a: 65536, b: 0, c: 9999, d: 65536).unstretched == nil)
    #expect(DisplayMatrix(a: 0, b: 0, c: 0, d: 0).unstretched == nil)
    let extreme = DisplayMatrix(a: .min, b: .min, c: .max, d: .min)
    #expect(extreme.clockwiseAngle != nil || extreme.unstretched == nil)
    #expect(extreme.withoutOrientation.isMirrored == false)
  }

  @Test func `scaling remains without the orientation`() {
    let doubled = DisplayMatrix(a: 0, b: -131072, c: -131072, d: 0)
    #expect(doubled.withoutOrientation == DisplayMatrix(a: 131072, b: 0, c: 0, d: 131072))
  }
}

@Suite struct LanguageCodeTests {
  @Test(arguments: ["de", "deu", "ger", "GER"])
  func `every form names the language`(code: String) throws {
    let language = try #require(LanguageCode(code))
    #expect(language.twoLetters == "de")
    #expect(language.terminological == "deu")
    #expect(language.bibliographic == "ger")
  }

  @Test func `most languages have one form of three letters`() throws {
    let language = try #require(LanguageCode("en"))
    #expect(language.terminological == "eng" && language.bibliographic == "eng")
    #expect(LanguageCode("tlh") == nil && LanguageCode("") == nil && LanguageCode("de-CH") == nil)
  }
}

@Suite struct PictureFileTests {
  /// Returns a JPEG with one scan whose data is `scan`.
  private func jpeg(_ scan: [UInt8]) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xDA, 0, 3, 9] + scan + [0xFF, 0xD9]
  }

  @Test func `kinds of images are known by their first bytes`() {
    #expect(PictureFile.codec(of: jpeg([1])) == "mjpeg")
    #expect(PictureFile.codec(of: [0x89, 0x50, 0x4E, 0x47, 0] as [UInt8]) == "png")
    #expect(PictureFile.codec(of: Array("plain".utf8)) == nil)
  }

  @Test func `only the end of a tiny scan is filled`() {
    let tiny = jpeg([0x92, 0x80, 0x3F])
    #expect(
      PictureFile.withFindableEnd(tiny) == tiny.dropLast(2) + [0xFF, 0xFF, 0xFF, 0xD9])
    // The last of several scans counts.
    let second = jpeg([0xFF, 0]).dropLast(2) + jpeg([UInt8](repeating: 7, count: 400)).dropFirst(2)
    #expect(
      PictureFile.withFindableEnd(Array(second))
        == Array(second.dropLast(2)) + [0xFF, 0xFF, 0xFF, 0xD9])
    for file in [
      jpeg([7, 0xFF, 0, 7]), jpeg([7, 0xFF, 0xD0, 7]), Array(tiny.dropLast()),
      Array(tiny.prefix(11)),
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF, 0xD9], [0xFF, 0xD8, 0xFF, 0xD9], [],
    ] {
      #expect(PictureFile.withFindableEnd(file) == file)
    }
  }
}
