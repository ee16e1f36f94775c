import RespoolPlugin

/// Pixel formats that follow from a codec and its code.
enum CodecPixelFormat {
  /// Returns the format of the decoded frames.
  ///
  /// `none` if only the frames state it. `bits` is the number of bits per pixel in the container.
  static func find(_ codec: String, _ code: FourCC, bits: Int) -> PixelFormat {
    switch codec {
    case "rawvideo": return uncompressed(code, bits: bits)
    case "utvideo", "magicyuv", "speedhq", "hap": return byCode[code] ?? .none
    case "cinepak": return bits == 8 ? .pal8 : .rgb24
    case "msvideo1": return bits == 8 ? .pal8 : .rgb555le
    case "msrle": return bits <= 8 ? .pal8 : .none
    case "qtrle":
      switch bits {
      case 2, 4, 8: return .pal8
      case 24: return .rgb24
      case 32: return .argb
      default: return .none
      }
    default: return constant[codec] ?? .none
    }
  }

  /// Returns the code of a lossless codec for frames of a format.
  ///
  /// `nil` if the codec has none.
  static func code(of codec: String, _ format: PixelFormat, _ color: ColorDescription) -> FourCC? {
    // UM codes are those of a later form of UT Video's frames.
    let codes = byCode.filter {
      $0.value == format && RIFFCodecs.video($0.key) == codec && !$0.key.description.hasPrefix("UM")
    }.keys.sorted { $0.rawValue < $1.rawValue }
    let isBT709 = color.matrix == H273.Matrix.bt709
    return codes.first { $0.description.hasPrefix("ULH") == isBT709 } ?? codes.first
  }

  private static let constant: [String: PixelFormat] = [
    "msmpeg4v1": .yuv420p, "msmpeg4v2": .yuv420p, "msmpeg4v3": .yuv420p, "wmv1": .yuv420p,
    "wmv2": .yuv420p, "rv10": .yuv420p, "rv20": .yuv420p, "rv30": .yuv420p, "rv40": .yuv420p,
    "vp3": .yuv420p, "vp5": .yuv420p, "vp6": .yuv420p, "vp6f": .yuv420p, "vp6a": .yuva420p,
    "h261": .yuv420p, "h263i": .yuv420p, "asv1": .yuv420p, "asv2": .yuv420p, "svq1": .yuv410p,
    "indeo3": .yuv410p, "indeo4": .yuv410p, "indeo5": .yuv410p, "cljr": .yuv411p,
    "v210": .yuv422p10le, "v308": .yuv444p, "v408": .yuva444p, "v410": .yuv444p10le,
    "r210": .gbrp10le, "r10k": .gbrp10le, "y41p": .yuv411p, "yuv4": .yuv420p, "ayuv": .yuva444p,
    "flashsv": .bgr24, "gif": .bgra,
  ]

  private static let byCode: [FourCC: PixelFormat] = [
    "ULRG": .gbrp, "ULRA": .gbrap, "ULY0": .yuv420p, "ULY2": .yuv422p, "ULY4": .yuv444p,
    "ULH0": .yuv420p, "ULH2": .yuv422p, "ULH4": .yuv444p, "UQY0": .yuv420p10le,
    "UQY2": .yuv422p10le, "UQRG": .gbrp10le, "UQRA": .gbrap10le, "UMRG": .gbrp, "UMRA": .gbrap,
    "UMY2": .yuv422p, "UMH2": .yuv422p, "UMY4": .yuv444p, "UMH4": .yuv444p,
    "M8RG": .gbrp, "M8RA": .gbrap, "M8G0": .gray, "M8Y0": .yuv420p, "M8Y2": .yuv422p,
    "M8Y4": .yuv444p, "M8YA": .yuva444p, "M0RG": .gbrp10le, "M0RA": .gbrap10le,
    "M0G0": .gray10le, "M0Y0": .yuv420p10le, "M0Y2": .yuv422p10le, "M0Y4": .yuv444p10le,
    "M2RG": .gbrp12le, "M2RA": .gbrap12le,
    "SHQ0": .yuv420p, "SHQ1": .yuva420p, "SHQ2": .yuv422p, "SHQ3": .yuva422p, "SHQ4": .yuv444p,
    "SHQ5": .yuva444p, "SHQ7": .yuv422p, "SHQ9": .yuv444p,
    "Hap1": .rgb0, "Hap5": .rgba, "HapY": .rgb0,
  ]

