import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolProcessing

@Suite struct FrameConverterTests {
  private func convert(
    _ frame: Frame, _ format: PixelFormat, _ width: Int? = nil, _ height: Int? = nil,
    from: ColorDescription = .unspecified, to: ColorDescription = .unspecified
  ) throws -> Frame {
    var source = VideoFormat(frame)
    source.color = from
    let converter = try FrameConverter(
      from: source,
      to: VideoFormat(
        pixelFormat: format, width: width ?? frame.width, height: height ?? frame.height, color: to)
    )
    return try converter.convert(frame)
  }

  /// Packing, opaque alpha and transparency depend on this.
  @Test func `big-endian formats are packed words of 16 bits`() {
    for layout in PixelFormat.allCases.compactMap(\.layout) where layout.isBigEndian {
      #expect(layout.depth == 16 && layout.bytesPerPixel.count == 1, "\(layout.name)")
    }
  }

  @Test func `a frame that needs no conversion is returned`() throws {
    let frame = try FrameFixture.counting(.yuv420p, 33, 17)
    let result = try convert(frame, .yuv420p, to: ColorDescription(range: .limited))
    #expect(result.buffer === frame.buffer)
    #expect(result.color.range == .limited)
  }

  @Test(
    arguments: [
      // Red, green, blue, white and black by BT.601 and BT.709 with limited range.
      ([255, 0, 0], 6, [81, 90, 240]), ([0, 255, 0], 6, [145, 54, 34]),
      ([0, 0, 255], 6, [41, 240, 110]), ([255, 0, 0], 1, [63, 102, 240]),
      ([0, 255, 0], 1, [173, 42, 26]), ([0, 0, 255], 1, [32, 240, 118]),
      ([255, 255, 255], 1, [235, 128, 128]), ([0, 0, 0], 6, [16, 128, 128]),
    ] as [([UInt8], UInt8, [UInt8])])
  func `primaries have their known codes`(rgb: [UInt8], matrix: UInt8, yuv: [UInt8]) throws {
    let frame = try FrameFixture.packed(.rgb24, 2, 2, rgb + rgb + rgb + rgb)
    let result = try convert(frame, .yuv420p, to: ColorDescription(matrix: matrix))
    for plane in 0..<3 {
      #expect(FrameFixture.bytes(result, plane: plane).allSatisfy { $0 == yuv[plane] })
    }
    #expect(result.color.matrix == matrix)
    #expect(result.color.range == .limited)
    let back = try convert(result, .rgb24, from: ColorDescription(matrix: matrix))
    for (value, wanted) in zip(FrameFixture.bytes(back), rgb + rgb + rgb + rgb) {
      #expect(abs(Int(value) - Int(wanted)) <= 2)
    }
  }

  @Test func `the matrix of an unmarked frame follows from its size`() throws {
    let small = try convert(try FrameFixture.counting(.rgb24, 16, 576), .yuv444p)
    let large = try convert(try FrameFixture.counting(.rgb24, 1280, 16), .yuv444p)
    #expect(small.color.matrix == 5)
    #expect(large.color.matrix == 1)
  }

  @Test func `full range is stretched`() throws {
    let frame = try FrameFixture.flat(.yuv444p, 4, 4, [235, 240, 16])
    let result = try convert(
      frame, .yuv444p, from: ColorDescription(range: .limited), to: ColorDescription(range: .full))
    #expect(FrameFixture.bytes(result, plane: 1).allSatisfy { $0 == 255 })
    #expect(FrameFixture.bytes(result, plane: 2).allSatisfy { $0 <= 1 })
    #expect(FrameFixture.bytes(result).allSatisfy { $0 == 255 })
  }

  @Test(arguments: PixelFormat.allCases)
  func `every pixel format becomes video and RGB`(format: PixelFormat) throws {
    for (width, height) in [(1, 1), (5, 3), (64, 18)] {
      let frame = try FrameFixture.flat(format, width, height, [0, 0, 0, 0])
      for target in [PixelFormat.yuv420p, .yuv444p10le, .rgb24, .gray] {
        let result = try convert(frame, target)
        #expect(result.pixelFormat == target)
        #expect((result.width, result.height) == (width, height))
      }
    }
  }

