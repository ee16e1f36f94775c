import RespoolPlugin
import VideoEncoding

/// The options of the encoder and their mapping to x264.
enum EncoderOptions {
  static let psychovisualTunes = ["film", "animation", "grain", "stillimage", "psnr", "ssim"]
  static let tunes = psychovisualTunes + ["fastdecode", "zerolatency"]
  static let profiles = ["baseline", "main", "high", "high10", "high422", "high444"]
  static let levels = [
    "1", "1b", "1.1", "1.2", "1.3", "2", "2.1", "2.2", "3", "3.1", "3.2", "4", "4.1", "4.2", "5",
    "5.1", "5.2", "6", "6.1", "6.2",
  ]

  /// Options that the encoder itself applies to the parameters.
  static let own: [OptionSchema] =
    OptionSchema.applied + [
      .init(
        "tune", .text,
        help: "tuning for the content or use, joined by commas: \(tunes.joined(separator: ", "))"),
      .init("profile", .choice(profiles), help: "highest profile that the stream may use"),
      .init(
        "qp", .int(0...81), help: "constant quantizer instead of quality or bit rate; 0 is lossless"
      ),
      .init(
        "interlaced", .choice(["auto", "off", "tff", "bff"]), default: "auto",
        help: "interlaced coding: as in the source, never, top or bottom field first"),
      .init(
        "cpu-independent", .bool, default: "true",
        help: "the same output on every CPU; false: default of x264 and FFmpeg"),
      .init(
        "x264-params", .text,
        help: "x264 parameters as key=value, joined by colons, applied last"),
    ]

  /// Options that x264 parses under the same name.
  static let passed: [OptionSchema] = rateControl + frameTypes + analysis + stream

  static let all = own + passed

  private static let rateControl: [OptionSchema] =
    OptionSchema.rateControl + [
      .init("crf-max", .number(0...63), help: "worst quality that VBV may cause"),
      .init("ratetol", .number(0.01...100), help: "tolerance of the average bit rate"),
      .init("qpmin", .int(0...81), help: "lowest quantizer"),
      .init("qpmax", .int(0...81), help: "highest quantizer"),
      .init("qpstep", .int(1...81), help: "largest change of the quantizer between frames"),
      .init("qcomp", .number(0...1), help: "0 constant bit rate, 1 constant quantizer"),
      .init("chroma-qp-offset", .int(-32...32), help: "quantizer offset of chroma"),
      .init("aq-mode", .int(0...3), help: "adaptive quantization: 0 off, 1 to 3 by variance"),
      .init("mbtree", .bool, help: "finer quantizers for blocks that later frames use"),
      .init("filler", .bool, help: "add filler data up to a constant bit rate"),
    ]

  private static let frameTypes: [OptionSchema] =
    OptionSchema.frameTypes + [
      .init("keyint", .int(1...(1 << 30)), help: "most frames between key frames"),
      .init("b-bias", .int(-100...100), help: "how easily B-frames are chosen"),
      .init(
        "b-pyramid", .choice(["none", "strict", "normal"]), help: "B-frames as reference frames"
      ),
      .init(
        "weightp", .int(0...2), help: "weighted prediction in P-frames: 0 off, 1 simple, 2 smart"),
    ]

