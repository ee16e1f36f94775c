import CAVCodec
import RespoolPlugin

/// FFmpeg's FFV1 encoder (RFC 9043), lossless.
final class FFV1Encoder: LibraryEncoder, Encoder {
  static let description: FactoryDescription = {
    var value = FactoryDescription(kind: .encoder, name: "ffv1", longName: "FFV1 by FFmpeg")
    value.codecs = ["ffv1"]
    value.rateControl = RateControl(.video)
    value.pixelFormats = [
      .yuv420p, .yuv422p, .yuv444p, .yuv420p10le, .yuv422p10le, .yuv444p10le, .yuv420p16le,
      .yuv422p16le, .yuv444p16le, .yuva420p, .yuva444p, .gray, .gray16le, .gbrp10le, .bgra,
      // Formats of NTSC DV and others: any other format for them would not be lossless.
      .yuv411p, .yuv410p, .yuv440p, .yuva422p, .yuv420p9le, .yuv422p9le, .yuv444p9le, .yuv420p12le,
      .yuv422p12le, .yuv444p12le, .yuv420p14le, .yuv422p14le, .yuv444p14le, .gray10le, .gray12le,
      .gbrp9le, .gbrp12le, .gbrp14le, .gbrp16le,
    ]
    value.options = [
      // libavcodec's encoder refuses version 2, which was never final.
      OptionSchema("level", .choice(["0", "1", "3"]), default: "3", help: "version of the format"),
      OptionSchema(
        "slices", .choice(["0"] + sliceCounts.map { "\($0)" }), default: "0",
        help: "slices in each frame, only with level 3; 0: automatic"),
    ]
    return value
  }()

  /// Numbers of slices that libavcodec accepts (`encode_init` of ffv1enc.c).
  ///
  /// A frame has rows of slices, and in each row as many slices as there are rows, up to twice that number
  /// less one.
  private static let sliceCounts: [Int] = {
    let counts = (2...16).flatMap { rows in (rows..<2 * rows).map { rows * $0 } }
    return Set(counts.filter { $0 <= 256 }).sorted()
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    let track = settings.track
    let level = settings[option: "level"] ?? "3"
    let slices = settings[option: "slices"].flatMap { Int($0) } ?? 0
    guard level == "3" || slices == 0 else {
      throw MediaError(
        .invalidArgument, "slices is \(slices), but level \(level) has no slices; use level 3")
    }
    do throws(MediaError) {
      // The encoder makes key frames at the interval only, and ignores the type of a frame.
      try super.init(codec: "ffv1", settings: settings, ignoresFrameType: true) {
        context throws(MediaError) in
        try context.set("level", to: level)
        try context.set("slices", to: "\(slices)")
      }
    } catch {
      guard slices > 0 else { throw error }
      var error = error
      error.message +=
        "; frames of \(track.width)x\(track.height) may be too small for \(slices) slices"
      throw error
    }
  }
}
