import RespoolPlugin

/// Filters of video.
let videoFilters: [any Filter.Type] = [
  BWDIF.self, YADIF.self, FieldMarking.self, FieldSetting.self, FieldMatch.self, Decimate.self,
  HQDN3D.self, NLMeans.self, Unsharp.self, Deband.self, Crop.self, Pad.self, HorizontalFlip.self,
  VerticalFlip.self, Transpose.self, FrameRate.self, Equalization.self, Hue.self, Gray.self,
]

/// Lists of pixel formats that filters of libavfilter have in common.
enum Formats {
  static let planar8: [PixelFormat] = [
    .yuv420p, .yuv422p, .yuv444p, .yuv440p, .yuv411p, .yuv410p,
  ]
  static let alpha8: [PixelFormat] = [.yuva420p, .yuva422p, .yuva444p]
  static let planar10: [PixelFormat] = [.yuv420p10le, .yuv422p10le, .yuv444p10le]
  static let planar12: [PixelFormat] = [.yuv420p12le, .yuv422p12le, .yuv444p12le]
  static let planarOther: [PixelFormat] = [
    .yuv420p9le, .yuv422p9le, .yuv444p9le, .yuv420p14le, .yuv422p14le, .yuv444p14le, .yuv420p16le,
    .yuv422p16le, .yuv444p16le,
  ]
  static let planar: [PixelFormat] = planar8 + planar10 + planar12 + planarOther
  static let alphaDeep: [PixelFormat] = [
    .yuva420p10le, .yuva422p10le, .yuva444p10le, .yuva420p16le, .yuva422p16le, .yuva444p16le,
  ]
  static let rgbPlanar: [PixelFormat] = [
    .gbrp, .gbrp9le, .gbrp10le, .gbrp12le, .gbrp14le, .gbrp16le,
  ]
  static let grays: [PixelFormat] = [
    .gray, .gray9le, .gray10le, .gray12le, .gray14le, .gray16le,
  ]
  /// Formats of filters that only move pixels.
  static let moved: [PixelFormat] =
    planar + alpha8 + alphaDeep + [.yuv440p10le, .yuv440p12le, .yuva422p12le, .yuva444p12le]
    + [.nv12, .nv21, .nv16, .nv24, .p010le, .p016le, .p210le] + grays + [.ya8, .ya16le]
    + rgbPlanar + [.gbrap, .gbrap10le, .gbrap12le, .gbrap16le]
    + [.rgb24, .bgr24, .argb, .rgba, .abgr, .bgra, .rgb0, .bgr0, ._0rgb, ._0bgr]
  /// Formats of filters that also move pixels with 16 bits per component in one plane.
  static let movedDeep: [PixelFormat] =
    moved + [.rgb48le, .bgr48le, .rgba64le, .bgra64le, .rgb565le, .rgb555le]
}

private final class BWDIF: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "bwdif", "Deinterlacing by Bob Weaver and w3fdif; a frame for each field by default",
      video: Formats.planar.filter { $0 != .yuv440p } + [.yuv440p] + Formats.alpha8
        + Formats.alphaDeep + [.gray, .gray16le] + Formats.rgbPlanar + [.gbrap, .gbrap16le]
    ).with {
      $0.flags = .changesTimes
      $0.rowMovement = .deinterlacing
    }
  }
}

private final class YADIF: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "yadif", "Deinterlacing; a frame for each frame by default",
      video: Formats.planar + Formats.alpha8 + [.gray, .gray16le] + Formats.rgbPlanar
    ).with {
      $0.flags = .changesTimes
      $0.rowMovement = .deinterlacing
    }
  }
}

private final class FieldMarking: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "markfields",
      "Marks each frame as interlaced or progressive by looking at it, for bwdif after it",
      video: Formats.planar + Formats.alpha8 + [.gray, .gray16le]
    ).with {
      $0.libavfilterName = "idet"
      $0.hidden = ["analyze_interlaced_flag"]
    }
  }
}

