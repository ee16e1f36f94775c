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

/// The JPEG XL encoder of libjxl, through FFmpeg (ISO/IEC 18181-1).
final class JPEGXLEncoder: LibraryEncoder, Encoder {
  private static let usualDistance = 1.0

  static let description: FactoryDescription = {
    var value = FactoryDescription(kind: .encoder, name: "libjxl", longName: "JPEG XL by libjxl")
    value.codecs = ["jpegxl"]
    value.pixelFormats = [.rgb24, .rgba, .rgb48le, .rgba64le, .gray, .ya8, .gray16le]
    value.rateControl = RateControl(
      .video, quality: .init(0...15, isLowerBetter: true, usual: usualDistance))
    value.options = [
      OptionSchema("effort", .int(1...9), default: "7", help: "more is slower and smaller")
    ]
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    var settings = settings
    settings.threads = 1
    try super.init(codec: "libjxl", settings: settings) { [settings] context throws(MediaError) in
      let distance = settings.quality ?? Self.usualDistance
      try context.set("distance", to: "\(distance)")
      // Without the transformation to XYB, distance 0 is lossless.
      try context.set("modular", to: distance == 0 ? "1" : "0")
      try context.set("effort", to: settings[option: "effort"])
    }
  }

  override func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    try super.send(frame?.withRowsDownwards())
  }

  /// Returns the codestream without the boxes that libjxl puts around one of many bits.
  override func receive() throws(MediaError) -> Output<Packet> {
    let output = try super.receive()
    guard case .value(var packet) = output, case .bytes(let buffer) = packet.payload else {
      return output
    }
    packet.payload = .bytes(
      MediaBuffer(try JPEGXLFile(buffer.withBytes { Array($0) }).codestream))
    return .value(packet)
  }
}

extension Frame {
  /// Returns the frame, or a copy of it if its rows are stored from the bottom to the top.
  fileprivate func withRowsDownwards() throws(MediaError) -> Frame {
    guard planes.contains(where: { $0.stride < 0 }), let layout = pixelFormat.layout else {
      return self
    }
    guard var copy = Frame(pixelFormat: pixelFormat, width: width, height: height, pts: pts) else {
      throw MediaError(.limitExceeded, "there is no memory for a frame")
    }
    for (index, plane) in planes.enumerated() {
      let target = copy.planes[index]
      for row in 0..<layout.height(ofPlane: index, for: height) {
        (target.base + row * target.stride).copyMemory(
          from: plane.base + row * plane.stride,
          byteCount: layout.rowBytes(ofPlane: index, for: width))
      }
    }
    (copy.duration, copy.flags, copy.color) = (duration, flags, color)
    (copy.sampleAspect, copy.sideData) = (sampleAspect, sideData)
    return copy
  }
}
