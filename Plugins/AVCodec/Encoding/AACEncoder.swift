import CAVCodec
import RespoolPlugin

/// FFmpeg's own AAC-LC encoder (ISO/IEC 14496-3).
final class AACEncoder: LibraryEncoder, Encoder {
  static let description: FactoryDescription = {
    var value = FactoryDescription(
      kind: .encoder, name: "aac", longName: "AAC-LC by FFmpeg's own encoder")
    value.codecs = ["aac"]
    value.sampleFormats = [.fltp]
    value.sampleRates = [
      96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
    ]
    value.channelLayouts = layouts
    value.channelCounts = 1...8
    value.rateControl = RateControl(
      .audio, quality: .init(0.1...10, isLowerBetter: false), bitRates: 1000...4_608_000)
    value.options = [
      OptionSchema(
        "coder", .choice(["twoloop", "fast"]), default: "twoloop",
        help: "how quantizers are chosen"),
      OptionSchema(
        "cutoff", .int(0...48000), default: "0", help: "highest frequency in Hz; 0: automatic"),
      OptionSchema("pns", .bool, default: "true", help: "perceptual noise substitution"),
      OptionSchema("tns", .bool, default: "true", help: "temporal noise shaping"),
      OptionSchema("intensity-stereo", .bool, default: "true", help: "intensity stereo coding"),
      OptionSchema(
        "mid-side", .choice(["auto", "true", "false"]), default: "auto", help: "mid/side coding"),
    ]
    return value
  }()

  /// The channel configurations of ISO/IEC 14496-3 table 1.19.
  ///
  /// Others need a configuration element that few players support.
  private static let layouts: [ChannelLayout] = [
    .stereo, .mono, ChannelLayout(mask: 0x7), ChannelLayout(mask: 0x107),
    // FFmpeg writes 7.1 as configuration 7, and every other layout of 8 channels with an element.
    ChannelLayout(mask: 0x37), ChannelLayout(mask: 0x3F), ChannelLayout(mask: 0x63F),
  ]

  init(settings: EncoderSettings) throws(MediaError) {
    try super.init(codec: "aac", settings: settings, alwaysWhole: true) {
      context throws(MediaError) in
      if settings.bitRate == nil {
        let channels = Int64(settings.track.channelLayout.channelCount)
        // 128 kbit/s for a channel pair; mono needs slightly more than half.
        context.pointer.pointee.bit_rate = channels == 1 ? 69_000 : 64_000 * channels
      }
      context.pointer.pointee.profile = FF_PROFILE_AAC_LOW
      context.set(quality: settings.quality)
      try context.set("aac_coder", to: settings[option: "coder"])
      try context.set("cutoff", to: settings[option: "cutoff"])
      try context.set("aac_pns", to: settings[option: "pns"])
      try context.set("aac_tns", to: settings[option: "tns"])
      try context.set("aac_is", to: settings[option: "intensity-stereo"])
      try context.set("aac_ms", to: settings[option: "mid-side"])
    }
  }
}
