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
  /// Chroma planes are narrower by 2 to this power, rounded up.
  public let chromaShiftX: Int
  /// Chroma planes are lower by 2 to this power, rounded up.
  public let chromaShiftY: Int
  /// For each plane, the number of bytes from one pixel to the next.
  ///
  /// 0 if a byte holds eight pixels.
  ///
  /// A `pal8` frame has an additional second plane: 256 native 32-bit words 0xAARRGGBB.
  public let steps: [Int]
  public let hasAlpha: Bool

  public var isFloat: Bool { depth == 32 }
  public var isBigEndian: Bool { name.hasSuffix("be") }
  public var planeCount: Int { family == .palette ? 2 : steps.count }

  /// Returns the width of a plane for a frame of `width` pixels.
  public func width(ofPlane plane: Int, for width: Int) -> Int {
    isChroma(plane) ? (width + (1 << chromaShiftX) - 1) >> chromaShiftX : width
  }

  /// Returns the number of rows of a plane for a frame of `height` pixels.
  public func height(ofPlane plane: Int, for height: Int) -> Int {
    if family == .palette && plane == 1 { return 1 }
    return isChroma(plane) ? (height + (1 << chromaShiftY) - 1) >> chromaShiftY : height
  }

  /// Returns the number of bytes of a row of a plane, without padding.
  public func rowBytes(ofPlane plane: Int, for width: Int) -> Int {
    if family == .palette && plane == 1 { return 1024 }
    let step = steps[plane]
    if step == 0 { return (width + 7) / 8 }
    if steps.count == 1 && family == .yuv { return (width + 1) / 2 * 4 }
    return self.width(ofPlane: plane, for: width) * step
  }

  private func isChroma(_ plane: Int) -> Bool {
    family == .yuv && steps.count > 1 && (plane == 1 || plane == 2)
  }
}

