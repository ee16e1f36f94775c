import RespoolPlugin

/// The decoder of the packets of `FaultyEncoder`; it holds back one frame.
final class FaultyDecoder: Decoder {
  static var description: FactoryDescription {
    var about = FactoryDescription(
      kind: .decoder, name: "faulty_swift", longName: "PCM with a head")
    about.codecs = ["faulty_swift"]
    return about
  }

  private let track: TrackDescription
  private var held: [Frame] = []
  private var isDraining = false
  private var timeBefore: Int64?

  private static let headSize = 15

  init(settings: DecoderSettings) throws(MediaError) {
    track = settings.track
    guard (1...8).contains(track.channelLayout.channelCount),
      (1...768_000).contains(track.sampleRate)
    else { throw MediaError(.unsupported, "1 to 8 channels at 1 to 768000 Hz are decoded") }
  }

  func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    guard held.count < 2 else { return .full }
    guard let packet else {
      isDraining = true
      return .accepted
    }
    let width = 2 * track.channelLayout.channelCount
    guard let buffer = packet.buffer, buffer.count > Self.headSize,
      (buffer.count - Self.headSize).isMultiple(of: width)
    else {
      throw MediaError(
        .malformed,
        Fault.current == .emptyMessage
          ? "" : "a packet of \(packet.size) bytes does not have a head and whole audio samples")
    }
    guard
      let frame = Frame(
        sampleFormat: .s16, channelLayout: track.channelLayout, sampleRate: track.sampleRate,
        sampleCount: (buffer.count - Self.headSize) / width, pts: time(packet.pts))
    else { throw MediaError(.malformed, "a packet has no audio samples") }
    buffer.withBytes { bytes in
      frame.buffer.bytes.copyBytes(from: bytes.dropFirst(Self.headSize))
    }
    held.append(frame)
    return .accepted
  }

  private func time(_ time: Int64?) -> Int64? {
    guard Fault.current == .timesOfNextPacket else { return time }
    defer { timeBefore = time }
    return time.map { $0 + Int64(FaultyEncoder.frameSize) }
  }

  func receive() throws(MediaError) -> Output<Frame> {
    guard held.count > (isDraining ? 0 : 1) else { return isDraining ? .end : .needsInput }
    return .value(held.removeFirst())
  }

  func flush() {
    isDraining = false
    if Fault.current != .stateAfterFlush { held = [] }
  }
}
