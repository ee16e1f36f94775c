import RespoolPlugin
import VideoEncoding

/// The options of the encoder and their mapping to x265.
enum EncoderOptions {
  static let tunes = ["psnr", "ssim", "grain", "animation", "fastdecode", "zerolatency"]
  static let profiles = [
    "main", "main-intra", "mainstillpicture", "main444-8", "main444-intra",
    "main444-stillpicture", "main10", "main10-intra", "main422-10", "main422-10-intra",
    "main444-10", "main444-10-intra", "main12", "main12-intra", "main422-12", "main422-12-intra",
    "main444-12", "main444-12-intra",
  ]
  static let levels = [
    "1", "2", "2.1", "3", "3.1", "4", "4.1", "5", "5.1", "5.2", "6", "6.1", "6.2", "8.5",
  ]

  /// Options that the encoder itself applies to the parameters.
  static let own: [OptionSchema] =
    OptionSchema.applied + [
      .init("tune", .choice(tunes), help: "tuning for the content or use"),
      .init("profile", .choice(profiles), help: "highest profile that the stream may use"),
      .init("qp", .int(0...51), help: "constant quantizer instead of quality or bit rate"),
      .init("lossless", .bool, default: "false", help: "lossless coding instead of a quality"),
      .init(
        "x265-params", .text,
        help: "x265 parameters as key=value, joined by colons, applied last"),
    ]

  /// Options that x265 parses under the same name.
  static let passed: [OptionSchema] =
    rateControl + frameTypes + blocks + analysis + motion + filters + stream

  static let all = own + passed

  private static let rateControl: [OptionSchema] =
    OptionSchema.rateControl + [
      .init("crf-max", .number(0...51), help: "worst quality that VBV may cause"),
      .init("crf-min", .number(0...51), help: "best quality that VBV may cause"),
      .init("vbv-end", .number(0...1), help: "how empty the receiver's buffer is at the end"),
      .init(
        "min-vbv-fullness", .number(0...100),
        help: "lowest level of the receiver's buffer in percent"
      ),
      .init(
        "max-vbv-fullness", .number(0...100),
        help: "highest level of the receiver's buffer in percent"),
      .init("strict-cbr", .bool, help: "keep to a constant bit rate at the cost of quality"),
      .init("const-vbv", .bool, help: "VBV that does not depend on timing"),
      .init("qpmin", .int(0...69), help: "lowest quantizer"),
      .init("qpmax", .int(0...69), help: "highest quantizer"),
      .init("qpstep", .int(1...69), help: "largest change of the quantizer between frames"),
      .init("qcomp", .number(0.5...1), help: "0.5 near constant bit rate, 1 constant quantizer"),
      .init("qblur", .number(0...100), help: "how far quantizers are smoothed over time"),
      .init("cplxblur", .number(0...100), help: "how far complexity is smoothed over time"),
      .init("cbqpoffs", .int(-12...12), help: "quantizer offset of Cb"),
      .init("crqpoffs", .int(-12...12), help: "quantizer offset of Cr"),
      .init(
        "aq-mode", .int(0...4),
        help: "adaptive quantization: 0 off, 1 uniform, 2 and 3 by variance, 4 by edges"),
      .init("aq-motion", .bool, help: "adaptive quantization by motion"),
      .init("hevc-aq", .bool, help: "adaptive quantization by activity within blocks"),
      .init(
        "qp-adaptation-range", .number(1...6), help: "range of quantizers with hevc-aq"),
      .init("qg-size", .int(8...64), help: "side of blocks with a quantizer: 8, 16, 32 or 64"),
      .init("cutree", .bool, help: "finer quantizers for blocks that later frames use"),
      .init("rc-grain", .bool, help: "rate control for film grain"),
      .init(
        "zones", .text, help: "quantizers or rates of frames: start,end,q=N or b=N, joined by /"),
      .init("hdr10-opt", .bool, help: "quantizers for HDR10 by luminance and chrominance"),
      .init("scenecut-aware-qp", .int(0...3), help: "coarser quantizers near scene changes"),
    ]

  private static let frameTypes: [OptionSchema] =
    OptionSchema.frameTypes + [
      .init("keyint", .int(-1...(1 << 30)), help: "most frames between key frames; -1 no limit"),
      .init("radl", .int(0...16), help: "frames that are decodable and shown before a key frame"),
      .init("scenecut-bias", .number(0...100), help: "how certain a scene change must be"),
      .init("hist-scenecut", .bool, help: "find scene changes by histograms"),
      .init("hist-threshold", .number(0...1), help: "change of histograms at a scene change"),
      .init(
        "gop-lookahead", .int(0...250), help: "frames by which a scene change may delay a key frame"
      ),
      .init("fades", .bool, help: "find fades and handle them"),
      .init("bframe-bias", .int(-90...100), help: "how easily B-frames are chosen"),
      .init("b-pyramid", .bool, help: "B-frames as reference frames"),
      .init("lookahead-slices", .int(0...16), help: "slices of a frame in the lookahead"),
      .init("weightp", .bool, help: "weighted prediction in P-frames"),
    ]

