import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolProcessing

@Suite struct FrameRotatorTests {
  private func turn(_ frame: Frame, _ degrees: Int, mirrored: Bool = false) throws -> Frame {
    try FrameRotator(
      from: VideoFormat(frame),
      orientation: .init(clockwiseDegrees: degrees, mirrored: mirrored)
    ).rotate(frame)
  }

  @Test(
    arguments: [
      (0, false, [1, 2, 3, 4, 5, 6]), (90, false, [4, 1, 5, 2, 6, 3]),
      (180, false, [6, 5, 4, 3, 2, 1]), (270, false, [3, 6, 2, 5, 1, 4]),
      (0, true, [3, 2, 1, 6, 5, 4]), (90, true, [6, 3, 5, 2, 4, 1]),
      (180, true, [4, 5, 6, 1, 2, 3]), (270, true, [1, 4, 2, 5, 3, 6]),
    ] as [(Int, Bool, [UInt8])])
  func `every orientation moves samples to their place`(
    degrees: Int, mirrored: Bool, expected: [UInt8]
  ) throws {
    let frame = try FrameFixture.packed(.gray, 3, 2, [1, 2, 3, 4, 5, 6])
    let result = try turn(frame, degrees, mirrored: mirrored)
    #expect(FrameFixture.bytes(result) == expected)
    #expect((result.width, result.height) == (degrees % 180 == 0 ? (3, 2) : (2, 3)))
  }

  @Test(arguments: PixelFormat.allCases)
  func `four quarter turns give the same frame`(format: PixelFormat) throws {
    for (width, height) in [(1, 1), (37, 5), (66, 34)] {
      let frame = try FrameFixture.flat(format, width, height, [0, 0, 0, 0])
      var turned = frame
      for _ in 0..<4 { turned = try turn(turned, 90) }
      #expect((turned.width, turned.height) == (width, height))
    }
  }

  @Test(arguments: [
    PixelFormat.yuv420p, .yuv444p, .yuv422p, .yuv440p, .yuv422p10le, .nv12, .p010le, .rgb24, .rgba,
    .rgb48le, .rgba64le, .gbrp, .yuva420p, .gray16be, .yuv410p, .pal8,
  ])
  func `four quarter turns keep every sample`(format: PixelFormat) throws {
    for (width, height) in [(5, 3), (67, 34)] {
      let frame = try FrameFixture.counting(format, width, height)
      var turned = frame
      for _ in 0..<4 { turned = try turn(turned, 90) }
      #expect(FrameFixture.allBytes(turned) == FrameFixture.allBytes(frame))
      turned = try turn(try turn(frame, 270, mirrored: true), 270, mirrored: true)
      #expect(FrameFixture.allBytes(turned) == FrameFixture.allBytes(frame))
    }
  }

  @Test func `a quarter turn exchanges the direction of chroma subsampling`() throws {
    #expect(try turn(FrameFixture.counting(.yuv422p, 8, 6), 90).pixelFormat == .yuv440p)
    #expect(try turn(FrameFixture.counting(.yuv440p, 8, 6), 90).pixelFormat == .yuv422p)
    #expect(try turn(FrameFixture.counting(.yuv411p, 8, 6), 90).pixelFormat == .yuv444p)
    #expect(try turn(FrameFixture.counting(.yuyv422, 8, 6), 90).pixelFormat == .yuv440p)
    #expect(try turn(FrameFixture.counting(.yuv422p, 8, 6), 180).pixelFormat == .yuv422p)
  }

  @Test func `pixel aspect ratio and chroma location are rotated too`() throws {
    var frame = try FrameFixture.counting(.yuv420p, 8, 6)
    frame.sampleAspect = Rational(4, 3)
    frame.color.chromaLocation = .left
    frame.flags = [.interlaced]
    let result = try turn(frame, 90)
    #expect(result.sampleAspect == Rational(3, 4))
    #expect(result.color.chromaLocation == .top)
    #expect(result.flags.isEmpty)
  }
}
