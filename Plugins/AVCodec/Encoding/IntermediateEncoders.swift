import CAVCodec
import RespoolPlugin

/// FFmpeg's ProRes encoder by Kostya Shishkov, for editing.
final class ProResEncoder: LibraryEncoder, Encoder {
  static let description: FactoryDescription = {
    var value = FactoryDescription(
      kind: .encoder, name: "prores_ks", longName: "Apple ProRes by FFmpeg")
    value.codecs = ["prores"]
    value.rateControl = RateControl(.video)
    value.pixelFormats = [.yuv422p10le, .yuv444p10le, .yuva444p10le]
    value.options = [
      OptionSchema(
        "profile", .choice(["auto", "proxy", "lt", "standard", "hq", "4444", "4444xq"]),
        default: "auto", help: "ProRes profile, which sets the bits per frame")
    ]
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    let track = settings.track
    // libavcodec rounds the width of chroma down, and loses its last column.
    if track.pixelFormat == .yuv422p10le, !track.width.isMultiple(of: 2) {
      throw MediaError(
        .unsupported,
        "ProRes 4:2:2 with a width of \(track.width); the width must be even, or the format 4:4:4")
    }
    try super.init(codec: "prores_ks", settings: settings) { context throws(MediaError) in
      try context.set("profile", to: settings[option: "profile"])
      try context.set("vendor", to: "apl0")
    }
  }
}

/// FFmpeg's FFV1 encoder (RFC 9043), lossless.
final class FFV1Encoder: LibraryEncoder, Encoder {
  static let description: FactoryDescription = {
    var value = FactoryDescription(kind: .encoder, name: "ffv1", longName: "FFV1 by FFmpeg")
    value.codecs = ["ffv1"]
    value.rateControl = RateControl(.video)
    value.pixelFormats = [
      .yuv420p, .yuv422p, .yuv444p, .yuv420p10le, .yuv422p10le, .yuv444p10le, .yuv420p16le,
      .yuv422p16le, .yuv444p16le, .yuva420p, .yuva444p, .gray, .gray16le, .gbrp10le, .bgra,
    ]
    value.options = [
      OptionSchema("level", .int(0...3), default: "3", help: "version of the format"),
      OptionSchema(
        "slices", .int(0...256), default: "0", help: "slices in each frame; 0: automatic"),
    ]
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    try super.init(codec: "ffv1", settings: settings, ignoresFrameType: true) {
      context throws(MediaError) in
      try context.set("level", to: settings[option: "level"] ?? "3")
      try context.set("slices", to: settings[option: "slices"])
    }
  }
}
