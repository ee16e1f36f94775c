public import RespoolPlugin

// The only symbol that the host calls.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "Template", version: "1.0.0", license: "MIT", encoders: [MuLawEncoder.self])
    .table(for: host)
}

/// An encoder for G.711 mu-law, which stores one byte for each audio sample.
///
/// Replace `encode` by your codec, and the codec, formats and quality scale in `description`.
final class MuLawEncoder: Encoder {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .encoder, name: "template", longName: "G.711 mu-law (Template)")
    description.flags = .variableFrameSize  // Takes any number of audio samples.
    description.codecs = ["pcm_mulaw"]
    description.sampleFormats = [.s16]
    description.channelCounts = 1...64
    // Rate control that presets may set. With a quality scale: its direction, limits, step and default.
    description.rateControl = RateControl(.audio)
    return description
  }

  private(set) var track: TrackDescription
  private let timeBase: Rational
  private var waiting: Packet?
  private var isDraining = false
  private var next: Int64 = 0

  init(settings: EncoderSettings) throws(MediaError) {
    let input = settings.track
    guard input.codec == "pcm_mulaw" else {
      throw MediaError(.unsupported, "\(input.codec) is requested; only pcm_mulaw is encoded")
    }
    guard input.sampleFormat == .s16, (1...64).contains(input.channelLayout.channelCount),
      (1...Int(Int32.max)).contains(input.sampleRate)
    else {
      throw MediaError(
        .unsupported,
        "\(input.channelLayout) at \(input.sampleRate) Hz; 1 to 64 channels of s16 are encoded")
    }
    timeBase = input.timeBase
    track = input
    track.timeBase = Rational(1, Int32(input.sampleRate))
    track.bitsPerSample = 8
    track.blockAlign = input.channelLayout.channelCount
    track.bitRate = Int64(input.sampleRate * track.blockAlign * 8)
    track.frameSize = 0
    track.extradata = []
  }

  // Takes a frame; nil ends the stream: what the codec holds back comes out of `receive`. `.full` asks the host to
  // call `receive` first. A codec that looks ahead keeps the frame.
  func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let frame, let plane = frame.planes.first else {
      isDraining = true
      return .accepted
    }
    let count = frame.sampleCount * track.blockAlign
    let samples = UnsafeRawBufferPointer(start: plane.base, count: count * 2)
    let buffer = MediaBuffer(count: count)
    for index in 0..<count {
      buffer.bytes[index] = Self.encode(samples.load(fromByteOffset: index * 2, as: Int16.self))
    }
    let time = frame.pts.map { timeBase.convert($0, to: track.timeBase) } ?? next
    next = time + Int64(frame.sampleCount)
    waiting = Packet(
      track: 0, pts: time, dts: time, duration: Int64(frame.sampleCount), flags: .key,
      payload: .bytes(buffer))
    return .accepted
  }

  func receive() throws(MediaError) -> Output<Packet> {
    guard let packet = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(packet)
  }

  private static func encode(_ sample: Int16) -> UInt8 {
    let magnitude = min(abs(Int(sample)) + 132, 32767)
    let segment = 7 - (UInt16(magnitude) << 1).leadingZeroBitCount
    return ~UInt8((sample < 0 ? 128 : 0) | segment << 4 | (magnitude >> (segment + 3) & 15))
  }
}
