import RespoolMedia

/// Frames in, packets out.
///
/// The encoder is opened with the first frame, because only that says for certain what comes in: the
/// colour, the shape of a pixel, the layout of the channels.
final class EncodeStage: Stage {
  private let open: (Frame) throws(MediaError) -> EncoderInstance
  private let output: MuxPort
  /// Adds to the track what neither the encoder nor the frames can say.
  private let seen: (inout TrackDescription) -> Void
  private var encoder: EncoderInstance?
  /// For encoders that want all frames of sound to have the same length.
  private var cutter: AudioFrameCutter?
  /// What the encoder still puts in front of the sound, in units of the track's time base.
  private var priming: Int64 = 0

  init(
    to output: MuxPort, seen: @escaping (inout TrackDescription) -> Void = { _ in },
    open: @escaping (Frame) throws(MediaError) -> EncoderInstance
  ) {
    self.open = open
    self.seen = seen
    self.output = output
  }

  func consume(_ frame: Frame) throws(MediaError) {
    let encoder = try opened(for: frame)
    guard cutter != nil else { return try send(frame, to: encoder) }
    try cutter?.push(frame)
    while let part = try cutter?.next() { try send(part, to: encoder) }
  }

  private func send(_ frame: Frame, to encoder: EncoderInstance) throws(MediaError) {
    while try encoder.send(frame) == .full {
      guard try drain(encoder) else {
        throw MediaError(.pluginFailure, "the encoder neither takes a frame nor gives a packet")
      }
    }
    _ = try drain(encoder)
  }

  func skip(to nanoseconds: Int64) throws(MediaError) { try output.skip(to: nanoseconds) }

  func finish() throws(MediaError) {
    if let encoder {
      if let rest = try cutter?.finish() { try send(rest, to: encoder) }
      while try encoder.send(nil) == .full {
        guard try drain(encoder) else { break }
      }
      _ = try drain(encoder)
      var track = encoder.track
      seen(&track)
      output.update(track)
    }
    try output.finish()
  }

  private func opened(for frame: Frame) throws(MediaError) -> EncoderInstance {
    if let encoder { return encoder }
    let encoder = try open(frame)
    self.encoder = encoder
    var track = encoder.track
    seen(&track)
    if frame.kind == .audio, track.frameSize > 0,
      !encoder.factory.description.flags.contains(.variableFrameSize)
    {
      cutter = AudioFrameCutter(frameSize: track.frameSize)
    }
    if frame.kind == .audio, track.sampleRate > 0 {
      let samples = Rational(1, Int32(clamping: track.sampleRate))
      priming = samples.convert(Int64(track.initialPadding), to: track.timeBase)
    }
    try output.begin(track)
    return encoder
  }

  /// Hands on what the encoder has; whether there was anything.
  private func drain(_ encoder: EncoderInstance) throws(MediaError) -> Bool {
    var any = false
    while case .value(var packet) = try encoder.receive() {
      any = true
      hidePriming(&packet)
      try output.consume(packet)
    }
    return any
  }

  /// Sound that sets in late starts where its first sample belongs, and not with what comes before it.
  private func hidePriming(_ packet: inout Packet) {
    guard priming > 0, packet.duration > 0 else { return }
    if packet.duration <= priming {
      packet.flags.insert(.discard)
    } else {
      packet.trimStart = max(packet.trimStart, priming)
    }
    priming -= min(priming, packet.duration)
  }
}
