import RespoolPlugin

/// A decoder for uncompressed and G.711 audio.
///
/// Native samples are not copied.
final class PCMDecoder: Decoder {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .decoder, name: "pcm", longName: "PCM, floating point and G.711 samples")
    description.tier = .preferred
    description.codecs = PCMCodec.all.map(\.name)
    description.channelCounts = 1...64
    return description
  }

  private let codec: PCMCodec
  private let track: TrackDescription
  private var waiting: Frame?
  private var isDraining = false

  init(settings: DecoderSettings) throws(MediaError) {
    track = settings.track
    guard let codec = PCMCodec.named(track.codec) else {
      throw MediaError(.unsupported, "\(track.codec) is not a known PCM codec")
    }
    self.codec = codec
    guard (1...64).contains(track.channelLayout.channelCount), track.sampleRate > 0 else {
      throw MediaError(
        .malformed,
        "\(track.channelLayout.channelCount.counting("channel")) at \(track.sampleRate) Hz; "
          + "1 to 64 channels can be decoded"
      )
    }
  }

  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    guard waiting == nil else { return .full }
    guard let packet else {
      isDraining = true
      return .accepted
    }
    guard let buffer = packet.buffer else {
      throw MediaError(
        .invalidArgument, "a decoder needs a packet's bytes, not a range of the source")
    }
    // An incomplete sample at the end is not audio.
    let samples = buffer.count / (codec.bytes * track.channelLayout.channelCount)
    guard samples > 0 else { return .accepted }
    defer { withExtendedLifetime(buffer) {} }
    waiting = codec.isNative ? sharing(buffer, samples) : nil
    if waiting == nil { waiting = converting(buffer, samples) }
    waiting?.pts = packet.pts
    waiting?.duration = packet.duration
    if packet.flags.contains(.corrupt) { waiting?.flags.insert(.corrupt) }
    return .accepted
  }

  /// Returns a frame that shares the packet's memory.
  ///
  /// `nil` if the memory is not aligned for the samples.
  private func sharing(_ buffer: MediaBuffer, _ samples: Int) -> Frame? {
    guard let base = buffer.bytes.baseAddress, Int(bitPattern: base) % codec.bytes == 0 else {
      return nil
    }
    let bytes = samples * codec.bytes * track.channelLayout.channelCount
    var frame = Frame(
      kind: .audio, pts: nil, planes: [Frame.Plane(base: base, stride: bytes)], buffer: buffer)
    frame.sampleFormat = codec.sampleFormat
    frame.sampleRate = track.sampleRate
    frame.channelLayout = track.channelLayout
    frame.sampleCount = samples
    return frame
  }

  private func converting(_ buffer: MediaBuffer, _ samples: Int) -> Frame? {
    guard
      let frame = Frame(
        sampleFormat: codec.sampleFormat, channelLayout: track.channelLayout,
        sampleRate: track.sampleRate, sampleCount: samples)
    else { return nil }
    codec.decode(
      buffer.readOnly, to: frame.buffer.bytes, count: samples * track.channelLayout.channelCount)
    return frame
  }

  func receive() throws(MediaError) -> Output<Frame> {
    guard let frame = waiting else { return isDraining ? .end : .needsInput }
    waiting = nil
    return .value(frame)
  }

  func flush() {
    waiting = nil
    isDraining = false
  }
}
