/// The memory layout of a pixel format.
public struct PixelLayout: Hashable, Sendable {
  /// Color model of a pixel format.
  public enum Family: Hashable, Sendable { case yuv, rgb, gray, palette }

  /// FFmpeg's name.
  public let name: String
  public let family: Family
  /// Number of components, including alpha.
  public let componentCount: Int
  /// Bits of the deepest component; 32 means floating point.
  public let depth: Int
  /// Binary logarithm of the horizontal subsampling of chroma, as FFmpeg's `log2_chroma_w`: 1 for 4:2:0 and 4:2:2.
  public let log2ChromaWidth: Int
  /// Binary logarithm of the vertical subsampling of chroma, as FFmpeg's `log2_chroma_h`: 1 for 4:2:0.
  public let log2ChromaHeight: Int
  /// For each plane, the number of bytes from one pixel to the next.
  ///
  /// 0 if a byte holds eight pixels.
  ///
  /// A `pal8` frame has an additional second plane: 256 native 32-bit words 0xAARRGGBB.
  public let bytesPerPixel: [Int]

  fileprivate init(
    _ name: String, _ family: Family, components: Int, depth: Int,
    log2Chroma: (width: Int, height: Int) = (0, 0), bytes: [Int]
  ) {
    (self.name, self.family, self.depth) = (name, family, depth)
    (componentCount, bytesPerPixel) = (components, bytes)
    (log2ChromaWidth, log2ChromaHeight) = log2Chroma
  }

  public var hasAlpha: Bool { componentCount.isMultiple(of: 2) || family == .palette }
  public var isFloat: Bool { depth == 32 }
  public var isBigEndian: Bool { name.hasSuffix("be") }
  /// Number of low bits of a stored value that an 8-bit level has not; 0 for 8 bits and less.
  package var bitsBelowEight: Int {
    // P010 and P210 store ten bits in the high ones.
    name.hasPrefix("p0") || name.hasPrefix("p2") ? 8 : max(0, depth - 8)
  }
  public var planeCount: Int { family == .palette ? 2 : bytesPerPixel.count }

  /// Returns the width of a plane for a frame of `width` pixels.
  public func width(ofPlane plane: Int, for width: Int) -> Int {
    isChroma(plane) ? (width + (1 << log2ChromaWidth) - 1) >> log2ChromaWidth : width
  }

  /// Returns the number of rows of a plane for a frame of `height` pixels.
  public func height(ofPlane plane: Int, for height: Int) -> Int {
    if family == .palette && plane == 1 { return 1 }
    return isChroma(plane) ? (height + (1 << log2ChromaHeight) - 1) >> log2ChromaHeight : height
  }

  /// Returns the number of bytes of a row of a plane, without padding.
  public func rowBytes(ofPlane plane: Int, for width: Int) -> Int {
    if family == .palette && plane == 1 { return 1024 }
    let step = bytesPerPixel[plane]
    if step == 0 { return (width + 7) / 8 }
    if bytesPerPixel.count == 1 && family == .yuv { return (width + 1) / 2 * 4 }
    return self.width(ofPlane: plane, for: width) * step
  }

  private func isChroma(_ plane: Int) -> Bool {
    family == .yuv && bytesPerPixel.count > 1 && (plane == 1 || plane == 2)
  }
}