  private static let analysis: [OptionSchema] = [
    .init(
      "me", .choice(["dia", "hex", "umh", "esa", "tesa"]), help: "motion search, fast to thorough"),
    .init("merange", .int(4...1024), help: "range of motion search in pixels"),
    .init("subme", .int(0...11), help: "effort of motion refinement and mode decision"),
    .init("trellis", .int(0...2), help: "trellis quantization: 0 off, 1 final, 2 always"),
    .init("psy", .bool, help: "optimize for perceived quality"),
    .init("psy-rd", .text, help: "strength of psychovisual optimization, rd or rd:trellis"),
    .init("partitions", .text, help: "block sizes: p8x8,b8x8,i8x8,i4x4,p4x4, none or all"),
    .init(
      "direct", .choice(["none", "spatial", "temporal", "auto"]),
      help: "prediction of direct blocks"),
    .init("8x8dct", .bool, help: "8x8 transform"),
    .init("cabac", .bool, help: "arithmetic coding; off: CAVLC"),
    .init("mixed-refs", .bool, help: "a reference frame for every partition"),
    .init("fast-pskip", .bool, help: "detect skipped blocks early"),
    .init("dct-decimate", .bool, help: "drop nearly empty blocks"),
    .init("nr", .int(0...65536), help: "noise reduction"),
    .init("deblock", .text, help: "deblocking, alpha:beta of -6 to 6 each, such as -1:-1"),
    .init("cqm", .choice(["flat", "jvt"]), help: "quantization matrices"),
  ]

  private static let stream: [OptionSchema] = [
    .init("level", .choice(levels), help: "H.264 level; by default as the settings need"),
    .init(
      "nal-hrd", .choice(["none", "vbr", "cbr"]), help: "buffer model in the stream, needs VBV"),
    .init("aud", .bool, help: "access unit delimiters"),
    .init("slices", .int(0...64), help: "slices in each frame; 0 as few as possible"),
    .init("slice-max-size", .int(0...100_000_000), help: "most bytes in a slice; 0 no limit"),
    .init("sliced-threads", .bool, help: "threads share a frame: less delay, less compression"),
    .init("bluray-compat", .bool, help: "only features that Blu-ray players support"),
    .init("constrained-intra", .bool, help: "intra prediction from intra blocks only"),
    .init("stitchable", .bool, help: "headers that do not depend on the content"),
  ]

  /// Keys of `x264-params` that users may not set: the host determines threads, formats and times, and a
  /// plugin opens no files.
  static let refused: Set<String> = [
    "threads", "lookahead-threads", "annexb", "repeat-headers", "fps", "force-cfr", "timebase",
    "pass", "stats", "cqmfile", "dump-yuv", "log", "log-level", "opencl", "opencl-clbin",
    "opencl-device", "asm", "input-csp", "output-csp", "input-res", "input-depth", "output-depth",
    "width", "height", "input-range", "sps-id", "deterministic", "n-deterministic",
  ]

  /// Returns the tune in x264's form.
  ///
  /// Throws if one of its parts is unknown.
  static func tune(_ text: String) throws(MediaError) -> String {
    let words = text.split(separator: ",").map { $0.filter { $0 != " " } }
    for word in words where !tunes.contains(word) {
      throw MediaError(
        .invalidArgument,
        "tune is \"\(word)\"; known tunes are \(tunes.joined(separator: ", "))")
    }
    let psychovisual = words.filter { psychovisualTunes.contains($0) }
    guard psychovisual.count <= 1 else {
      throw MediaError(
        .invalidArgument,
        "tune has \(psychovisual.joined(separator: " and ")); only one of them can be used")
    }
    return words.joined(separator: ",")
  }

  private static let list = ParameterList(option: "x264-params", refused: refused)

  /// Returns the parameters of `x264-params`.
  static func pairs(_ text: String) throws(MediaError) -> [ParameterList.Parameter] {
    let parameters = try list.parse(text)
    for parameter in parameters {
      // x264 treats any other value as a file name, and accepts the two names anywhere in the value.
      let value = parameter.value
      if parameter.plainKey == "cqm", value != "flat", value != "jvt" {
        throw MediaError(
          .invalidArgument,
          "x264-params sets \(parameter.key) to \"\(value ?? "")\" instead of flat or jvt")
      }
      // A zone has its own parameters (start,end,key=value,…), which x264 does not check either.
      if parameter.plainKey == "zones", let value {
        for part in value.split(whereSeparator: { $0 == "," || $0 == "/" })
        where part.contains("=") && !part.hasPrefix("zones") {
          _ = try pairs(String(part))
        }
      }
    }
    return parameters
  }
}
