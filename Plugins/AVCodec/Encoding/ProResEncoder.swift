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
      // The vendor code that Apple's encoder writes. libavcodec writes "Lavc" by default.
      try context.set("vendor", to: "apl0")
    }
  }
}
