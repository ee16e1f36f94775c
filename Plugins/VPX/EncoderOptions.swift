import CVPX
import RespoolPlugin
import VideoEncoding

/// The options of the encoder and their mapping to libvpx.
enum EncoderOptions {
  /// An option that sets one of libvpx's controls.
  struct Control {
    var schema: OptionSchema
    var control: vp8e_enc_control_id
    var codecs = ["vp8", "vp9"]
    /// Values of the choices.
    ///
    /// Empty for other options.
    var values: [String: Int32] = [:]

    /// Returns the value of the control.
    ///
    /// `text` must fit the schema.
    func value(_ text: String) -> Int32? {
      switch schema.type {
      case .bool: text == "true" ? 1 : 0
      case .choice: values[text]
      default: Int32(text)
      }
    }
  }

  /// Options that the encoder itself applies to its configuration.
  static let own: [OptionSchema] = [
    .init(
      "deadline", .choice(["good", "best", "realtime"]), default: "good",
      help: "time allowed for each frame"),
    .init(
      "cpu-used", .int(-16...16), default: "1",
      help: "higher: faster, larger files; vp9: -9 to 9, with deadline good up to 5 has effect"),
    .init(
      "low-delay", .bool, default: "false",
      help: "for live sources: deadline realtime and lag-in-frames 0, unless set"),
    .init(
      "rate-control", .choice(["vbr", "cbr"]), default: "vbr",
      help: "variable or constant bit rate"),
    .init("lag-in-frames", .int(0...25), help: "frames that the encoder looks ahead"),
    .init("kf-max-dist", .int(0...1_000_000), help: "most frames between key frames"),
    .init("kf-min-dist", .int(0...1_000_000), help: "kf-max-dist for a fixed interval, else 0"),
    .init("min-q", .int(0...63), help: "lowest quantizer: best quality"),
    .init("max-q", .int(0...63), help: "highest quantizer: worst quality"),
    .init("undershoot-pct", .int(0...100), help: "allowed undershoot of the bit rate in percent"),
    .init("overshoot-pct", .int(0...100), help: "allowed overshoot of the bit rate in percent"),
    .init("maxrate", .int(0...2_000_000_000), help: "highest bits a second of a section, for vbr"),
    .init("bufsize", .int(0...2_000_000_000), help: "size of the receiver's buffer in bits"),
    .init(
      "drop-frame", .int(0...100), help: "buffer level in percent below which frames are dropped"),
    .init("error-resilient", .bool, help: "frames can be decoded after packet loss"),
  ]

  static let controls: [Control] = [
    .init(
      schema: .init("row-mt", .bool, default: "true", help: "threads share the rows of a tile"),
      control: VP9E_SET_ROW_MT, codecs: ["vp9"]),
    .init(
      schema: .init("tile-columns", .int(0...6), help: "tile columns, as a power of 2"),
      control: VP9E_SET_TILE_COLUMNS, codecs: ["vp9"]),
    .init(
      schema: .init("tile-rows", .int(0...2), help: "tile rows, as a power of 2"),
      control: VP9E_SET_TILE_ROWS, codecs: ["vp9"]),
    .init(
      schema: .init("frame-parallel", .bool, help: "frames can be decoded in parallel"),
      control: VP9E_SET_FRAME_PARALLEL_DECODING, codecs: ["vp9"]),
    .init(
      schema: .init("auto-alt-ref", .int(0...6), help: "hidden reference frames; 0: off"),
      control: VP8E_SET_ENABLEAUTOALTREF),
    .init(
      schema: .init("arnr-maxframes", .int(0...15), help: "frames filtered into a hidden one"),
      control: VP8E_SET_ARNR_MAXFRAMES),
    .init(
      schema: .init("arnr-strength", .int(0...6), help: "strength of the arnr filter"),
      control: VP8E_SET_ARNR_STRENGTH),
    .init(
      schema: .init("arnr-type", .int(1...3), help: "1 backward, 2 forward, 3 centered"),
      control: VP8E_SET_ARNR_TYPE, codecs: ["vp8"]),
    .init(
      schema: .init(
        "static-thresh", .int(0...1_000_000), help: "change below which a block is skipped"),
      control: VP8E_SET_STATIC_THRESHOLD),
    .init(
      schema: .init(
        "aq-mode", .choice(["off", "variance", "complexity", "cyclic", "equator360"]),
        help: "adaptive quantization"),
      control: VP9E_SET_AQ_MODE, codecs: ["vp9"],
      values: ["off": 0, "variance": 1, "complexity": 2, "cyclic": 3, "equator360": 4]),
    .init(
      schema: .init("sharpness", .int(0...7), help: "sharpness of the loop filter"),
      control: VP8E_SET_SHARPNESS),
    .init(
      schema: .init("noise-sensitivity", .int(0...6), help: "noise reduction"),
      control: VP8E_SET_NOISE_SENSITIVITY, codecs: ["vp8"]),
    .init(
      schema: .init("token-partitions", .int(0...3), help: "partitions, as a power of 2"),
      control: VP8E_SET_TOKEN_PARTITIONS, codecs: ["vp8"]),
    .init(
      schema: .init("tune", .choice(["psnr", "ssim"]), help: "metric to optimize"),
      control: VP8E_SET_TUNING, values: ["psnr": 0, "ssim": 1]),
    .init(
      schema: .init("tune-content", .choice(["default", "screen", "film"]), help: "content type"),
      control: VP9E_SET_TUNE_CONTENT, codecs: ["vp9"],
      values: ["default": 0, "screen": 1, "film": 2]),
    .init(
      schema: .init("lossless", .bool, help: "lossless encoding"), control: VP9E_SET_LOSSLESS,
      codecs: ["vp9"]),
    .init(
      schema: .init("enable-tpl", .bool, help: "finer quantizers for reused blocks"),
      control: VP9E_SET_TPL, codecs: ["vp9"]),
    .init(
      schema: .init("min-gf-interval", .int(0...20), help: "fewest frames between golden ones"),
      control: VP9E_SET_MIN_GF_INTERVAL, codecs: ["vp9"]),
    .init(
      schema: .init("max-gf-interval", .int(0...20), help: "most frames between golden ones"),
      control: VP9E_SET_MAX_GF_INTERVAL, codecs: ["vp9"]),
    .init(
      schema: .init(
        "max-intra-rate", .int(0...100_000),
        help: "largest key frame, in percent of the average frame size"),
      control: VP8E_SET_MAX_INTRA_BITRATE_PCT),
  ]

  static let all = own + controls.map(\.schema)

  /// Checks every option given against its schema and the codec.
  static func check(_ settings: EncoderSettings) throws(MediaError) {
    try settings.checkOptions(all, of: "libvpx")
    for entry in settings.options {
      let control = controls.first { $0.schema.name == entry.name }
      let codec = settings.track.codec
      if let control, !control.codecs.contains(codec), entry.value != control.schema.defaultValue {
        throw MediaError(.invalidArgument, "\(entry.name) is not an option of \(codec)")
      }
    }
  }
}
