import RespoolPlugin

/// The options of the encoder.
enum EncoderOptions {
  static let all: [OptionSchema] = [
    .init(
      "compression-level", .int(0...8), default: "5",
      help: "0 is fast, 8 makes small files; sets the defaults of the other options"),
    .init(
      "block-size", .int(16...65_535),
      help: "audio samples of a frame; by default from the compression level"),
    .init(
      "stereo", .choice(["independent", "mid-side", "adaptive"]),
      help: "stereo coding: channels apart, the best for each frame, or a guess at it"),
    .init("max-lpc-order", .int(0...32), help: "highest order of linear prediction; 0 is none"),
    .init(
      "lpc-precision", .int(0...15),
      help: "bits of a prediction coefficient from 5 on; 0 is chosen by the encoder"),
    .init("lpc-precision-search", .bool, help: "try all precisions: slow, little smaller"),
    .init("exhaustive-search", .bool, help: "try all prediction orders: slow, little smaller"),
    .init(
      "min-partition-order", .int(0...15), help: "lowest order of the residual's partitions"),
    .init(
      "max-partition-order", .int(0...15), help: "highest order of the residual's partitions"),
    .init(
      "apodization", .text,
      help: "windows of the prediction, such as tukey(5e-1);partial_tukey(2)"),
    .init("verify", .bool, default: "false", help: "decode each frame and compare it"),
  ]
}