  @Test(arguments: [
    PixelFormat.yuv422p, .yuv444p, .yuv420p10le, .yuv422p10le, .gray, .gbrp, .rgb24, .rgba, .bgra,
    .argb, .abgr, .rgb0, ._0rgb, .nv12, .nv21, .p010le, .yuyv422, .uyvy422, .rgb48le, .rgba64be,
    .ya8, .rgb565le, .gbrap, .yuva420p, .gray16be,
  ])
  func `flat frames keep their color`(format: PixelFormat) throws {
    for (width, height) in [(1, 1), (7, 5), (130, 66)] {
      let gray = try FrameFixture.packed(
        .rgb24, width, height, [UInt8](repeating: 0x84, count: width * height * 3))
      let there = try convert(gray, format)
      let back = try convert(there, .rgb24)
      let tolerance = format == .rgb565le ? 2 : 1
      #expect(FrameFixture.bytes(back).allSatisfy { abs(Int($0) - 0x84) <= tolerance })
    }
  }

  @Test(arguments: [
    PixelFormat.bgr24, .rgba, .bgra, .argb, .abgr, .rgb0, .bgr0, ._0rgb, ._0bgr, .gbrp, .gbrap,
    .rgb48le, .rgb48be, .bgr48le, .rgba64le, .rgba64be, .bgra64le, .gbrp16le,
  ])
  func `packing is exact and round-trips`(format: PixelFormat) throws {
    let frame = try FrameFixture.counting(.rgb24, 67, 9)
    let result = try convert(try convert(frame, format), .rgb24)
    #expect(FrameFixture.bytes(result) == FrameFixture.bytes(frame))
  }

  @Test(arguments: [
    (PixelFormat.nv12, PixelFormat.yuv420p), (.nv21, .yuv420p), (.nv16, .yuv422p),
    (.nv24, .yuv444p), (.p010le, .yuv420p10le), (.p016le, .yuv420p16le), (.p210le, .yuv422p10le),
    (.yuyv422, .yuv422p), (.uyvy422, .yuv422p), (.yvyu422, .yuv422p),
  ])
  func `packed video round-trips`(packed: PixelFormat, planar: PixelFormat) throws {
    for (width, height) in [(2, 2), (7, 5), (66, 10)] {
      let frame = try FrameFixture.counting(planar, width, height)
      let result = try convert(try convert(frame, packed), planar)
      #expect(FrameFixture.allBytes(result) == FrameFixture.allBytes(frame))
    }
  }

  @Test func `packed video has its component order`() throws {
    let frame = try FrameFixture.packed(.yuyv422, 2, 1, [10, 20, 30, 40])
    let result = try convert(frame, .yuv422p)
    #expect(FrameFixture.allBytes(result) == [10, 30, 20, 40])
    #expect(try FrameFixture.bytes(convert(result, .uyvy422)) == [20, 10, 40, 30])
    #expect(try FrameFixture.bytes(convert(result, .yvyu422)) == [10, 40, 30, 20])
  }

