import CVPX
import RespoolPlugin

/// A pixel format and its representation in libvpx.
struct FrameFormat {
  let pixelFormat: PixelFormat
  let image: vpx_img_fmt_t
  let layout: PixelLayout

  /// All formats in order of preference.
  static let all = images.compactMap { format, image in
    format.layout.map { FrameFormat(pixelFormat: format, image: image, layout: $0) }
  }

  private static let images: [(PixelFormat, vpx_img_fmt_t)] = [
    (.yuv420p, VPX_IMG_FMT_I420), (.yuv422p, VPX_IMG_FMT_I422), (.yuv440p, VPX_IMG_FMT_I440),
    (.yuv444p, VPX_IMG_FMT_I444), (.yuv420p10le, VPX_IMG_FMT_I42016),
    (.yuv422p10le, VPX_IMG_FMT_I42216), (.yuv440p10le, VPX_IMG_FMT_I44016),
    (.yuv444p10le, VPX_IMG_FMT_I44416), (.yuv420p12le, VPX_IMG_FMT_I42016),
    (.yuv422p12le, VPX_IMG_FMT_I42216), (.yuv440p12le, VPX_IMG_FMT_I44016),
    (.yuv444p12le, VPX_IMG_FMT_I44416),
  ]

  var bitDepth: Int { layout.depth }

  /// Returns the format for the encoder of `codec`.
  static func of(_ format: PixelFormat, codec: String) throws(MediaError) -> FrameFormat {
    let taken = codec == "vp8" ? Array(all.prefix(1)) : all
    guard let found = taken.first(where: { $0.pixelFormat == format }) else {
      throw MediaError(
        .unsupported,
        "\(codec) does not take \(format); it takes "
          + taken.map { $0.pixelFormat.name }.joined(separator: ", "))
    }
    return found
  }

  /// Returns the format of a decoded frame.
  ///
  /// `nil` if it is unknown.
  static func of(_ image: vpx_image_t) -> FrameFormat? {
    let isDeep = image.fmt.rawValue & UInt32(VPX_IMG_FMT_HIGHBITDEPTH) != 0
    // VP8 leaves the bit depth at 8; for a high bit depth format, it is 10 or 12.
    return all.first {
      $0.image == image.fmt && (!isDeep || $0.bitDepth == Int(image.bit_depth))
    }
  }

  /// The profile of VP9 (bitstream specification 7.2).
  ///
  /// Bit 0: chroma other than 4:2:0. Bit 1: high bit depth.
  var profile: Int {
    (layout.log2ChromaWidth == 1 && layout.log2ChromaHeight == 1 ? 0 : 1) + (bitDepth > 8 ? 2 : 0)
  }
}