  private static let blocks: [OptionSchema] = [
    .init("ctu", .int(16...64), help: "side of the largest coding unit: 16, 32 or 64"),
    .init("min-cu-size", .int(8...64), help: "side of the smallest coding unit: 8, 16, 32 or 64"),
    .init(
      "max-tu-size", .int(4...32), help: "side of the largest transform unit: 4, 8, 16 or 32"),
    .init("tu-intra-depth", .int(1...4), help: "depth of transform units in intra blocks"),
    .init("tu-inter-depth", .int(1...4), help: "depth of transform units in inter blocks"),
    .init("limit-tu", .int(0...4), help: "early ends of the search for transform units"),
    .init("rect", .bool, help: "rectangular motion partitions"),
    .init("amp", .bool, help: "asymmetric motion partitions, need rect"),
    .init("limit-modes", .bool, help: "limit rectangular and asymmetric partitions"),
    .init("tskip", .bool, help: "skip transforms of 4x4 intra blocks"),
    .init("tskip-fast", .bool, help: "fast decision about skipped transforms"),
    .init("cu-lossless", .bool, help: "try lossless coding of blocks"),
  ]

  private static let analysis: [OptionSchema] = [
    .init("rd", .int(1...6), help: "effort of rate-distortion optimization"),
    .init("rdoq-level", .int(0...2), help: "rate-distortion optimization in quantization"),
    .init("rd-refine", .bool, help: "refine quantizers by rate-distortion, with rd 5 and 6"),
    .init("rdpenalty", .int(0...2), help: "penalty of large intra blocks outside I-frames"),
    .init("dynamic-rd", .number(0...4), help: "more optimization where VBV lowers the rate"),
    .init("ssim-rd", .bool, help: "optimize for SSIM"),
    .init("psy-rd", .number(0...5), help: "strength of psychovisual optimization"),
    .init("psy-rdoq", .number(0...50), help: "psychovisual optimization in quantization"),
    .init("early-skip", .bool, help: "detect skipped blocks early"),
    .init("rskip", .int(0...2), help: "end the search for blocks early: 0 off, 1 cost, 2 edges"),
    .init("rskip-edge-threshold", .int(0...100), help: "edges in percent, with rskip 2"),
    .init("splitrd-skip", .bool, help: "skip costly splits of intra blocks"),
    .init("fast-intra", .bool, help: "fast search for intra modes"),
    .init("b-intra", .bool, help: "intra blocks in B-frames"),
    .init("strong-intra-smoothing", .bool, help: "strong smoothing of large intra blocks"),
    .init("constrained-intra", .bool, help: "intra prediction from intra blocks only"),
    .init("signhide", .bool, help: "hide the sign of a coefficient"),
    .init("nr-intra", .int(0...2000), help: "noise reduction in intra blocks"),
    .init("nr-inter", .int(0...2000), help: "noise reduction in inter blocks"),
    .init("scaling-list", .choice(["off", "default"]), help: "quantization matrices"),
    .init("lowpass-dct", .bool, help: "fast, approximate transform"),
  ]

  private static let motion: [OptionSchema] = [
    .init(
      "me", .choice(["dia", "hex", "umh", "star", "sea", "full"]),
      help: "motion search, fast to thorough"),
    .init("merange", .int(0...32768), help: "range of motion search in pixels"),
    .init("subme", .int(0...7), help: "effort of subpixel motion refinement"),
    .init("max-merge", .int(1...5), help: "candidates for merged motion"),
    .init("limit-refs", .int(0...3), help: "limit references by depth (1), block (2) or both (3)"),
    .init("temporal-mvp", .bool, help: "predict motion from other frames"),
    .init("hme", .bool, help: "search motion at three sizes"),
    .init("hme-search", .text, help: "motion search at three sizes, such as hex,umh,umh"),
    .init("hme-range", .text, help: "range of motion search at three sizes, such as 16,32,48"),
    .init("analyze-src-pics", .bool, help: "search motion in source frames"),
  ]

  private static let filters: [OptionSchema] = [
    .init("deblock", .text, help: "deblocking, tC:beta of -6 to 6 each, such as -1:-1, or false"),
    .init("sao", .bool, help: "sample adaptive offset"),
    .init("sao-non-deblock", .bool, help: "sample adaptive offset before deblocking at borders"),
    .init("limit-sao", .bool, help: "limit sample adaptive offset"),
    .init("selective-sao", .int(0...4), help: "frames with sample adaptive offset: 4 all"),
  ]

