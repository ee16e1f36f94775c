import COpus
import RespoolPlugin
import Xiph

/// An encoder for Opus with libopus.
final class OpusEncoder: Encoder {
  static let description: FactoryDescription = {
    var about = FactoryDescription(kind: .encoder, name: "opus", longName: "Opus by libopus")
    about.tier = .preferred
    about.flags = [.variableFrameSize]
    about.aliases = ["libopus"]
    about.codecs = ["opus"]
    about.options = EncoderOptions.all
    about.sampleFormats = [.flt, .s16]
    about.sampleRates = [48000, 24000, 16000, 12000, 8000]
    about.channelLayouts = ChannelOrder.layouts
    about.channelCounts = 1...255
    about.rateControl = RateControl(.audio, bitRates: 500...Int64(256_000 * 255))
    return about
  }()

  /// Time base of the output: one sample at 48 kHz, for every input sample rate.
  private static let timeBase = Rational(1, 48000)

  private(set) var track: TrackDescription

  private let encoder: OpaquePointer
  private let sampleFormat: SampleFormat
  private let inputTimeBase: Rational
  private let channelCount: Int
  private let sampleRate: Int
  /// Index in the input of each channel of the stream.
  ///
  /// `nil` if both have the same order.
  private let frameChannels: [Int]?
  /// Samples of each channel in a packet, at the input sample rate.
  private let frameSize: Int
  /// Number of output samples, at 48 kHz, for one input sample.
  private let rateRatio: Int
  /// Pre-skip in samples at 48 kHz (RFC 7845 4.2).
  private let preSkip: Int
  /// Interleaved input in the stream's channel order, from byte `pendingStart` on.
  private var pending: [UInt8] = []
  private var pendingStart = 0
  private var packetBytes: [UInt8]
  private var firstTime: Int64?
  /// Number of accepted audio samples of each channel, at the input sample rate.
  private var acceptedCount = 0
  /// Number of output packets.
  private var packetCount = 0
  private var isDraining = false

  init(settings: EncoderSettings) throws(MediaError) {
    let parameters = try Parameters(settings)
    let input = settings.track
    encoder = parameters.encoder
    sampleFormat = input.sampleFormat
    inputTimeBase = input.timeBase
    channelCount = input.channelLayout.channelCount
    sampleRate = input.sampleRate
    rateRatio = 48000 / input.sampleRate
    frameSize = parameters.frameSize
    preSkip = Int(parameters.configuration.preSkip)
    frameChannels = parameters.frameChannels
    // Maximum packet size: 1275 bytes for each of up to three 20 ms frames of each stream, and framing (RFC
    // 6716 3.2 and appendix B).
    packetBytes = [UInt8](
      repeating: 0, count: (1275 * 3 + 7) * parameters.configuration.streamCount)
    track = input
    track.codecTag = 0
    track.timeBase = Self.timeBase
    track.extradata = parameters.configuration.head
    track.sampleRate = 48000
    track.sampleFormat = .none
    track.bitsPerSample = 0
    track.blockAlign = 0
    track.bitRate = parameters.bitRate
    track.initialPadding = preSkip
    track.frameSize = frameSize * rateRatio
    // 80 ms (RFC 7845 4.6).
    track.seekPreroll = 3840
    track.start = nil
    track.duration = nil
    if parameters.configuration.mappingFamily == 1 {
      track.channelLayout = .vorbis(channelCount)
    }
  }

  deinit { opus_multistream_encoder_destroy(encoder) }

  private var sampleBytes: Int { channelCount * sampleFormat.bytesPerSample }
  private var frameBytes: Int { frameSize * sampleBytes }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard pending.count - pendingStart < frameBytes else { return .full }
    guard let frame else {
      isDraining = true
      return .accepted
    }
    guard !isDraining else { throw MediaError(.invalidArgument, "audio came after the end") }
    let count = frame.sampleCount
    guard frame.kind == .audio, frame.sampleFormat == sampleFormat,
      frame.sampleRate == sampleRate, frame.channelLayout.channelCount == channelCount,
      let plane = frame.planes.first, count >= 0, plane.stride >= count * sampleBytes
    else {
      throw MediaError(
        .invalidArgument,
        "audio is \(frame.sampleFormat) of \(frame.channelLayout) at \(frame.sampleRate) Hz; the "
          + "encoder was opened for \(sampleFormat) of \(channelCount) channels at \(sampleRate)")
    }
    if firstTime == nil {
      firstTime = frame.pts.map { inputTimeBase.convert($0, to: Self.timeBase) } ?? 0
    }
    if pendingStart > 0 {
      pending.removeFirst(pendingStart)
      pendingStart = 0
    }
    let bytes = UnsafeRawBufferPointer(start: plane.base, count: count * sampleBytes)
    withExtendedLifetime(frame.buffer) {
      guard let frameChannels else { return pending.append(contentsOf: bytes) }
      sampleFormat == .s16
        ? append(bytes.bindMemory(to: Int16.self), frameChannels)
        : append(bytes.bindMemory(to: Float.self), frameChannels)
    }
    acceptedCount += count
    return .accepted
  }

  /// Appends interleaved samples in the stream's channel order.
  private func append<Sample>(_ samples: UnsafeBufferPointer<Sample>, _ frameChannels: [Int]) {
    let ordered = [Sample](unsafeUninitializedCapacity: samples.count) { target, count in
      for first in stride(from: 0, to: samples.count, by: frameChannels.count) {
        for (index, channel) in frameChannels.enumerated() {
          target[first + index] = samples[first + channel]
        }
      }
      count = samples.count
    }
    ordered.withUnsafeBytes { pending.append(contentsOf: $0) }
  }

  func receive() throws(MediaError) -> Output<Packet> {
    if pending.count - pendingStart < frameBytes {
      guard isDraining else { return .needsInput }
      // The encoder delay is output after the last sample.
      guard acceptedCount > 0,
        packetCount * frameSize * rateRatio < preSkip + acceptedCount * rateRatio
      else {
        return .end
      }
      pending.removeFirst(pendingStart)
      pendingStart = 0
      pending.append(contentsOf: repeatElement(0, count: frameBytes - pending.count))
    }
    let size = pending.withUnsafeBytes { bytes -> Int32 in
      guard let base = bytes.baseAddress.map({ $0 + pendingStart }) else { return OPUS_BAD_ARG }
      let (samples, capacity) = (Int32(frameSize), Int32(packetBytes.count))
      return sampleFormat == .s16
        ? opus_multistream_encode(
          encoder, base.assumingMemoryBound(to: Int16.self), samples, &packetBytes, capacity)
        : opus_multistream_encode_float(
          encoder, base.assumingMemoryBound(to: Float.self), samples, &packetBytes, capacity)
    }
    guard size >= 0 else {
      throw MediaError(
        .pluginFailure, "libopus could not encode a packet",
        cause: String(cString: opus_strerror(size)))
    }
    pendingStart += frameBytes
    let duration = frameSize * rateRatio
    let time = (firstTime ?? 0) - Int64(preSkip) + Int64(packetCount * duration)
    packetCount += 1
    var packet = Packet(
      track: 0, pts: time, dts: time, duration: Int64(duration), flags: .key,
      payload: .bytes(MediaBuffer(packetBytes[..<Int(size)])))
    if isDraining {
      packet.trimEnd = Int64(max(0, packetCount * duration - preSkip - acceptedCount * rateRatio))
    }
    return .value(packet)
  }
}
