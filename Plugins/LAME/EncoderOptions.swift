import CLAME
import RespoolPlugin

/// The options of the encoder, with the meanings of the command `lame`.
enum EncoderOptions {
  /// LAME's presets of variable bit rate and their qualities, as `lame --preset` has them.
  static let presets: [(name: String, quality: Double)] = [
    ("medium", 4), ("standard", 2), ("extreme", 0),
  ]

  static let all: [OptionSchema] =
    [
      .init(
        "preset", .choice(presets.map(\.name) + ["insane"]),
        help: "medium, standard, extreme: quality 4, 2, 0; insane: 320k"),
      .init(
        "rate-control", .choice(["cbr", "abr"]), default: "cbr",
        help: "with a bit rate: constant in each frame (cbr) or on average (abr)"),
      .init(
        "vbr-method", .choice(["new", "old"]), default: "new",
        help: "with a quality: the search of variable bit rate; old is slower"),
      .init(
        "effort", .int(0...9), default: "3",
        help: "effort of the encoder, as lame -q; 0 is the slowest and best"),
      .init(
        "channel-mode", .choice(["joint", "forced-joint", "stereo"]), default: "joint",
        help: "stereo: mid and side in frames where they are smaller, in all, or in none"),
      .init(
        "block-types", .choice(["auto", "coupled", "long", "short"]), default: "auto",
        help: "blocks: chosen for each channel, the same for both, only long, or only short"),
    ] + switches.map(\.schema) + numbers.map(\.schema)

  /// An option with one value, and LAME's function that takes it.
  struct Setting<Value>: Sendable {
    let schema: OptionSchema
    let set: @Sendable (OpaquePointer, Value) -> Int32
  }

  static let switches: [Setting<Int32>] = [
    .init(
      schema: .init(
        "reservoir", .bool, default: "true", help: "bit reservoir: frames lend bits to later ones")
    ) { lame_set_disable_reservoir($0, 1 - $1) },
    .init(
      schema: .init("crc", .bool, default: "false", help: "a checksum of 16 bits in each frame")
    ) { lame_set_error_protection($0, $1) },
    .init(schema: .init("copyright", .bool, default: "false", help: "the copyright bit")) {
      lame_set_copyright($0, $1)
    },
    .init(
      schema: .init("original", .bool, default: "true", help: "the bit of original recordings")
    ) { lame_set_original($0, $1) },
    .init(
      schema: .init(
        "strict-iso", .bool, default: "false",
        help: "limits frames to the decoder buffer of ISO/IEC 11172-3")
    ) { lame_set_strict_ISO($0, $1) },
    .init(
      schema: .init(
        "hard-minimum", .bool, default: "false",
        help: "min-bitrate also for silence")
    ) { lame_set_VBR_hard_min($0, $1) },
    .init(
      schema: .init(
        "temporal-masking", .bool, default: "true", help: "use of temporal masking")
    ) { lame_set_useTemporal($0, $1) },
  ]

  static let numbers: [Setting<Double>] = [
    .init(
      schema: .init(
        "min-bitrate", .int(8...320), help: "with a quality or abr: lowest kbit/s of a frame")
    ) { lame_set_VBR_min_bitrate_kbps($0, Int32($1)) },
    .init(
      schema: .init(
        "max-bitrate", .int(8...320), help: "with a quality or abr: highest kbit/s of a frame")
    ) { lame_set_VBR_max_bitrate_kbps($0, Int32($1)) },
    .init(
      schema: .init(
        "lowpass", .int(-1...24_000), default: "0",
        help: "highest frequency in Hz; 0: by quality or bit rate, -1: no limit")
    ) { lame_set_lowpassfreq($0, Int32($1)) },
    .init(
      schema: .init(
        "lowpass-width", .int(0...24_000), help: "width in Hz of the transition of lowpass")
    ) { lame_set_lowpasswidth($0, Int32($1)) },
    .init(
      schema: .init(
        "highpass", .int(-1...24_000), default: "0",
        help: "lowest frequency in Hz; 0: by quality or bit rate, -1: no limit")
    ) { lame_set_highpassfreq($0, Int32($1)) },
    .init(
      schema: .init(
        "highpass-width", .int(0...24_000), help: "width in Hz of the transition of highpass")
    ) { lame_set_highpasswidth($0, Int32($1)) },
    .init(
      schema: .init(
        "scale", .number(0...16), default: "1", help: "factor by which the audio is multiplied")
    ) { lame_set_scale($0, Float($1)) },
    .init(
      schema: .init(
        "ath-lower", .number(-100...100), help: "lowers the threshold of hearing by this many dB")
    ) { lame_set_ATHlower($0, Float($1)) },
    .init(
      schema: .init(
        "ath-sensitivity", .number(-100...100),
        help: "sensitivity in dB of the adaptive threshold of hearing")
    ) { lame_set_athaa_sensitivity($0, Float($1)) },
    .init(
      schema: .init(
        "interchannel", .number(0...1), help: "ratio of masking between the channels")
    ) { lame_set_interChRatio($0, Float($1)) },
  ]
}