/// One row per format, in the order of the numbers in `respool/formats.h`.
let layouts: [PixelLayout] = [
  row("yuv420p", .yuv, 3, 8, 1, 1, [1, 1, 1], false),
  row("yuv422p", .yuv, 3, 8, 1, 0, [1, 1, 1], false),
  row("yuv444p", .yuv, 3, 8, 0, 0, [1, 1, 1], false),
  row("yuv410p", .yuv, 3, 8, 2, 2, [1, 1, 1], false),
  row("yuv411p", .yuv, 3, 8, 2, 0, [1, 1, 1], false),
  row("yuv440p", .yuv, 3, 8, 0, 1, [1, 1, 1], false),
  row("yuva420p", .yuv, 4, 8, 1, 1, [1, 1, 1, 1], true),
  row("yuva422p", .yuv, 4, 8, 1, 0, [1, 1, 1, 1], true),
  row("yuva444p", .yuv, 4, 8, 0, 0, [1, 1, 1, 1], true),
  row("yuv420p9le", .yuv, 3, 9, 1, 1, [2, 2, 2], false),
  row("yuv422p9le", .yuv, 3, 9, 1, 0, [2, 2, 2], false),
  row("yuv444p9le", .yuv, 3, 9, 0, 0, [2, 2, 2], false),
  row("yuv420p10le", .yuv, 3, 10, 1, 1, [2, 2, 2], false),
  row("yuv422p10le", .yuv, 3, 10, 1, 0, [2, 2, 2], false),
  row("yuv444p10le", .yuv, 3, 10, 0, 0, [2, 2, 2], false),
  row("yuv440p10le", .yuv, 3, 10, 0, 1, [2, 2, 2], false),
  row("yuv420p12le", .yuv, 3, 12, 1, 1, [2, 2, 2], false),
  row("yuv422p12le", .yuv, 3, 12, 1, 0, [2, 2, 2], false),
  row("yuv444p12le", .yuv, 3, 12, 0, 0, [2, 2, 2], false),
  row("yuv440p12le", .yuv, 3, 12, 0, 1, [2, 2, 2], false),
  row("yuv420p14le", .yuv, 3, 14, 1, 1, [2, 2, 2], false),
  row("yuv422p14le", .yuv, 3, 14, 1, 0, [2, 2, 2], false),
  row("yuv444p14le", .yuv, 3, 14, 0, 0, [2, 2, 2], false),
  row("yuv420p16le", .yuv, 3, 16, 1, 1, [2, 2, 2], false),
  row("yuv422p16le", .yuv, 3, 16, 1, 0, [2, 2, 2], false),
  row("yuv444p16le", .yuv, 3, 16, 0, 0, [2, 2, 2], false),
  row("yuva420p10le", .yuv, 4, 10, 1, 1, [2, 2, 2, 2], true),
  row("yuva422p10le", .yuv, 4, 10, 1, 0, [2, 2, 2, 2], true),
  row("yuva444p10le", .yuv, 4, 10, 0, 0, [2, 2, 2, 2], true),
  row("yuva422p12le", .yuv, 4, 12, 1, 0, [2, 2, 2, 2], true),
  row("yuva444p12le", .yuv, 4, 12, 0, 0, [2, 2, 2, 2], true),
  row("yuva420p16le", .yuv, 4, 16, 1, 1, [2, 2, 2, 2], true),
  row("yuva422p16le", .yuv, 4, 16, 1, 0, [2, 2, 2, 2], true),
  row("yuva444p16le", .yuv, 4, 16, 0, 0, [2, 2, 2, 2], true),
  row("nv12", .yuv, 3, 8, 1, 1, [1, 2], false),
  row("nv21", .yuv, 3, 8, 1, 1, [1, 2], false),
  row("nv16", .yuv, 3, 8, 1, 0, [1, 2], false),
  row("nv24", .yuv, 3, 8, 0, 0, [1, 2], false),
  row("p010le", .yuv, 3, 10, 1, 1, [2, 4], false),
  row("p016le", .yuv, 3, 16, 1, 1, [2, 4], false),
  row("p210le", .yuv, 3, 10, 1, 0, [2, 4], false),
  row("yuyv422", .yuv, 3, 8, 1, 0, [2], false),
  row("uyvy422", .yuv, 3, 8, 1, 0, [2], false),
  row("yvyu422", .yuv, 3, 8, 1, 0, [2], false),
  row("gray", .gray, 1, 8, 0, 0, [1], false),
  row("gray9le", .gray, 1, 9, 0, 0, [2], false),
  row("gray10le", .gray, 1, 10, 0, 0, [2], false),
  row("gray12le", .gray, 1, 12, 0, 0, [2], false),
  row("gray14le", .gray, 1, 14, 0, 0, [2], false),
  row("gray16le", .gray, 1, 16, 0, 0, [2], false),
  row("gray16be", .gray, 1, 16, 0, 0, [2], false),
  row("ya8", .gray, 2, 8, 0, 0, [2], true),
  row("ya16le", .gray, 2, 16, 0, 0, [4], true),
  row("ya16be", .gray, 2, 16, 0, 0, [4], true),
  row("monowhite", .gray, 1, 1, 0, 0, [0], false),
  row("monoblack", .gray, 1, 1, 0, 0, [0], false),
  row("pal8", .palette, 1, 8, 0, 0, [1], true),
  row("rgb24", .rgb, 3, 8, 0, 0, [3], false),
  row("bgr24", .rgb, 3, 8, 0, 0, [3], false),
  row("argb", .rgb, 4, 8, 0, 0, [4], true),
  row("rgba", .rgb, 4, 8, 0, 0, [4], true),
  row("abgr", .rgb, 4, 8, 0, 0, [4], true),
  row("bgra", .rgb, 4, 8, 0, 0, [4], true),
  row("rgb0", .rgb, 3, 8, 0, 0, [4], false),
  row("bgr0", .rgb, 3, 8, 0, 0, [4], false),
  row("0rgb", .rgb, 3, 8, 0, 0, [4], false),
  row("0bgr", .rgb, 3, 8, 0, 0, [4], false),
  row("rgb48le", .rgb, 3, 16, 0, 0, [6], false),
  row("rgb48be", .rgb, 3, 16, 0, 0, [6], false),
  row("bgr48le", .rgb, 3, 16, 0, 0, [6], false),
  row("rgba64le", .rgb, 4, 16, 0, 0, [8], true),
  row("rgba64be", .rgb, 4, 16, 0, 0, [8], true),
  row("bgra64le", .rgb, 4, 16, 0, 0, [8], true),
  row("rgb565le", .rgb, 3, 6, 0, 0, [2], false),
  row("rgb555le", .rgb, 3, 5, 0, 0, [2], false),
  row("gbrp", .rgb, 3, 8, 0, 0, [1, 1, 1], false),
  row("gbrp9le", .rgb, 3, 9, 0, 0, [2, 2, 2], false),
  row("gbrp10le", .rgb, 3, 10, 0, 0, [2, 2, 2], false),
  row("gbrp12le", .rgb, 3, 12, 0, 0, [2, 2, 2], false),
  row("gbrp14le", .rgb, 3, 14, 0, 0, [2, 2, 2], false),
  row("gbrp16le", .rgb, 3, 16, 0, 0, [2, 2, 2], false),
  row("gbrap", .rgb, 4, 8, 0, 0, [1, 1, 1, 1], true),
  row("gbrap10le", .rgb, 4, 10, 0, 0, [2, 2, 2, 2], true),
  row("gbrap12le", .rgb, 4, 12, 0, 0, [2, 2, 2, 2], true),
  row("gbrap16le", .rgb, 4, 16, 0, 0, [2, 2, 2, 2], true),
  row("grayf32le", .gray, 1, 32, 0, 0, [4], false),
  row("gbrpf32le", .rgb, 3, 32, 0, 0, [4, 4, 4], false),
  row("gbrapf32le", .rgb, 4, 32, 0, 0, [4, 4, 4, 4], true),
]

private func row(
  _ name: String, _ family: PixelLayout.Family, _ components: Int, _ depth: Int, _ shiftX: Int,
  _ shiftY: Int, _ steps: [Int], _ alpha: Bool
) -> PixelLayout {
  PixelLayout(
    name: name, family: family, componentCount: components, depth: depth, chromaShiftX: shiftX,
    chromaShiftY: shiftY, steps: steps, hasAlpha: alpha)
}