  private static let stream: [OptionSchema] = [
    .init("level-idc", .choice(levels), help: "HEVC level; by default as the settings need"),
    .init("high-tier", .bool, help: "high tier of the level"),
    .init("uhd-bd", .bool, help: "only features that UHD Blu-ray players support"),
    .init("allow-non-conformance", .bool, help: "streams beyond every level"),
    .init("wpp", .bool, help: "rows of blocks that can be coded and decoded in parallel"),
    .init("slices", .int(1...64), help: "slices in each frame"),
    .init("pmode", .bool, help: "threads share the analysis of a block"),
    .init("pme", .bool, help: "threads share the motion search of a block"),
    .init("hrd", .bool, help: "buffer model in the stream, needs VBV"),
    .init("aud", .bool, help: "access unit delimiters"),
    .init("hash", .int(0...3), help: "hashes of frames: 0 none, 1 MD5, 2 CRC, 3 checksum"),
    .init("info", .bool, help: "version and options of x265 in the stream"),
    .init("temporal-layers", .bool, help: "a layer for frames that no other refers to"),
    .init("idr-recovery-sei", .bool, help: "recovery points at key frames"),
    .init("atc-sei", .int(0...255), help: "preferred transfer function, such as 18 for HLG"),
    .init(
      "overscan", .choice(["unknown", "show", "crop"]), help: "treatment of the frame's border"),
    .init(
      "videoformat", .choice(["component", "pal", "ntsc", "secam", "mac", "unknown"]),
      help: "standard of the source"),
    .init("min-luma", .int(0...65535), help: "lowest luma, clipped"),
    .init("max-luma", .int(0...65535), help: "highest luma, clipped"),
    .init("log2-max-poc-lsb", .int(4...16), help: "bits of the picture order count"),
    .init("vui-timing-info", .bool, help: "frame rate in the stream"),
    .init("vui-hrd-info", .bool, help: "buffer parameters in the stream"),
    .init("opt-qp-pps", .bool, help: "quantizers in parameter sets by content"),
    .init("opt-ref-list-length-pps", .bool, help: "reference counts in parameter sets by content"),
    .init("opt-cu-delta-qp", .bool, help: "fewer changes of quantizers within frames"),
  ]

  /// Keys of `x265-params` that users may not set: the host determines threads, formats and times, every frame that is
  /// sent has to come back once, and a plugin opens no files and prints nothing.
  static let refused: Set<String> = [
    "pools", "numa-pools", "frame-threads", "lookahead-threads", "asm", "cpuid", "copy-pic",
    "annexb", "repeat-headers", "fps", "input-res", "input-csp", "input-depth", "output-depth",
    "interlace", "field", "total-frames", "frames", "seek", "dither", "frame-dup",
    "dup-threshold", "force-flush", "chunk-start", "chunk-end", "pass", "stats",
    "slow-firstpass", "multi-pass-opt-analysis", "multi-pass-opt-distortion",
    "multi-pass-opt-rps", "vbv-live-multi-pass", "analysis-save", "analysis-load",
    "analysis-reuse-file", "analysis-reuse-mode", "analysis-reuse-level",
    "analysis-save-reuse-level", "analysis-load-reuse-level", "refine-analysis-type",
    "scale-factor", "refine-intra", "refine-inter", "refine-mv", "refine-ctu-distortion",
    "dynamic-refine", "ctu-info", "csv", "csv-log-level", "log", "log-level", "recon",
    "recon-depth", "psnr", "ssim", "qpfile", "zonefile", "lambda-file", "nalu-file",
    "dhdr10-info", "dhdr10-opt", "dolby-vision-profile", "dolby-vision-rpu", "svt",
    "master-display", "max-cll", "cll", "hdr", "hdr10", "range", "colorprim", "transfer",
    "colormatrix", "chromaloc", "sar", "abr-ladder", "preset", "tune", "profile", "crf",
    "bitrate", "single-sei", "opt-ref-list-length-pps-file",
  ]

  private static let list = ParameterList(option: "x265-params", refused: refused)

  /// Returns the parameters of `x265-params`.
  static func pairs(_ text: String) throws(MediaError) -> [ParameterList.Parameter] {
    let parameters = try list.parse(text)
    // x265 treats any other value as a file name.
    for parameter in parameters where parameter.plainKey == "scaling-list" {
      guard let value = parameter.value, ["off", "default"].contains(value) else {
        throw MediaError(
          .invalidArgument,
          "x265-params sets \(parameter.key) to \"\(parameter.value ?? "")\" instead of off or default"
        )
      }
    }
    return parameters
  }
}