  private static func uncompressed(_ code: FourCC, bits: Int) -> PixelFormat {
    if let known = raw[code] { return known }
    guard code.tag == 0 || code.tag == 3 else { return .none }
    // BI_RGB.
    switch bits {
    case 1, 2, 4, 8: return .pal8
    case 15, 16: return .rgb555le
    case 24: return .bgr24
    case 32: return .bgra
    case 48: return .bgr48le
    default: return .none
    }
  }

  private static let raw: [FourCC: PixelFormat] = [
    "I420": .yuv420p, "IYUV": .yuv420p, "YV12": .yuv420p, "I422": .yuv422p, "YV16": .yuv422p,
    "P422": .yuv422p, "Y42B": .yuv422p, "I444": .yuv444p, "YV24": .yuv444p, "444P": .yuv444p,
    "I440": .yuv440p, "440P": .yuv440p, "I411": .yuv411p, "Y41B": .yuv411p, "R411": .yuv411p,
    "I410": .yuv410p, "YVU9": .yuv410p, "YUV9": .yuv410p, "I40A": .yuva420p, "I42A": .yuva422p,
    "YUVA": .yuva444p, "NV12": .nv12, "NV21": .nv21,
    "YUY2": .yuyv422, "Y422": .yuyv422, "V422": .yuyv422, "YUNV": .yuyv422, "YUYV": .yuyv422,
    "yuv2": .yuyv422, "yuvs": .yuyv422, "UYVY": .uyvy422, "HDYC": .uyvy422, "UYNV": .uyvy422,
    "UYNY": .uyvy422, "uyv1": .uyvy422, "2Vu1": .uyvy422, "2vuy": .uyvy422, "VDTZ": .uyvy422,
    "YVYU": .yvyu422, "Y800": .gray, "Y8  ": .gray, "GREY": .gray,
    "RV15": .rgb555le, "L555": .rgb555le, "RV16": .rgb565le, "L565": .rgb565le, "RV24": .bgr24,
    "24BG": .bgr24, "RV32": .bgr0, "RGBA": .rgba, "AV32": .rgba, "BGRA": .bgra, "ABGR": .abgr,
    "ARGB": .argb, "b16g": .gray16be, "b48r": .rgb48be, "b64a": .rgba64be,
    "I0AL": .yuv420p10le, "I2AL": .yuv422p10le, "I4AL": .yuv444p10le, "I0CL": .yuv420p12le,
    "I2CL": .yuv422p12le, "I4CL": .yuv444p12le, "I0FL": .yuv420p16le, "I2FL": .yuv422p16le,
    "I4FL": .yuv444p16le, "Y3\u{B}\u{A}": .yuv420p10le, "Y3\u{A}\u{A}": .yuv422p10le,
    "Y3\u{0}\u{A}": .yuv444p10le, "Y3\u{B}\u{C}": .yuv420p12le, "Y3\u{A}\u{C}": .yuv422p12le,
    "Y3\u{0}\u{C}": .yuv444p12le, "Y3\u{B}\u{10}": .yuv420p16le, "Y3\u{A}\u{10}": .yuv422p16le,
    "Y3\u{0}\u{10}": .yuv444p16le, "Y1\u{0}\u{10}": .gray16le, "G3\u{0}\u{8}": .gbrp,
    "G4\u{0}\u{8}": .gbrap, "RGB\u{18}": .rgb24, "BGR\u{18}": .bgr24, "RGB0": .rgb48le,
    "BGR0": .bgr48le, "RGB\u{0}": .rgb0, "BGR\u{0}": .bgr0,
  ]
}
