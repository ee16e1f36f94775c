import RespoolPlugin

/// The uncompressed header of a VP9 key frame (VP9 bitstream specification 6.2).
struct VP9FrameHeader {
  let profile: UInt8
  let bitDepth: Int
  let color: ColorDescription
  /// Chroma format: 0 gray, 1 4:2:0, 2 4:2:2, 3 4:4:4, 4 4:4:0.
  let chromaFormat: Int
  let isRGB: Bool
  let width: Int
  let height: Int

  /// Parses the header.
  ///
  /// Throws `malformed` if the frame is not a key frame.
  init(_ frame: ArraySlice<UInt8>) throws(MediaError) {
    var bits = BitReader(frame.prefix(32))
    guard try bits.bits(2) == 2 else { throw Self.noKeyFrame }
    var number = UInt8(try bits.bits(1))
    number |= UInt8(try bits.bits(1)) << 1
    profile = number
    if profile == 3 { try bits.skip(1) }
    // show_existing_frame, then the frame type: 0 is a key frame.
    guard try !bits.bit(), try !bits.bit() else { throw Self.noKeyFrame }
    try bits.skip(2)
    guard try bits.bits(24) == 0x498342 else { throw Self.noKeyFrame }
    bitDepth = profile >= 2 ? (try bits.bit() ? 12 : 10) : 8
    let space = try bits.bits(3)
    // Values of color_space: unknown, BT.601, BT.709, SMPTE 170M, SMPTE 240M, BT.2020, reserved, sRGB.
    let matrices: [UInt8] = [2, 5, 1, 6, 7, 9, 2, 0]
    var color = ColorDescription(matrix: matrices[Int(space)])
    isRGB = space == 7
    if space == 7 {
      color.range = .full
      chromaFormat = 3
      if profile & 1 == 1 { try bits.skip(1) }
    } else {
      color.range = try bits.bit() ? .full : .limited
      if profile & 1 == 1 {
        let (x, y) = (try bits.bit(), try bits.bit())
        try bits.skip(1)
        chromaFormat = x ? (y ? 1 : 2) : (y ? 4 : 3)
      } else {
        chromaFormat = 1
      }
    }
    self.color = color
    width = Int(try bits.bits(16)) + 1
    height = Int(try bits.bits(16)) + 1
  }

  private static let noKeyFrame = MediaError(.malformed, "the frame is not a VP9 key frame")

  /// Pixel format.
  ///
  /// `none` if it has no name.
  var pixelFormat: PixelFormat {
    let family = ["gray", "yuv420p", "yuv422p", "yuv444p", "yuv440p"]
    let name = isRGB ? "gbrp" : family[chromaFormat]
    return PixelFormat(name: bitDepth == 8 ? name : "\(name)\(bitDepth)le") ?? .none
  }
}
