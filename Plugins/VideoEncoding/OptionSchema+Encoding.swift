package import RespoolMedia

/// Options that x264 and x265 have under the same name, with the same values.
extension OptionSchema {
  package static let speedPresets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
    "placebo",
  ]

  /// Options that the encoders themselves apply to the parameters.
  package static let applied: [OptionSchema] = [
    .init(
      "preset", .choice(speedPresets), default: "medium",
      help: "speed against compression; applies to options that are not set"),
    .init(
      "low-delay", .bool, default: "false",
      help: "for live sources: no B-frames and no lookahead unless set, as tune zerolatency"),
    .init(
      "maxrate", .int(0...2_000_000_000),
      help: "VBV: bits a second at which the receiver's buffer (bufsize) fills"),
    .init(
      "bufsize", .int(0...2_000_000_000), help: "VBV: size of the receiver's buffer in bits"),
  ]

  package static let rateControl: [OptionSchema] = [
    .init("vbv-init", .number(0...1), help: "how full the receiver's buffer is at the start"),
    .init("ipratio", .number(0.01...10), help: "quantizer ratio of I- and P-frames"),
    .init("pbratio", .number(0.01...10), help: "quantizer ratio of P- and B-frames"),
    .init("aq-strength", .number(0...3), help: "strength of adaptive quantization"),
    .init("rc-lookahead", .int(0...250), help: "frames that rate control looks ahead"),
  ]

  package static let frameTypes: [OptionSchema] = [
    .init("min-keyint", .int(0...(1 << 30)), help: "fewest frames between key frames; 0 auto"),
    .init("scenecut", .int(0...400), help: "how easily a scene change starts a key frame"),
    .init("intra-refresh", .bool, help: "a moving column of intra blocks instead of key frames"),
    .init("open-gop", .bool, help: "frames may refer across a key frame"),
    .init("bframes", .int(0...16), help: "most consecutive B-frames"),
    .init(
      "b-adapt", .int(0...2), help: "how the number of B-frames is chosen: 0 fixed to 2 best"),
    .init("ref", .int(1...16), help: "reference frames"),
    .init("weightb", .bool, help: "weighted prediction in B-frames"),
  ]
}
