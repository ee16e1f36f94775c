import RespoolPlugin

/// The options of the encoder.
enum EncoderOptions {
  static let all: [OptionSchema] = [
    .init(
      "quality", .number(-1...10),
      help: "quality as oggenc has it, also below 0; instead of the quality of the preset"),
    .init(
      "managed", .bool, default: "false",
      help: "keep the average bit rate with a reservoir; by default it only chooses the quality"),
    .init("minimum-bitrate", .int(0...2_000_000), help: "lower limit in bits per second, managed"),
    .init("maximum-bitrate", .int(0...2_000_000), help: "upper limit in bits per second, managed"),
    .init("coupling", .bool, default: "true", help: "code channels that are alike together"),
    .init(
      "lowpass", .number(2...99), help: "highest frequency in kHz; by default from the quality"),
    .init(
      "impulse-block-bias", .number(-15...0), default: "0",
      help: "more bits against echoes before sudden sounds; -15 is the most"),
  ]
}
