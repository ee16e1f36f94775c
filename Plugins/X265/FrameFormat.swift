import CX265
import RespoolPlugin

/// A pixel format and its representation in x265.
struct FrameFormat {
  let pixelFormat: PixelFormat
  /// x265's color space, which equals `chroma_format_idc` (ITU-T H.265 6.2).
  let colorSpace: Int32
  let bitDepth: Int

  /// Formats that x265 knows, in order of preference.
  private static let known: [FrameFormat] = [
    .init(pixelFormat: .yuv420p, colorSpace: X265_CSP_I420, bitDepth: 8),
    .init(pixelFormat: .yuv422p, colorSpace: X265_CSP_I422, bitDepth: 8),
    .init(pixelFormat: .yuv444p, colorSpace: X265_CSP_I444, bitDepth: 8),
    .init(pixelFormat: .yuv420p10le, colorSpace: X265_CSP_I420, bitDepth: 10),
    .init(pixelFormat: .yuv422p10le, colorSpace: X265_CSP_I422, bitDepth: 10),
    .init(pixelFormat: .yuv444p10le, colorSpace: X265_CSP_I444, bitDepth: 10),
    .init(pixelFormat: .yuv420p12le, colorSpace: X265_CSP_I420, bitDepth: 12),
    .init(pixelFormat: .yuv422p12le, colorSpace: X265_CSP_I422, bitDepth: 12),
    .init(pixelFormat: .yuv444p12le, colorSpace: X265_CSP_I444, bitDepth: 12),
    .init(pixelFormat: .gray, colorSpace: X265_CSP_I400, bitDepth: 8),
    .init(pixelFormat: .gray10le, colorSpace: X265_CSP_I400, bitDepth: 10),
    .init(pixelFormat: .gray12le, colorSpace: X265_CSP_I400, bitDepth: 12),
  ]

  /// Formats that the present library encodes.
  static let all = known.filter { Library.bitDepths.contains($0.bitDepth) }

  static func of(_ format: PixelFormat) throws(MediaError) -> FrameFormat {
    guard let found = all.first(where: { $0.pixelFormat == format }) else {
      throw MediaError(
        .unsupported,
        "x265 does not take \(format); it takes "
          + all.map { $0.pixelFormat.name }.joined(separator: ", "))
    }
    return found
  }

  /// Throws if x265 cannot encode frames of a size.
  ///
  /// The smallest coding tree unit has 16x16 pixels, and a frame has at least one. The sides are multiples of chroma's
  /// subsampling, because x265 does not write a conformance window for the rest.
  func check(width: Int, height: Int) throws(MediaError) {
    guard (16...8192 * 2).contains(width), (16...8192 * 2).contains(height) else {
      throw MediaError(
        .unsupported, "the frame size is \(width)x\(height); x265 takes sides from 16 to 16384")
    }
    guard let layout = pixelFormat.layout, colorSpace != X265_CSP_I400 else { return }
    let (across, down) = (1 << layout.log2ChromaWidth, 1 << layout.log2ChromaHeight)
    guard width.isMultiple(of: across), height.isMultiple(of: down) else {
      throw MediaError(
        .unsupported,
        "the frame size is \(width)x\(height); \(pixelFormat) of x265 needs a width that is a multiple of "
          + "\(across) and a height that is a multiple of \(down)")
    }
  }
}
