import RespoolPlugin
import VideoEncoding

/// The options of the encoder, which have SVT-AV1's names.
enum EncoderOptions {
  /// Options that the encoder itself applies.
  static let own: [OptionSchema] = [
    .init(
      "svtav1-params", .text,
      help: "SVT-AV1 parameters as key=value, joined by colons, applied last")
  ]

  /// Options that SVT-AV1 parses under the same name.
  static let passed: [OptionSchema] = [
    .init(
      "preset", .int(0...13), default: "10",
      help: "speed against compression: 0 slowest, 13 fastest"),
    .init(
      "tune", .int(0...4), help: "0 perceived quality, 1 PSNR; newer versions: 2 SSIM and more"),
    .init(
      "aq-mode", .int(0...2),
      help: "adaptive quantization: 0 constant quantizer, 1 by variance, 2 by prediction"),
    .init("min-qp", .int(1...63), help: "lowest quantizer, for bit rates"),
    .init("max-qp", .int(1...63), help: "highest quantizer, for bit rates"),
    .init("mbr", .int(0...100_000), help: "highest kilobits a second, for a quality; 0 no limit"),
    .init("mbr-overshoot-pct", .int(0...100), help: "allowed overshoot of mbr in percent"),
    .init("undershoot-pct", .int(0...100), help: "allowed undershoot of the bit rate in percent"),
    .init("overshoot-pct", .int(0...100), help: "allowed overshoot of the bit rate in percent"),
    .init("minsection-pct", .int(0...100), help: "lowest rate of a section in percent"),
    .init("maxsection-pct", .int(0...10_000), help: "highest rate of a section in percent"),
    .init("buf-sz", .int(20...10_000), help: "buffer of the receiver in ms, for rate control cbr"),
    .init("buf-initial-sz", .int(20...10_000), help: "level of the buffer at the start in ms"),
    .init("buf-optimal-sz", .int(20...10_000), help: "level of the buffer to keep to in ms"),
    .init("recode-loop", .int(0...4), help: "frames that are coded again to meet the bit rate"),
    .init("enable-qm", .int(0...1), help: "quantization matrices"),
    .init("qm-min", .int(0...15), help: "flatness of quantization matrices, lowest"),
    .init("qm-max", .int(0...15), help: "flatness of quantization matrices, highest"),
    .init(
      "keyint", .int(-2...(1 << 30)),
      help: "frames from one key frame to the next; -2 about 5 seconds, -1 no limit"),
    .init(
      "irefresh-type", .int(1...2), default: "2",
      help: "1 open groups, whose starts players cannot seek to; 2 key frames"),
    .init("scd", .int(0...1), help: "key frames at scene changes"),
    .init("lookahead", .int(-1...120), help: "frames that the encoder looks ahead; -1 auto"),
    .init("hierarchical-levels", .int(2...5), help: "layers of frames above the base layer"),
    .init("pred-struct", .int(1...2), help: "1 low delay, 2 random access"),
    .init("tile-rows", .int(0...6), help: "tile rows, as a power of 2"),
    .init("tile-columns", .int(0...4), help: "tile columns, as a power of 2"),
    .init("enable-dlf", .int(0...2), help: "deblocking"),
    .init("enable-cdef", .int(0...1), help: "directional enhancement filter"),
    .init("enable-restoration", .int(0...1), help: "restoration filter"),
    .init("enable-mfmv", .int(-1...1), help: "motion vectors from motion fields; -1 auto"),
    .init("enable-tf", .int(0...2), help: "reference frames filtered over time"),
    .init("enable-overlays", .int(0...1), help: "overlays for filtered reference frames"),
    .init("fast-decode", .int(0...2), help: "streams that decode faster"),
    .init("scm", .int(0...2), help: "screen content: 0 no, 1 yes, 2 by content"),
    .init(
      "film-grain", .int(0...50),
      help: "remove grain with this strength, and let decoders add it again; 0 off"),
    .init("film-grain-denoise", .int(0...1), help: "with film-grain: 0 keeps the grain coded too"),
    .init("superres-mode", .int(0...4), help: "code narrower frames: 0 off, 4 auto"),
    .init("superres-denom", .int(8...16), help: "width of narrower frames: 8 full, 16 half"),
    .init("superres-kf-denom", .int(8...16), help: "width of narrower key frames"),
    .init("superres-qthres", .int(0...63), help: "quantizer from which frames are narrower"),
    .init("superres-kf-qthres", .int(0...63), help: "quantizer from which key frames are narrower"),
  ]

  static let all = own + passed + [rateControl]

  static let rateControl = OptionSchema(
    "rate-control", .choice(["vbr", "cbr"]), default: "vbr",
    help: "variable or constant bit rate; constant needs pred-struct 1")

  /// Keys of `svtav1-params` that users may not set: the host determines threads, formats, quality and times, and a plugin
  /// opens no files.
  private static let refused: Set<String> = [
    "lp", "pin", "ss", "asm", "w", "h", "width", "height", "input-depth", "color-format",
    "forced-max-frame-width", "forced-max-frame-height", "fps", "fps-num", "fps-denom", "profile",
    "enable-hdr", "mastering-display", "content-light", "color-primaries",
    "transfer-characteristics", "matrix-coefficients", "color-range", "chroma-sample-position",
    "rc", "qp", "crf", "tbr", "pass", "passes", "stats", "enable-stat-report", "recon-enabled",
    "force-key-frames", "enable-force-key-frames", "use-q-file", "qpfile", "fgs-table",
    "resize-mode", "resize-denom", "resize-kf-denom", "channel-id", "active-channel-count",
    "stat-report", "target-socket", "logical-processors", "avif", "frame-resz-events",
  ]

  private static let list = ParameterList(option: "svtav1-params", refused: refused)

  /// Returns the parameters of `svtav1-params`.
  static func pairs(_ text: String) throws(MediaError) -> [ParameterList.Parameter] {
    try list.parse(text)
  }
}
