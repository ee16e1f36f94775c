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
      help: "what to optimize: fidelity, speech or low delay"),
    .init(
      "vbr", .choice(["on", "off", "constrained"]), default: "on",
      help: "variable bit rate; constrained: within a limit"),
    .init("complexity", .int(0...10), default: "10", help: "encoding effort; 10 is the highest"),
    .init(
      "frame-duration", .choice(frameDurations.map(\.name)), default: "20",
      help: "duration of a packet in milliseconds"),
    .init(
      "packet-loss", .int(0...100), default: "0", help: "expected packet loss in percent"),
    .init(
      "fec", .bool, default: "false", help: "redundant speech data, to recover lost packets"),
    .init("dtx", .bool, default: "false", help: "almost no data for silence"),
    .init(
      "cutoff", .choice(bandwidths.map(\.cutoff)),
      help: "highest frequency in Hz; by default from the bit rate"),
    .init(
      "mapping-family", .int(-1...255), default: "-1",
      help: "0 mono and stereo, 1 surround, 255 no layout, -1 chosen by channel count"),
  ]
}
