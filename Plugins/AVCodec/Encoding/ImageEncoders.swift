import CAVCodec
import RespoolPlugin

/// Google's WebP encoder, through FFmpeg (RFC 9649).
final class WebPEncoder: LibraryEncoder, Encoder {
  private static let usualQuality = 80.0

  static let description: FactoryDescription = {
    var value = FactoryDescription(kind: .encoder, name: "libwebp", longName: "WebP by libwebp")
    value.codecs = ["webp"]
    value.pixelFormats = [.yuv420p, .yuva420p, .bgra]
    value.rateControl = RateControl(
      .video, quality: .init(0...100, isLowerBetter: false, usual: usualQuality))
    value.options = [
      OptionSchema(
        "lossless", .bool, default: "false", help: "every pixel stays as it is; needs bgra"),
      OptionSchema(
        "preset", .choice(["default", "picture", "photo", "drawing", "icon", "text"]),
        default: "photo", help: "kind of image"),
    ]
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    var settings = settings
    settings.threads = 1
    let isLossless = settings[option: "lossless"] == "true"
    guard !isLossless || settings.track.pixelFormat == .bgra else {
      throw MediaError(
        .invalidArgument, "lossless WebP takes bgra, not \(settings.track.pixelFormat)")
    }
    try super.init(codec: "libwebp", settings: settings) { [settings] context throws(MediaError) in
      try context.set("lossless", to: isLossless ? "1" : "0")
      try context.set("preset", to: settings[option: "preset"] ?? "photo")
      try context.set("quality", to: "\(settings.quality ?? Self.usualQuality)")
    }
  }
}

/// The AV1 encoder of libaom in its mode for still images, through FFmpeg.
///
/// Encoders of video need many times its memory for one frame. Each frame is a key frame, so that it is not for video.
final class AOMImageEncoder: LibraryEncoder, Encoder {
  private static let usualQuality = 22.0

  static let description: FactoryDescription = {
    var value = FactoryDescription(
      kind: .encoder, name: "libaom", longName: "AV1 of still images by libaom")
    value.tier = .fallback
    value.codecs = ["av1"]
    value.pixelFormats = [
      .yuv420p, .yuv422p, .yuv444p, .yuv420p10le, .yuv422p10le, .yuv444p10le, .yuv420p12le,
      .yuv422p12le, .yuv444p12le, .gray, .gray10le, .gray12le,
    ]
    value.rateControl = RateControl(
      .video, quality: .init(0...63, isLowerBetter: true, usual: usualQuality))
    value.options = [
      OptionSchema("cpu-used", .int(0...9), default: "6", help: "less is slower and better")
    ]
    return value
  }()

  /// Units with the mastering display and the light levels, which FFmpeg 5.1 does not write.
  private let metadata: [UInt8]

  init(settings: EncoderSettings) throws(MediaError) {
    metadata = AV1Metadata.units(of: settings.track.sideData)
    try super.init(codec: "libaom-av1", settings: settings) {
      [settings] context throws(MediaError) in
      context.pointer.pointee.gop_size = 0
      try context.set("usage", to: "allintra")
      let isStill = settings.track.disposition.contains(.stillImage)
      try context.set("still-picture", to: isStill ? "1" : "0")
      try context.set("cpu-used", to: settings[option: "cpu-used"] ?? "6")
      try context.set("crf", to: "\(Int((settings.quality ?? Self.usualQuality).rounded()))")
      // The rows of a frame are coded on several threads, with the same result.
      try context.set("row-mt", to: "1")
    }
  }

  /// Returns the temporal unit without the delimiter, which containers leave out.
  override func receive() throws(MediaError) -> Output<Packet> {
    let output = try super.receive()
    guard case .value(var packet) = output, case .bytes(let buffer) = packet.payload else {
      return output
    }
    let unit = AV1Configuration.withoutDelimiter(buffer)
    packet.payload = .bytes(
      metadata.isEmpty
        ? unit : MediaBuffer(try AV1Metadata.inserted(metadata, into: Array(unit.readOnly))))
    return .value(packet)
  }
}