  @Test func `bits are black or white`() throws {
    let frame = try FrameFixture.packed(.monowhite, 10, 1, [0b0101_0101, 0b1100_0000])
    #expect(
      try FrameFixture.bytes(convert(frame, .gray))
        == [255, 0, 255, 0, 255, 0, 255, 0, 0, 0])
  }

  @Test func `alpha is blended over black or kept`() throws {
    let frame = try FrameFixture.packed(
      .rgba, 4, 1, [200, 100, 50, 255, 200, 100, 50, 128, 200, 100, 50, 0, 255, 255, 255, 1])
    #expect(
      try FrameFixture.bytes(convert(frame, .rgb24))
        == [200, 100, 50, 100, 50, 25, 0, 0, 0, 1, 1, 1])
    #expect(
      try FrameFixture.bytes(convert(frame, .bgra))
        == [50, 100, 200, 255, 50, 100, 200, 128, 50, 100, 200, 0, 255, 255, 255, 1])
  }

  @Test func `transparent video is black`() throws {
    let frame = try FrameFixture.flat(.yuva420p, 5, 5, [180, 60, 200, 0])
    let result = try convert(frame, .yuv420p)
    #expect(FrameFixture.bytes(result).allSatisfy { $0 == 16 })
    #expect(FrameFixture.bytes(result, plane: 1).allSatisfy { $0 == 128 })
    #expect(FrameFixture.bytes(result, plane: 2).allSatisfy { $0 == 128 })
  }

  @Test func `a palette is looked up`() throws {
    let frame = try #require(Frame(pixelFormat: .pal8, width: 3, height: 1))
    for (index, color) in [0xFF11_2233, 0xFF44_5566, 0x0077_8899].enumerated() {
      frame.planes[0].base.storeBytes(of: UInt8(index), toByteOffset: index, as: UInt8.self)
      frame.planes[1].base.storeBytes(
        of: UInt32(color), toByteOffset: index * 4, as: UInt32.self)
    }
    #expect(
      try FrameFixture.bytes(convert(frame, .rgb24))
        == [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0, 0, 0])
  }

  @Test(arguments: ScalingFilter.allCases)
  func `a ramp stays a ramp`(filter: ScalingFilter) throws {
    let ramp = (0..<128).map { UInt8($0) }
    let frame = try FrameFixture.packed(.gray, 128, 2, ramp + ramp)
    let converter = try FrameConverter(
      from: VideoFormat(frame), to: VideoFormat(pixelFormat: .gray, width: 64, height: 2),
      filter: filter)
    let result = FrameFixture.bytes(try converter.convert(frame))
    for x in 6..<58 { #expect(abs(Int(result[x]) - (2 * x + 1)) <= 1) }
  }

  @Test(arguments: [(1, 1, 3, 3), (3, 5, 31, 15), (63, 33, 32, 17), (640, 3, 3, 640), (2, 2, 1, 1)])
  func `odd sizes scale`(width: Int, height: Int, newWidth: Int, newHeight: Int) throws {
    for format in [PixelFormat.yuv420p, .yuv410p, .nv12, .yuyv422] {
      let values: [UInt8] = format == .nv12 ? [90, 90] : [90, 90, 90]
      let frame = try FrameFixture.flat(format, width, height, values)
      let result = try convert(frame, .yuv420p, newWidth, newHeight)
      #expect(FrameFixture.allBytes(result).allSatisfy { $0 == 90 })
    }
  }

  @Test func `the longest side converts`() throws {
    let frame = try FrameFixture.flat(.yuv420p, 16384, 2, [77, 88, 99])
    let result = try convert(frame, .yuv420p, 16383, 3)
    #expect(FrameFixture.bytes(result).allSatisfy { $0 == 77 })
    #expect(throws: MediaError.self) {
      try FrameConverter(
        from: VideoFormat(frame), to: VideoFormat(pixelFormat: .gray, width: 0, height: 1))
    }
  }

  @Test func `fields are scaled separately`() throws {
    // One field white, the other black: mixing rows would give gray.
    let rows = (0..<16).flatMap { [UInt8](repeating: $0 % 2 == 0 ? 255 : 0, count: 16) }
    var frame = try FrameFixture.packed(.gray, 16, 16, rows)
    frame.flags.insert(.interlaced)
    let result = FrameFixture.bytes(try convert(frame, .gray, 16, 8))
    for row in 0..<8 {
      #expect(result[row * 16..<row * 16 + 16].allSatisfy { $0 == (row % 2 == 0 ? 255 : 0) })
    }
  }

  @Test func `rows may run upwards`() throws {
    let frame = try FrameFixture.counting(.gray, 64, 4)
    var flipped = frame
    flipped.planes[0].base += 3 * flipped.planes[0].stride
    flipped.planes[0].stride.negate()
    let result = FrameFixture.bytes(try convert(flipped, .rgb24))
    let expected = stride(from: 3, through: 0, by: -1).flatMap { row in
      FrameFixture.bytes(frame)[row * 64..<row * 64 + 64].flatMap { [$0, $0, $0] }
    }
    #expect(result == expected)
  }

  @Test func `time and pixel aspect ratio are kept`() throws {
    var frame = try FrameFixture.counting(.yuv420p, 720, 576)
    frame.duration = 40
    frame.sampleAspect = Rational(16, 15)
    let result = try convert(frame, .yuv420p, 768, 576)
    #expect(result.pts == 7)
    #expect(result.duration == 40)
    #expect(result.sampleAspect == Rational(1, 1))
  }

  @Test func `another frame format is rejected`() throws {
    let converter = try FrameConverter(
      from: VideoFormat(pixelFormat: .gray, width: 8, height: 8),
      to: VideoFormat(pixelFormat: .rgb24, width: 8, height: 8))
    #expect(throws: MediaError.self) {
      try converter.convert(try FrameFixture.counting(.gray, 8, 9))
    }
    var short = try FrameFixture.counting(.gray, 8, 8)
    short.planes = []
    #expect(throws: MediaError.self) { try converter.convert(short) }
  }
}
