import CRespool

/// A pixel format, under FFmpeg's name.
///
/// `yuv420p` with full range is FFmpeg's `yuvj420p`: here the range is a property of the color description.
public struct PixelFormat: Hashable, Sendable, RawRepresentable {
  /// The number that stands for the format in the plugin ABI (`RSP_PIXEL_...`).
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No format, or an unknown one.
  public static let none = PixelFormat(rawValue: 0)
  public static let yuv420p = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV420P))
  public static let yuv422p = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV422P))
  public static let yuv444p = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV444P))
  public static let yuv410p = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV410P))
  public static let yuv411p = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV411P))
  public static let yuv440p = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV440P))
  public static let yuva420p = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA420P))
  public static let yuva422p = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA422P))
  public static let yuva444p = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA444P))
  public static let yuv420p9le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV420P9LE))
  public static let yuv422p9le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV422P9LE))
  public static let yuv444p9le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV444P9LE))
  public static let yuv420p10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV420P10LE))
  public static let yuv422p10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV422P10LE))
  public static let yuv444p10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV444P10LE))
  public static let yuv440p10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV440P10LE))
  public static let yuv420p12le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV420P12LE))
  public static let yuv422p12le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV422P12LE))
  public static let yuv444p12le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV444P12LE))
  public static let yuv440p12le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV440P12LE))
  public static let yuv420p14le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV420P14LE))
  public static let yuv422p14le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV422P14LE))
  public static let yuv444p14le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV444P14LE))
  public static let yuv420p16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV420P16LE))
  public static let yuv422p16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV422P16LE))
  public static let yuv444p16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUV444P16LE))
  public static let yuva420p10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA420P10LE))
  public static let yuva422p10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA422P10LE))
  public static let yuva444p10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA444P10LE))
  public static let yuva422p12le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA422P12LE))
  public static let yuva444p12le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA444P12LE))
  public static let yuva420p16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA420P16LE))
  public static let yuva422p16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA422P16LE))
  public static let yuva444p16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUVA444P16LE))
  public static let nv12 = PixelFormat(rawValue: UInt32(RSP_PIXEL_NV12))
  public static let nv21 = PixelFormat(rawValue: UInt32(RSP_PIXEL_NV21))
  public static let nv16 = PixelFormat(rawValue: UInt32(RSP_PIXEL_NV16))
  public static let nv24 = PixelFormat(rawValue: UInt32(RSP_PIXEL_NV24))
  public static let p010le = PixelFormat(rawValue: UInt32(RSP_PIXEL_P010LE))
  public static let p016le = PixelFormat(rawValue: UInt32(RSP_PIXEL_P016LE))
  public static let p210le = PixelFormat(rawValue: UInt32(RSP_PIXEL_P210LE))
  public static let yuyv422 = PixelFormat(rawValue: UInt32(RSP_PIXEL_YUYV422))
  public static let uyvy422 = PixelFormat(rawValue: UInt32(RSP_PIXEL_UYVY422))
  public static let yvyu422 = PixelFormat(rawValue: UInt32(RSP_PIXEL_YVYU422))
  public static let gray = PixelFormat(rawValue: UInt32(RSP_PIXEL_GRAY))
  public static let gray9le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GRAY9LE))
  public static let gray10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GRAY10LE))
  public static let gray12le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GRAY12LE))
  public static let gray14le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GRAY14LE))
  public static let gray16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GRAY16LE))
  public static let gray16be = PixelFormat(rawValue: UInt32(RSP_PIXEL_GRAY16BE))
  public static let ya8 = PixelFormat(rawValue: UInt32(RSP_PIXEL_YA8))
  public static let ya16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_YA16LE))
  public static let ya16be = PixelFormat(rawValue: UInt32(RSP_PIXEL_YA16BE))
  public static let monowhite = PixelFormat(rawValue: UInt32(RSP_PIXEL_MONOWHITE))
  public static let monoblack = PixelFormat(rawValue: UInt32(RSP_PIXEL_MONOBLACK))
  public static let pal8 = PixelFormat(rawValue: UInt32(RSP_PIXEL_PAL8))
  public static let rgb24 = PixelFormat(rawValue: UInt32(RSP_PIXEL_RGB24))
  public static let bgr24 = PixelFormat(rawValue: UInt32(RSP_PIXEL_BGR24))
  public static let argb = PixelFormat(rawValue: UInt32(RSP_PIXEL_ARGB))
  public static let rgba = PixelFormat(rawValue: UInt32(RSP_PIXEL_RGBA))
  public static let abgr = PixelFormat(rawValue: UInt32(RSP_PIXEL_ABGR))
  public static let bgra = PixelFormat(rawValue: UInt32(RSP_PIXEL_BGRA))
  public static let rgb0 = PixelFormat(rawValue: UInt32(RSP_PIXEL_RGB0))
  public static let bgr0 = PixelFormat(rawValue: UInt32(RSP_PIXEL_BGR0))
  public static let _0rgb = PixelFormat(rawValue: UInt32(RSP_PIXEL_0RGB))
  public static let _0bgr = PixelFormat(rawValue: UInt32(RSP_PIXEL_0BGR))
  public static let rgb48le = PixelFormat(rawValue: UInt32(RSP_PIXEL_RGB48LE))
  public static let rgb48be = PixelFormat(rawValue: UInt32(RSP_PIXEL_RGB48BE))
  public static let bgr48le = PixelFormat(rawValue: UInt32(RSP_PIXEL_BGR48LE))
  public static let rgba64le = PixelFormat(rawValue: UInt32(RSP_PIXEL_RGBA64LE))
  public static let rgba64be = PixelFormat(rawValue: UInt32(RSP_PIXEL_RGBA64BE))
  public static let bgra64le = PixelFormat(rawValue: UInt32(RSP_PIXEL_BGRA64LE))
  public static let rgb565le = PixelFormat(rawValue: UInt32(RSP_PIXEL_RGB565LE))
  public static let rgb555le = PixelFormat(rawValue: UInt32(RSP_PIXEL_RGB555LE))
  public static let gbrp = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRP))
  public static let gbrp9le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRP9LE))
  public static let gbrp10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRP10LE))
  public static let gbrp12le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRP12LE))
  public static let gbrp14le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRP14LE))
  public static let gbrp16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRP16LE))
  public static let gbrap = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRAP))
  public static let gbrap10le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRAP10LE))
  public static let gbrap12le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRAP12LE))
  public static let gbrap16le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRAP16LE))
  public static let grayf32le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GRAYF32LE))
  public static let gbrpf32le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRPF32LE))
  public static let gbrapf32le = PixelFormat(rawValue: UInt32(RSP_PIXEL_GBRAPF32LE))
}

extension PixelFormat {
  /// Creates the format that FFmpeg calls `name`; `nil` for other names.
  public init?(name: String) {
    guard let index = layouts.firstIndex(where: { $0.name == name }) else { return nil }
    self.init(rawValue: UInt32(index + 1))
  }

  /// FFmpeg's name, or `none`.
  public var name: String { layout?.name ?? "none" }

  /// Every format of the table.
  public static var allCases: [PixelFormat] {
    layouts.indices.map { PixelFormat(rawValue: UInt32($0 + 1)) }
  }

  /// The memory layout of the format; `nil` for a number that this version does not know.
  public var layout: PixelLayout? {
    rawValue >= 1 && rawValue <= layouts.count ? layouts[Int(rawValue) - 1] : nil
  }
}

extension PixelFormat: CustomStringConvertible {
  public var description: String { name }
}
