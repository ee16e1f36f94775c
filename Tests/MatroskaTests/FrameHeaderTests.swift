import RespoolPlugin
import Testing

@testable import Matroska

/// Headers of codecs that state the pixel format.
///
/// The bytes are those of FFmpeg's encoders.
@Suite struct FrameHeaderTests {
  private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  private static let mpeg2 =
    "000001b32d024033ffffe018000001b5148200010000000001b52b0505050b421200000001b80008004000000100000f"
    + "fff8000001b58ffff30000000001012b"

  @Test func `MPEG-2 states its format, fields and color`() throws {
    let header = try #require(MPEGVideoHeader(bytes(Self.mpeg2)))
    #expect(header.pixelFormat == .yuv420p)
    #expect(header.fieldOrder == .bottomFirst)
    #expect((header.profile, header.level) == (4, 8))
    #expect(header.color.matrix == 5)
    #expect(header.color.range == .limited)
  }

  private static let ffv1 =
    "56061e2ffdb846d7709730018601eee11ce6bd454db5382774d82e107d75c5aae33d602cd88683fe5b47b10fc55ef17b"
    + "ff8178b57dc1212221be19c651d9310f08b67f7ab2c9dcca599ec7ddfde33307c787ddee7487e265c4fbfcd4c01ccd25"
    + "e4684ad70edf1a5235be5667fe306fbe96c56002384c2e17c2334d3d63a079d1300a50489dbab46ddf204ce365a7a221"
    + "9de799321bddca497ca2f179a74a265a67e463c8985cd8063ff058b154e98c41f384dff700902a10318e81942f93368b"
    + "3a61cf5bd0643555"

  @Test(
    arguments: [
      (Self.ffv1, "", "yuv422p10le"),
      ("5619e833ec3dfcf26ac06f43b94d6e026674cb52a5b94205010ea829", "", "bgr0"),
      ("", "9aec87309a496df656689957fd954a819b52a51600043caf00003fff", "yuv420p"),
    ])
  func `FFV1 states its format in the record or in the first frame`(
    record: String, frame: String, format: String
  ) throws {
    let parameters = try #require(
      FFV1Parameters(record: bytes(record), firstFrame: bytes(frame)))
    #expect(parameters.pixelFormat.name == format)
  }

  @Test(
    arguments: [
      ("4018200042", 24, "bgr0"), ("0090220142", 24, "gbrp10le"), ("0010200042", 16, "yuv422p"),
      ("", 16, "yuv422p"), ("0091210142", 24, "yuv422p10le"),
    ])
  func `HuffYUV states its format before its tables`(
    extradata: String, bits: Int, format: String
  ) {
    #expect(HuffYUVHeader(bytes(extradata), bits: bits).pixelFormat.name == format)
  }

  @Test func `PNG states its format`() throws {
    let file = bytes("89504e470d0a1a0a0000000d49484452000000b00000009010060000002779763f")
    #expect(try #require(PNGHeader(file)).pixelFormat == .rgba64be)
    #expect(PNGHeader(Array(file.dropFirst())) == nil)
  }

  @Test(arguments: [(0, 0, "yuv411p"), (0x80, 0, "yuv420p"), (0x80, 4, "yuv422p")])
  func `DV states its format in its first blocks`(system: UInt8, type: UInt8, format: String) throws
  {
    var frame = [UInt8](repeating: 0, count: 12000)
    (frame[0], frame[1], frame[3], frame[451]) = (0x1F, 7, system, type)
    #expect(try #require(DVFrameHeader(frame)).pixelFormat.name == format)
  }

  @Test func `headers that end early or are noise never crash`() {
    var noise: [UInt8] = []
    var state: UInt32 = 1
    for _ in 0..<4000 {
      state = state &* 1_664_525 &+ 1_013_904_223
      noise.append(UInt8(state >> 24))
    }
    for start in 0..<1000 {
      let part = Array(noise[start..<start + start % 90])
      _ = FFV1Parameters(record: part, firstFrame: [])
      _ = FFV1Parameters(record: [], firstFrame: part)
      _ = MPEGVideoHeader(bytes("000001b3") + part + bytes("000001b5") + part)
      _ = MPEG4VideoHeader.hasBidirectionalFrames(bytes("00000120") + part)
      _ = MPEG4VideoHeader.codingType(part)
      for codec in ["mpeg4", "mpeg2video", "wmv3", "vc1"] {
        let frames = BidirectionalFrames(
          codec: codec, extradata: codec == "vc1" ? bytes("0000010f") + part : part)
        _ = frames?.contains(part)
      }
      _ = TheoraHeader(part)
      _ = HuffYUVHeader(part, bits: start % 64)
      _ = DVFrameHeader(part)
      _ = WavPackHeader(part)
      _ = BitmapHeader(part)
      _ = SampleEntry(part, isVideo: start % 2 == 0)
    }
    let header = bytes(Self.mpeg2)
    for count in 0...header.count { _ = MPEGVideoHeader(Array(header.prefix(count))) }
  }
}
