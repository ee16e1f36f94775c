import COpus
import RespoolPlugin

/// The options of the encoder.
enum EncoderOptions {
  static let bandwidths: [(cutoff: String, value: Int32)] = [
    ("4000", OPUS_BANDWIDTH_NARROWBAND), ("6000", OPUS_BANDWIDTH_MEDIUMBAND),
    ("8000", OPUS_BANDWIDTH_WIDEBAND), ("12000", OPUS_BANDWIDTH_SUPERWIDEBAND),
    ("20000", OPUS_BANDWIDTH_FULLBAND),
  ]

  /// Durations in milliseconds and in units of 2.5 ms.
  static let frameDurations: [(name: String, count: Int)] = [
    ("2.5", 1), ("5", 2), ("10", 4), ("20", 8), ("40", 16), ("60", 24),
  ]

  static let all: [OptionSchema] = [
    .init(
      "application", .choice(["audio", "voip", "lowdelay"]), default: "audio",
      help: "what is optimised: faithfulness, speech, or delay"),
    .init(
      "vbr", .choice(["on", "off", "constrained"]), default: "on",
      help: "whether packets vary in size"),
    .init("complexity", .int(0...10), default: "10", help: "effort"),
    .init(
      "frame-duration", .choice(frameDurations.map(\.name)), default: "20",
      help: "milliseconds in a packet"),
    .init(
      "packet-loss", .int(0...100), default: "0", help: "percentage of lost packets to expect"),
    .init(
      "fec", .bool, default: "false", help: "repeat speech so that a lost packet can be mended"),
    .init("dtx", .bool, default: "false", help: "next to nothing for silence"),
    .init(
      "cutoff", .choice(bandwidths.map(\.cutoff)),
      help: "highest frequency in Hz; else by the bit rate"),
    .init(
      "mapping-family", .int(-1...255), default: "-1",
      help: "0 mono and stereo, 1 surround, 255 channels without meaning, -1 by the channels"),
  ]
}
