import RespoolPlugin

/// The codec of an encoder type.
///
/// A type parameter, because a factory describes itself before there is an instance.
protocol PCMChoice {
  static var names: (codec: String, long: String) { get }
}

/// The available codecs.
enum PCM {
  enum U8: PCMChoice { static let names = (codec: "pcm_u8", long: "PCM, unsigned 8 bit") }
  enum S16: PCMChoice {
    static let names = (codec: "pcm_s16le", long: "PCM, signed 16 bit, little-endian")
  }
  enum S24: PCMChoice {
    static let names = (codec: "pcm_s24le", long: "PCM, signed 24 bit, little-endian")
  }
  enum S32: PCMChoice {
    static let names = (codec: "pcm_s32le", long: "PCM, signed 32 bit, little-endian")
  }
  enum F32: PCMChoice {
    static let names = (codec: "pcm_f32le", long: "PCM, floating point 32 bit, little-endian")
  }
  enum F64: PCMChoice {
    static let names = (codec: "pcm_f64le", long: "PCM, floating point 64 bit, little-endian")
  }
  enum S8: PCMChoice { static let names = (codec: "pcm_s8", long: "PCM, signed 8 bit") }
  enum S16Big: PCMChoice {
    static let names = (codec: "pcm_s16be", long: "PCM, signed 16 bit, big-endian")
  }
  enum S24Big: PCMChoice {
    static let names = (codec: "pcm_s24be", long: "PCM, signed 24 bit, big-endian")
  }
  enum S32Big: PCMChoice {
    static let names = (codec: "pcm_s32be", long: "PCM, signed 32 bit, big-endian")
  }
  enum F32Big: PCMChoice {
    static let names = (codec: "pcm_f32be", long: "PCM, floating point 32 bit, big-endian")
  }
  enum F64Big: PCMChoice {
    static let names = (codec: "pcm_f64be", long: "PCM, floating point 64 bit, big-endian")
  }
  enum ALaw: PCMChoice { static let names = (codec: "pcm_alaw", long: "G.711 A-law") }
  enum MuLaw: PCMChoice { static let names = (codec: "pcm_mulaw", long: "G.711 mu-law") }
}

/// An encoder that writes samples unchanged or with fewer bits.
final class PCMEncoder<Choice: PCMChoice>: Encoder {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .encoder, name: Choice.names.codec, longName: Choice.names.long)
    description.tier = .preferred
    description.flags = .variableFrameSize
    description.codecs = [Choice.names.codec]
    if let codec = PCMCodec.named(Choice.names.codec) {
      description.sampleFormats = [codec.sampleFormat]
    }
    description.channelCounts = 1...64
    description.rateControl = RateControl(.audio)
    return description
  }

  let track: TrackDescription
  private let codec: PCMCodec
  private var waiting: Packet?
  private var isDraining = false
  /// Time of the next frame if it has no time of its own.
  private var nextTime: Int64 = 0

  init(settings: EncoderSettings) throws(MediaError) {
    guard let codec = PCMCodec.named(Choice.names.codec) else {
      throw MediaError(.internal, "the encoder declares \(Choice.names.codec), an unknown codec")
    }
    var track = settings.track
    let channels = track.channelLayout.channelCount
    guard (1...64).contains(channels), track.sampleRate > 0, track.sampleRate <= Int(Int32.max)
    else {
      throw MediaError(
        .unsupported,
        "\(channels.counting("channel")) at \(track.sampleRate) Hz; 1 to 64 channels can be written"
      )
    }
    self.codec = codec
    track.codec = codec.name
    track.codecTag = 0
    track.extradata = []
    track.sampleFormat = codec.sampleFormat
    track.bitsPerSample = codec.bytes * 8
    track.blockAlign = codec.bytes * channels
    track.bitRate = Int64(track.sampleRate) * Int64(track.blockAlign) * 8
    track.frameSize = 0
    track.initialPadding = 0
    track.seekPreroll = 0
    if !track.timeBase.isPositive { track.timeBase = Rational(1, Int32(track.sampleRate)) }
    self.track = track
  }

  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let frame else {
      isDraining = true
      return .accepted
    }
    let channels = track.channelLayout.channelCount
    guard frame.kind == .audio, frame.sampleFormat == codec.sampleFormat,
      frame.channelLayout.channelCount == channels, let plane = frame.planes.first
    else {
      throw MediaError(
        .invalidArgument,
        "a frame of \(frame.sampleFormat), \(frame.channelLayout); "
          + "\(codec.name) takes \(codec.sampleFormat) of \(channels.counting("channel"))")
    }
    guard frame.sampleCount > 0 else { return .accepted }
    let count = frame.sampleCount * channels
    let input = UnsafeMutableRawBufferPointer(
      start: plane.base, count: count * codec.sampleFormat.bytesPerSample)
    let output: MediaBuffer
    if codec.isNative {
      // The packet shares the frame's memory, which lives as long as the closure.
      let owner = frame.buffer
      output = MediaBuffer(borrowing: input, onRelease: { withExtendedLifetime(owner) {} })
    } else {
      output = MediaBuffer(count: count * codec.bytes)
      codec.encode(UnsafeRawBufferPointer(input), to: output.bytes, count: count)
    }
    let duration = Rational(1, Int32(track.sampleRate)).convert(
      Int64(frame.sampleCount), to: track.timeBase)
    let time = frame.pts ?? nextTime
    nextTime = time.addingReportingOverflow(duration).partialValue
    waiting = Packet(
      track: 0, pts: time, dts: time, duration: duration, flags: .key, payload: .bytes(output))
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Packet> {
    guard let packet = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(packet)
  }
}