/// One row per format, in the order of the numbers in `respool/formats.h`.
let layouts: [PixelLayout] = [
  .init("yuv420p", .yuv, components: 3, depth: 8, log2Chroma: (1, 1), bytes: [1, 1, 1]),
  .init("yuv422p", .yuv, components: 3, depth: 8, log2Chroma: (1, 0), bytes: [1, 1, 1]),
  .init("yuv444p", .yuv, components: 3, depth: 8, bytes: [1, 1, 1]),
  .init("yuv410p", .yuv, components: 3, depth: 8, log2Chroma: (2, 2), bytes: [1, 1, 1]),
  .init("yuv411p", .yuv, components: 3, depth: 8, log2Chroma: (2, 0), bytes: [1, 1, 1]),
  .init("yuv440p", .yuv, components: 3, depth: 8, log2Chroma: (0, 1), bytes: [1, 1, 1]),
  .init("yuva420p", .yuv, components: 4, depth: 8, log2Chroma: (1, 1), bytes: [1, 1, 1, 1]),
  .init("yuva422p", .yuv, components: 4, depth: 8, log2Chroma: (1, 0), bytes: [1, 1, 1, 1]),
  .init("yuva444p", .yuv, components: 4, depth: 8, bytes: [1, 1, 1, 1]),
  .init("yuv420p9le", .yuv, components: 3, depth: 9, log2Chroma: (1, 1), bytes: [2, 2, 2]),
  .init("yuv422p9le", .yuv, components: 3, depth: 9, log2Chroma: (1, 0), bytes: [2, 2, 2]),
  .init("yuv444p9le", .yuv, components: 3, depth: 9, bytes: [2, 2, 2]),
  .init("yuv420p10le", .yuv, components: 3, depth: 10, log2Chroma: (1, 1), bytes: [2, 2, 2]),
  .init("yuv422p10le", .yuv, components: 3, depth: 10, log2Chroma: (1, 0), bytes: [2, 2, 2]),
  .init("yuv444p10le", .yuv, components: 3, depth: 10, bytes: [2, 2, 2]),
  .init("yuv440p10le", .yuv, components: 3, depth: 10, log2Chroma: (0, 1), bytes: [2, 2, 2]),
  .init("yuv420p12le", .yuv, components: 3, depth: 12, log2Chroma: (1, 1), bytes: [2, 2, 2]),
  .init("yuv422p12le", .yuv, components: 3, depth: 12, log2Chroma: (1, 0), bytes: [2, 2, 2]),
  .init("yuv444p12le", .yuv, components: 3, depth: 12, bytes: [2, 2, 2]),
  .init("yuv440p12le", .yuv, components: 3, depth: 12, log2Chroma: (0, 1), bytes: [2, 2, 2]),
  .init("yuv420p14le", .yuv, components: 3, depth: 14, log2Chroma: (1, 1), bytes: [2, 2, 2]),
  .init("yuv422p14le", .yuv, components: 3, depth: 14, log2Chroma: (1, 0), bytes: [2, 2, 2]),
  .init("yuv444p14le", .yuv, components: 3, depth: 14, bytes: [2, 2, 2]),
  .init("yuv420p16le", .yuv, components: 3, depth: 16, log2Chroma: (1, 1), bytes: [2, 2, 2]),
  .init("yuv422p16le", .yuv, components: 3, depth: 16, log2Chroma: (1, 0), bytes: [2, 2, 2]),
  .init("yuv444p16le", .yuv, components: 3, depth: 16, bytes: [2, 2, 2]),
  .init("yuva420p10le", .yuv, components: 4, depth: 10, log2Chroma: (1, 1), bytes: [2, 2, 2, 2]),
  .init("yuva422p10le", .yuv, components: 4, depth: 10, log2Chroma: (1, 0), bytes: [2, 2, 2, 2]),
  .init("yuva444p10le", .yuv, components: 4, depth: 10, bytes: [2, 2, 2, 2]),
  .init("yuva422p12le", .yuv, components: 4, depth: 12, log2Chroma: (1, 0), bytes: [2, 2, 2, 2]),
  .init("yuva444p12le", .yuv, components: 4, depth: 12, bytes: [2, 2, 2, 2]),
  .init("yuva420p16le", .yuv, components: 4, depth: 16, log2Chroma: (1, 1), bytes: [2, 2, 2, 2]),
  .init("yuva422p16le", .yuv, components: 4, depth: 16, log2Chroma: (1, 0), bytes: [2, 2, 2, 2]),
  .init("yuva444p16le", .yuv, components: 4, depth: 16, bytes: [2, 2, 2, 2]),
  .init("nv12", .yuv, components: 3, depth: 8, log2Chroma: (1, 1), bytes: [1, 2]),
  .init("nv21", .yuv, components: 3, depth: 8, log2Chroma: (1, 1), bytes: [1, 2]),
  .init("nv16", .yuv, components: 3, depth: 8, log2Chroma: (1, 0), bytes: [1, 2]),
  .init("nv24", .yuv, components: 3, depth: 8, bytes: [1, 2]),
  .init("p010le", .yuv, components: 3, depth: 10, log2Chroma: (1, 1), bytes: [2, 4]),
  .init("p016le", .yuv, components: 3, depth: 16, log2Chroma: (1, 1), bytes: [2, 4]),
  .init("p210le", .yuv, components: 3, depth: 10, log2Chroma: (1, 0), bytes: [2, 4]),
  .init("yuyv422", .yuv, components: 3, depth: 8, log2Chroma: (1, 0), bytes: [2]),
  .init("uyvy422", .yuv, components: 3, depth: 8, log2Chroma: (1, 0), bytes: [2]),
  .init("yvyu422", .yuv, components: 3, depth: 8, log2Chroma: (1, 0), bytes: [2]),
  .init("gray", .gray, components: 1, depth: 8, bytes: [1]),
  .init("gray9le", .gray, components: 1, depth: 9, bytes: [2]),
  .init("gray10le", .gray, components: 1, depth: 10, bytes: [2]),
  .init("gray12le", .gray, components: 1, depth: 12, bytes: [2]),
  .init("gray14le", .gray, components: 1, depth: 14, bytes: [2]),
  .init("gray16le", .gray, components: 1, depth: 16, bytes: [2]),
  .init("gray16be", .gray, components: 1, depth: 16, bytes: [2]),
  .init("ya8", .gray, components: 2, depth: 8, bytes: [2]),
  .init("ya16le", .gray, components: 2, depth: 16, bytes: [4]),
  .init("ya16be", .gray, components: 2, depth: 16, bytes: [4]),
  .init("monowhite", .gray, components: 1, depth: 1, bytes: [0]),
  .init("monoblack", .gray, components: 1, depth: 1, bytes: [0]),
  .init("pal8", .palette, components: 1, depth: 8, bytes: [1]),
  .init("rgb24", .rgb, components: 3, depth: 8, bytes: [3]),
  .init("bgr24", .rgb, components: 3, depth: 8, bytes: [3]),
  .init("argb", .rgb, components: 4, depth: 8, bytes: [4]),
  .init("rgba", .rgb, components: 4, depth: 8, bytes: [4]),
  .init("abgr", .rgb, components: 4, depth: 8, bytes: [4]),
  .init("bgra", .rgb, components: 4, depth: 8, bytes: [4]),
  .init("rgb0", .rgb, components: 3, depth: 8, bytes: [4]),
  .init("bgr0", .rgb, components: 3, depth: 8, bytes: [4]),
  .init("0rgb", .rgb, components: 3, depth: 8, bytes: [4]),
  .init("0bgr", .rgb, components: 3, depth: 8, bytes: [4]),
  .init("rgb48le", .rgb, components: 3, depth: 16, bytes: [6]),
  .init("rgb48be", .rgb, components: 3, depth: 16, bytes: [6]),
  .init("bgr48le", .rgb, components: 3, depth: 16, bytes: [6]),
  .init("rgba64le", .rgb, components: 4, depth: 16, bytes: [8]),
  .init("rgba64be", .rgb, components: 4, depth: 16, bytes: [8]),
  .init("bgra64le", .rgb, components: 4, depth: 16, bytes: [8]),
  .init("rgb565le", .rgb, components: 3, depth: 6, bytes: [2]),
  .init("rgb555le", .rgb, components: 3, depth: 5, bytes: [2]),
  .init("gbrp", .rgb, components: 3, depth: 8, bytes: [1, 1, 1]),
  .init("gbrp9le", .rgb, components: 3, depth: 9, bytes: [2, 2, 2]),
  .init("gbrp10le", .rgb, components: 3, depth: 10, bytes: [2, 2, 2]),
  .init("gbrp12le", .rgb, components: 3, depth: 12, bytes: [2, 2, 2]),
  .init("gbrp14le", .rgb, components: 3, depth: 14, bytes: [2, 2, 2]),
  .init("gbrp16le", .rgb, components: 3, depth: 16, bytes: [2, 2, 2]),
  .init("gbrap", .rgb, components: 4, depth: 8, bytes: [1, 1, 1, 1]),
  .init("gbrap10le", .rgb, components: 4, depth: 10, bytes: [2, 2, 2, 2]),
  .init("gbrap12le", .rgb, components: 4, depth: 12, bytes: [2, 2, 2, 2]),
  .init("gbrap16le", .rgb, components: 4, depth: 16, bytes: [2, 2, 2, 2]),
  .init("grayf32le", .gray, components: 1, depth: 32, bytes: [4]),
  .init("gbrpf32le", .rgb, components: 3, depth: 32, bytes: [4, 4, 4]),
  .init("gbrapf32le", .rgb, components: 4, depth: 32, bytes: [4, 4, 4, 4]),
]
