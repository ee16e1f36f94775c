package import RespoolMedia

/// Frames in, packets out.
///
/// The encoder is opened with the first frame, because only that says for certain what comes in: the
/// colour, the shape of a pixel, the layout of the channels.
package final class EncodeStage: Stage {
  private let open: (Frame) throws(MediaError) -> EncoderInstance
  private let output: MuxPort
  /// Adds to the track what neither the encoder nor the frames can say.
  private let seen: (inout TrackDescription) -> Void
  private var encoder: EncoderInstance?
  /// For encoders that want all frames of sound to have the same length.
  private var cutter: AudioFrameCutter?
  /// What the encoder still puts in front of the sound, in units of the track's time base.
  private var priming: Int64 = 0

  package init(
    to output: MuxPort, seen: @escaping (inout TrackDescription) -> Void = { _ in },
    open: @escaping (Frame) throws(MediaError) -> EncoderInstance
  ) {
    self.open = open
    self.seen = seen
    self.output = output
  }

  package func consume(_ frame: Frame) throws(MediaError) {
    let encoder = try opened(for: frame)
    guard cutter != nil else { return try encoder.encode(frame, handOn) }
    try cutter?.push(frame)
    while let part = try cutter?.next() { try encoder.encode(part, handOn) }
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try output.skip(to: nanoseconds) }

  package func finish() throws(MediaError) {
    if let encoder {
      if let rest = try cutter?.finish() { try encoder.encode(rest, handOn) }
      try encoder.encode(nil, handOn)
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

  private func handOn(_ packet: Packet) throws(MediaError) {
    var packet = packet
    hidePriming(&packet)
    try output.consume(packet)
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
