import CAVCodec
import RespoolPlugin

/// FFmpeg's FLAC encoder (RFC 9639).
final class FLACEncoder: LibraryEncoder, Encoder {
  static let description: FactoryDescription = {
    var value = FactoryDescription(kind: .encoder, name: "flac", longName: "FLAC by FFmpeg")
    value.codecs = ["flac"]
    value.sampleFormats = [.s16, .s32]
    value.rateControl = RateControl(.audio)
    value.channelCounts = 1...8
    // In FLAC, the surround channels of 5 and 6 channels may be back or side channels.
    value.channelLayouts =
      (1...8).map(ChannelLayout.flac) + [ChannelLayout(mask: 0x37), ChannelLayout(mask: 0x3F)]
    value.options = [
      OptionSchema(
        "compression-level", .int(0...12), default: "5", help: "0 is fast, 12 makes small files")
    ]
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    try super.init(codec: "flac", settings: settings) { context throws(MediaError) in
      try context.set("compression_level", to: settings[option: "compression-level"])
    }
  }
}

/// FFmpeg's Apple Lossless encoder.
final class ALACEncoder: LibraryEncoder, Encoder {
  static let description: FactoryDescription = {
    var value = FactoryDescription(
      kind: .encoder, name: "alac", longName: "Apple Lossless by FFmpeg")
    value.codecs = ["alac"]
    value.sampleFormats = [.s16p, .s32p]
    value.rateControl = RateControl(.audio)
    value.channelCounts = 1...8
    // The layouts of the format. The encoder refuses others.
    value.channelLayouts = [0x4, 0x3, 0x7, 0x107, 0x37, 0x3F, 0x13F, 0xFF].map {
      ChannelLayout(mask: $0)
    }
    return value
  }()

  init(settings: EncoderSettings) throws(MediaError) {
    try super.init(codec: "alac", settings: settings) { _ throws(MediaError) in }
  }
}