private final class FieldSetting: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "setfield", "Marks all frames as interlaced or progressive, without a change of pixels",
      video: Formats.movedDeep)
  }
}

private final class FieldMatch: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "fieldmatch",
      "Inverse telecine: finds the fields of each film frame; decimate comes after it",
      video: [.yuv420p, .yuv422p, .yuv444p, .yuv411p, .yuv410p]
    ).with {
      $0.hidden = ["ppsrc", "combdbg"]
      $0.rowMovement = .deinterlacing
    }
  }
}

private final class Decimate: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "decimate", "Drops the most alike frame of each group, after fieldmatch",
      video: Formats.planar + Formats.alpha8 + Formats.alphaDeep + Formats.grays
    ).with {
      $0.flags = .changesTimes
      $0.hidden = ["ppsrc"]
    }
  }
}

private final class HQDN3D: LibraryFilter {
  override class var specification: Specification {
    Specification("hqdn3d", "Denoising in space and time, fast", video: Formats.planar)
  }
}

private final class NLMeans: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "nlmeans", "Denoising by non-local means, slow", video: Formats.planar8 + [.gray, .gbrp])
  }
}

private final class Unsharp: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "unsharp", "Sharpening or blurring",
      video: Formats.planar.filter { ![.yuv420p14le, .yuv422p14le, .yuv444p14le].contains($0) }
        + Formats.alpha8 + Formats.alphaDeep)
  }
}

private final class Deband: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "deband", "Removal of banding in smooth areas",
      video: Formats.planar8 + Formats.planar12 + Formats.planarOther + Formats.grays
        + Formats.rgbPlanar)
  }
}

private final class Crop: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "crop", "Cropping to a size, from the center by default", video: Formats.movedDeep
    ).with { $0.rowMovement = .cropping }
  }
}

private final class Pad: LibraryFilter {
  override class var specification: Specification {
    Specification("pad", "Borders around the frame", video: Formats.moved)
      .with { $0.rowMovement = .padding }
  }
}

private final class HorizontalFlip: LibraryFilter {
  override class var specification: Specification {
    Specification("hflip", "Mirrors frames left to right", video: Formats.movedDeep)
  }
}

private final class VerticalFlip: LibraryFilter {
  override class var specification: Specification {
    Specification("vflip", "Mirrors frames top to bottom", video: Formats.movedDeep)
      .with { $0.rowMovement = .flip }
  }
}

private final class Transpose: LibraryFilter {
  override class var specification: Specification {
    // Formats whose chroma is subsampled in one direction only would need another format for the result.
    Specification(
      "transpose", "Rotates frames by 90 degrees, and mirrors them",
      video: Formats.movedDeep.filter { format in
        format.layout.map { $0.log2ChromaWidth == $0.log2ChromaHeight } ?? false
      }
    ).with { $0.rowMovement = .rotation }
  }
}

private final class FrameRate: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "fps", "Constant frame rate, by leaving out and repeating frames", video: Formats.movedDeep
    )
    .with { $0.flags = .changesTimes }
  }
}

private final class Equalization: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "eq", "Brightness, contrast, saturation and gamma",
      video: [.yuv420p, .yuv422p, .yuv444p, .yuv411p, .yuv410p] + Formats.alpha8 + [.gray])
  }
}

private final class Hue: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "hue", "Hue, saturation and brightness",
      video: Formats.planar8 + Formats.planar10 + [.yuv440p10le] + Formats.alpha8
        + [.yuva420p10le, .yuva422p10le, .yuva444p10le])
  }
}

private final class Gray: LibraryFilter {
  override class var specification: Specification {
    Hue.specification.with {
      ($0.name, $0.longName) = ("gray", "Removes color")
      $0.aliases = ["grayscale"]
      $0.fixedOptions = [PluginOption("s", "0")]
      $0.hasNoOptions = true
    }
  }
}
