package import RespoolMedia

/// Encodes frames to packets.
///
/// The encoder is opened with the first frame, because only the frame states its color, pixel aspect ratio
/// and channel layout reliably.
package final class EncodeStage: Stage {
  private let open: (Frame) throws(MediaError) -> EncoderInstance
  private let output: TrackOutput
  /// Adds properties to the track that neither the encoder nor the frames know.
  private let complete: (inout TrackDescription) -> Void
  private var encoder: EncoderInstance?
  /// Divides audio for encoders that need frames of equal length.
  private var cutter: AudioFrameCutter?
  /// Encoder priming that is still to come, in units of the track's time base.
  private var priming: Int64 = 0
  /// Digest of the first frames, with which the output is compared.
  private var digest = TrackDigest()

  package init(
    to output: TrackOutput, complete: @escaping (inout TrackDescription) -> Void = { _ in },
    open: @escaping (Frame) throws(MediaError) -> EncoderInstance
  ) {
    self.open = open
    self.complete = complete
    self.output = output
  }

  package func consume(_ frame: Frame) throws(MediaError) {
    let encoder = try opened(for: frame)
    digest.add(frame)
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
      complete(&track)
      output.update(track)
      output.setDigest(digest)
    }
    try output.finish()
  }

  private func opened(for frame: Frame) throws(MediaError) -> EncoderInstance {
    if let encoder { return encoder }
    let encoder = try open(frame)
    self.encoder = encoder
    var track = encoder.track
    complete(&track)
    if frame.kind == .audio, track.frameSize > 0,
      !encoder.factory.description.flags.contains(.variableFrameSize)
    {
      cutter = AudioFrameCutter(frameSize: track.frameSize)
    }
    if frame.kind == .audio, track.sampleRate > 0 {
      let samples = Rational(1, Int32(clamping: track.sampleRate))
      priming = samples.convert(Int64(track.initialPadding), to: track.timeBase)
    }
    // The digest is complete at the end; until then it says that the packets are encoded.
    output.setDigest(digest)
    try output.begin(track)
    return encoder
  }

  private func handOn(_ packet: Packet) throws(MediaError) {
    var packet = packet
    hidePriming(&packet)
    try output.consume(packet)
  }

  /// Marks encoder priming to be hidden, so that audio that starts late begins with its first audio sample.
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
