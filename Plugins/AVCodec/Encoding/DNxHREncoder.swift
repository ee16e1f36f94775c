import CAVCodec
import RespoolPlugin

/// FFmpeg's encoder of VC-3 (SMPTE ST 2019-1) with the profiles of Avid DNxHR, for editing.
///
/// DNxHR takes any size from 256x120; DNxHD, its predecessor, has a list of sizes and rates and is not made.
final class DNxHREncoder: LibraryEncoder, Encoder {
  /// Profiles and their pixel formats, from few to many bits.
  private static let profiles: [(name: String, format: PixelFormat)] = [
    ("lb", .yuv422p), ("sq", .yuv422p), ("hq", .yuv422p), ("hqx", .yuv422p10le),
    ("444", .yuv444p10le),
  ]

  static let description: FactoryDescription = {
    var value = FactoryDescription(
      kind: .encoder, name: "dnxhr", longName: "Avid DNxHR (VC-3) by FFmpeg")
    value.codecs = ["dnxhd"]
    value.rateControl = RateControl(.video)
    value.pixelFormats = [.yuv422p, .yuv422p10le, .yuv444p10le]
    value.options = [
      OptionSchema(
        "profile", .choice(["auto"] + profiles.map(\.name)), default: "auto",
        help: "DNxHR profile, which sets the bits per frame; auto: hq, hqx or 444 by pixel format")
    ]
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    let track = settings.track
    let chosen = settings[option: "profile"] ?? "auto"
    let suiting = Self.profiles.filter { $0.format == track.pixelFormat }
    guard let best = suiting.last else {
      throw MediaError(.unsupported, "DNxHR does not take \(track.pixelFormat)")
    }
    guard chosen == "auto" || suiting.contains(where: { $0.name == chosen }) else {
      let formats = Self.profiles.filter { $0.name == chosen }.map(\.format.name)
      throw MediaError(
        .invalidArgument,
        "profile is \(chosen), which takes \(formats.joined(separator: ", ")), not "
          + "\(track.pixelFormat)")
    }
    guard track.width >= 256, track.height >= 120 else {
      throw MediaError(
        .unsupported,
        "DNxHR with a frame of \(track.width)x\(track.height); it takes 256x120 or more")
    }
    let profile = chosen == "auto" ? best.name : chosen
    try super.init(codec: "dnxhd", settings: settings) { context throws(MediaError) in
      try context.set("profile", to: "dnxhr_\(profile)")
    }
  }
}
