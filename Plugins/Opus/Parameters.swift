import COpus
import RespoolPlugin
import Xiph

/// A libopus encoder configured for given settings.
///
/// The receiver must destroy it.
struct Parameters {
  let encoder: OpaquePointer
  let configuration: OpusConfiguration
  /// Bits per second.
  let bitRate: Int64
  /// Samples of each channel in a packet, at the input sample rate.
  let frameSize: Int
  /// Index in the frame of each channel of the stream.
  ///
  /// `nil` if both have the same order.
  let frameChannels: [Int]?

  init(_ settings: EncoderSettings) throws(MediaError) {
    try Self.check(settings)
    let track = settings.track
    let count = track.channelLayout.channelCount
    let family = try Self.mappingFamily(settings)
    let application =
      switch settings[option: "application"] {
      case "voip": OPUS_APPLICATION_VOIP
      case "lowdelay": OPUS_APPLICATION_RESTRICTED_LOWDELAY
      default: OPUS_APPLICATION_AUDIO
      }
    var (streams, coupled, status): (Int32, Int32, Int32) = (0, 0, 0)
    var mapping = [UInt8](repeating: 0, count: 256)
    let made = opus_multistream_surround_encoder_create(
      Int32(track.sampleRate), Int32(count), Int32(family), &streams, &coupled, &mapping,
      application, &status)
    guard let made, status == OPUS_OK else {
      throw MediaError(
        .pluginFailure, "libopus could not be opened with these settings",
        cause: String(cString: opus_strerror(status)))
    }
    do throws(MediaError) {
      let rate = try Self.bitRate(settings, streams: Int(streams), coupled: Int(coupled))
      try Self.configure(made, settings, bitRate: rate)
      var lookahead: Int32 = 0
      guard copus_encoder_lookahead(made, &lookahead) == OPUS_OK, lookahead >= 0 else {
        throw MediaError(.pluginFailure, "libopus does not report its lookahead")
      }
      bitRate = rate
      configuration = OpusConfiguration(
        channelCount: UInt8(count),
        preSkip: UInt16(clamping: Int(lookahead) * 48000 / track.sampleRate),
        inputSampleRate: UInt32(track.sampleRate), mappingFamily: UInt8(family),
        mapping: family == 0
          ? nil
          : .init(
            streamCount: UInt8(streams), coupledCount: UInt8(coupled),
            table: Array(mapping[..<count])))
    } catch {
      opus_multistream_encoder_destroy(made)
      throw error
    }
    encoder = made
    let duration = settings[option: "frame-duration"] ?? "20"
    let unit = EncoderOptions.frameDurations.first { $0.name == duration }?.count ?? 8
    frameSize = track.sampleRate / 400 * unit
    let order = family == 1 ? ChannelOrder.frameChannels(count) : nil
    frameChannels = order == order?.sorted() ? nil : order
  }

  private static func check(_ settings: EncoderSettings) throws(MediaError) {
    let about = OpusEncoder.description
    try settings.checkOptions(about.options, of: "libopus")
    let track = settings.track
    guard track.codec == "opus" else {
      throw MediaError(.unsupported, "libopus encodes opus, not \(track.codec)")
    }
    guard about.sampleRates.contains(track.sampleRate) else {
      throw MediaError(
        .unsupported,
        "the sample rate is \(track.sampleRate); Opus takes "
          + about.sampleRates.map(String.init).joined(separator: ", "))
    }
    guard about.sampleFormats.contains(track.sampleFormat) else {
      throw MediaError(
        .unsupported, "libopus does not take \(track.sampleFormat); it takes flt and s16")
    }
    if settings[option: "application"] == "lowdelay" {
      let duration = settings[option: "frame-duration"] ?? "20"
      // CELT alone has no longer frames (RFC 6716 2.1.4), and longer packets have no benefit.
      guard !["40", "60"].contains(duration) else {
        throw MediaError(
          .invalidArgument,
          "frame-duration is \(duration); application lowdelay takes at most 20")
      }
    }
  }

  private static func mappingFamily(_ settings: EncoderSettings) throws(MediaError) -> Int {
    let layout = settings.track.channelLayout
    let count = layout.channelCount
    guard (1...255).contains(count) else {
      throw MediaError(.unsupported, "there are \(count) channels; Opus takes 1 to 255")
    }
    let asked = settings[option: "mapping-family"].flatMap { Int($0) } ?? -1
    let family = asked >= 0 ? asked : count <= 2 ? 0 : count <= 8 ? 1 : 255
    switch family {
    case 0 where count > 2:
      throw MediaError(
        .invalidArgument, "mapping-family 0 takes 1 or 2 channels; there are \(count)")
    case 1 where !ChannelOrder.isVorbis(layout):
      throw MediaError(
        .unsupported,
        "\(layout) is not a channel layout of Opus, which takes "
          + ChannelOrder.layouts.map(\.description).joined(separator: ", ")
          + ", or any layout with mapping-family 255")
    case 0, 1, 255: return family
    default:
      throw MediaError(
        .invalidArgument, "mapping-family is \(family) instead of -1, 0, 1 or 255")
    }
  }

  /// Returns the requested bit rate, or FFmpeg's default: 64k for each stream and 32k more for a coupled one.
  private static func bitRate(_ settings: EncoderSettings, streams: Int, coupled: Int)
    throws(MediaError) -> Int64
  {
    guard let asked = settings.bitRate else { return Int64(64000 * streams + 32000 * coupled) }
    let highest = Int64(256_000 * settings.track.channelLayout.channelCount)
    guard (500...highest).contains(asked) else {
      throw MediaError(
        .invalidArgument,
        "the bit rate is \(asked); Opus takes 500 to \(highest) bits a second for these channels")
    }
    return asked
  }

  private static func configure(
    _ encoder: OpaquePointer, _ settings: EncoderSettings, bitRate: Int64
  ) throws(MediaError) {
    func number(_ name: String) -> Int32 { settings[option: name].flatMap { Int32($0) } ?? 0 }
    let vbr = settings[option: "vbr"] ?? "on"
    let cutoff = settings[option: "cutoff"]
    let bandwidth = EncoderOptions.bandwidths.first { $0.cutoff == cutoff }
    var requests: [(Int32, Int32)] = [
      (OPUS_SET_BITRATE_REQUEST, Int32(clamping: bitRate)),
      (OPUS_SET_COMPLEXITY_REQUEST, settings[option: "complexity"].flatMap { Int32($0) } ?? 10),
      (OPUS_SET_VBR_REQUEST, vbr == "off" ? 0 : 1),
      (OPUS_SET_VBR_CONSTRAINT_REQUEST, vbr == "constrained" ? 1 : 0),
      (OPUS_SET_PACKET_LOSS_PERC_REQUEST, number("packet-loss")),
      (OPUS_SET_INBAND_FEC_REQUEST, settings[option: "fec"] == "true" ? 1 : 0),
      (OPUS_SET_DTX_REQUEST, settings[option: "dtx"] == "true" ? 1 : 0),
    ]
    if let bandwidth { requests.append((OPUS_SET_MAX_BANDWIDTH_REQUEST, bandwidth.value)) }
    for (request, value) in requests {
      let status = copus_encoder_set(encoder, request, value)
      guard status == OPUS_OK else {
        throw MediaError(
          .pluginFailure, "libopus refused \(value) for its request \(request)",
          cause: String(cString: opus_strerror(status)))
      }
    }
  }
}
