import COpus
import RespoolPlugin
import Xiph

/// A decoder for Opus with libopus, to floating point at 48 kHz.
final class OpusDecoder: Decoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(kind: .decoder, name: "opus", longName: "Opus by libopus")
    // Its samples differ in the last bits from those of FFmpeg's own decoder, with which users compare.
    about.tier = .fallback
    about.aliases = ["libopus"]
    about.codecs = ["opus"]
    return about
  }()

  /// Maximum number of samples in a packet: 120 ms at 48 kHz (RFC 6716 2.1.4).
  private static let longest = 5760

  private let decoder: OpaquePointer
  private let channelLayout: ChannelLayout
  private let timeBase: Rational
  /// Number of samples in the last packet, assumed for a lost one.
  private var lastCount = 960
  private var waiting: Frame?
  private var isDraining = false

  init(settings: DecoderSettings) throws(MediaError) {
    let track = settings.track
    guard track.codec == "opus" else {
      throw MediaError(.unsupported, "libopus decodes opus, not \(track.codec)")
    }
    let configuration: OpusConfiguration
    if track.extradata.isEmpty {
      let count = track.channelLayout.channelCount
      guard count <= 2 else {
        throw MediaError(.malformed, "the layout of \(count) channels is unknown without OpusHead")
      }
      configuration = OpusConfiguration(channelCount: UInt8(max(1, count)), preSkip: 0)
    } else {
      configuration = try OpusConfiguration(decoding: track.extradata)
    }
    let channelCount = Int(configuration.channelCount)
    timeBase = track.timeBase.isPositive ? track.timeBase : Rational(1, 48000)
    // libopus itself reorders the channels, with a permuted mapping.
    let streamMapping = configuration.channelMapping
    var mapping = streamMapping
    if configuration.mappingFamily <= 1,
      let frameChannels = ChannelOrder.frameChannels(channelCount)
    {
      for (index, channel) in frameChannels.enumerated() {
        mapping[channel] = streamMapping[index]
      }
      channelLayout = .vorbis(channelCount)
    } else {
      channelLayout = ChannelLayout(channelCount: channelCount)
    }
    var status: Int32 = 0
    let made = opus_multistream_decoder_create(
      48000, Int32(channelCount), Int32(configuration.streamCount),
      Int32(configuration.coupledCount), mapping, &status)
    guard let made, status == OPUS_OK else {
      throw MediaError(
        .pluginFailure, "libopus could not be opened",
        cause: String(cString: opus_strerror(status)))
    }
    decoder = made
    let gain = configuration.outputGain
    if gain != 0 { _ = copus_decoder_set_gain(made, Int32(gain)) }
  }

  deinit { opus_multistream_decoder_destroy(decoder) }

  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let packet else {
      isDraining = true
      return .accepted
    }
    defer { withExtendedLifetime(packet) {} }
    guard let bytes = packet.buffer?.readOnly else {
      throw MediaError(
        .invalidArgument, "a decoder needs a packet's bytes, not a range of the source")
    }
    // An empty packet was lost: libopus conceals it in steps of 2.5 ms.
    let count = bytes.isEmpty ? lostCount(packet) : try sampleCount(bytes)
    guard
      var frame = Frame(
        sampleFormat: .flt, channelLayout: channelLayout, sampleRate: 48000, sampleCount: count,
        pts: packet.pts),
      let plane = frame.planes.first
    else { throw MediaError(.malformed, "Opus of more than 64 channels cannot be decoded") }
    let decoded = opus_multistream_decode_float(
      decoder, bytes.isEmpty ? nil : bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
      Int32(clamping: bytes.count), plane.base.assumingMemoryBound(to: Float.self), Int32(count), 0)
    guard decoded > 0 else {
      throw MediaError(
        .malformed, "a packet could not be decoded", cause: String(cString: opus_strerror(decoded)))
    }
    lastCount = Int(decoded)
    frame.sampleCount = Int(decoded)
    frame.duration = Rational(1, 48000).convert(Int64(decoded), to: timeBase)
    if packet.flags.contains(.corrupt) || bytes.isEmpty { frame.flags.insert(.corrupt) }
    waiting = frame
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Frame> {
    if let frame = waiting.take() { return .value(frame) }
    return isDraining ? .end : .needsInput
  }

  func flush() {
    waiting = nil
    isDraining = false
    _ = copus_decoder_reset(decoder)
  }

  /// Returns the samples of each channel in a packet, from its first stream.
  ///
  /// All streams have the same number.
  private func sampleCount(_ bytes: UnsafeRawBufferPointer) throws(MediaError) -> Int {
    guard let base = bytes.baseAddress, let size = Int32(exactly: bytes.count) else {
      throw MediaError(.malformed, "a packet of \(bytes.count) bytes is too large")
    }
    let count = opus_packet_get_nb_samples(base.assumingMemoryBound(to: UInt8.self), size, 48000)
    guard count > 0, count <= Self.longest else {
      throw MediaError(
        .malformed, "a packet could not be decoded",
        cause: count < 0 ? String(cString: opus_strerror(count)) : "\(count) samples are reported")
    }
    return Int(count)
  }

  private func lostCount(_ packet: Packet) -> Int {
    let stated = timeBase.convert(packet.duration, to: Rational(1, 48000))
    let count = stated > 0 ? Int(min(stated, Int64(Self.longest))) : lastCount
    return max(120, count / 120 * 120)
  }
}
