import CX264
import RespoolPlugin

/// A pixel format and its representation in x264.
struct FrameFormat {
  let pixelFormat: PixelFormat
  /// x264's color space of the input and of the stream.
  let colorSpace: Int32
  let bitDepth: Int32
  /// `chroma_format_idc` (ISO/IEC 14496-10 6.2).
  let chromaFormat: UInt8

  /// All formats in order of preference.
  static let all: [FrameFormat] = [
    .init(pixelFormat: .yuv420p, colorSpace: X264_CSP_I420, bitDepth: 8, chromaFormat: 1),
    .init(pixelFormat: .nv12, colorSpace: X264_CSP_NV12, bitDepth: 8, chromaFormat: 1),
    .init(pixelFormat: .nv21, colorSpace: X264_CSP_NV21, bitDepth: 8, chromaFormat: 1),
    .init(pixelFormat: .yuv422p, colorSpace: X264_CSP_I422, bitDepth: 8, chromaFormat: 2),
    .init(pixelFormat: .nv16, colorSpace: X264_CSP_NV16, bitDepth: 8, chromaFormat: 2),
    .init(pixelFormat: .yuv444p, colorSpace: X264_CSP_I444, bitDepth: 8, chromaFormat: 3),
    .init(pixelFormat: .yuv420p10le, colorSpace: X264_CSP_I420, bitDepth: 10, chromaFormat: 1),
    .init(pixelFormat: .yuv422p10le, colorSpace: X264_CSP_I422, bitDepth: 10, chromaFormat: 2),
    .init(pixelFormat: .yuv444p10le, colorSpace: X264_CSP_I444, bitDepth: 10, chromaFormat: 3),
    .init(pixelFormat: .gray, colorSpace: X264_CSP_I400, bitDepth: 8, chromaFormat: 0),
    .init(pixelFormat: .gray10le, colorSpace: X264_CSP_I400, bitDepth: 10, chromaFormat: 0),
  ]

  static func of(_ format: PixelFormat) throws(MediaError) -> FrameFormat {
    guard let found = all.first(where: { $0.pixelFormat == format }) else {
      throw MediaError(
        .unsupported,
        "x264 does not take \(format); it takes "
          + all.map { $0.pixelFormat.name }.joined(separator: ", "))
    }
    return found
  }

  /// x264's color space of a frame in memory.
  var pictureColorSpace: Int32 { bitDepth > 8 ? colorSpace | X264_CSP_HIGH_DEPTH : colorSpace }

  /// Returns the reason why `profile` cannot hold this format.
  ///
  /// `nil` if it can (ISO/IEC 14496-10 annex A).
  func problem(withProfile profile: String) -> String? {
    let fits =
      switch profile {
      case "baseline", "main": bitDepth == 8 && chromaFormat == 1
      case "high": bitDepth == 8 && chromaFormat <= 1
      case "high10": chromaFormat <= 1
      case "high422": chromaFormat <= 2
      default: true
      }
    return fits ? nil : "profile \(profile) does not support \(pixelFormat)"
  }
}
