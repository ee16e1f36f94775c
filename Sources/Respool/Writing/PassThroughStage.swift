import RespoolMedia

/// Packets of a track that already fits: handed on as they are.
final class PassThroughStage: Stage {
  private let output: MuxPort
  private let track: TrackDescription
  private var begun = false
  /// Seconds by which the first packet comes before the time at which it is wanted: 0 or more.
  private(set) var lead = 0.0

  init(_ track: TrackDescription, to output: MuxPort) {
    self.track = track
    self.output = output
    output.announce(track)
  }

  func consume(_ packet: Packet) throws(MediaError) {
    if !begun {
      begun = true
      lead = max(0, -Double(packet.pts ?? 0) * track.timeBase.doubleValue)
      try output.begin(track)
    }
    var packet = packet
    // Sound is never reordered; a file that tells two times for a packet does so by mistake.
    if track.kind == .audio, packet.pts != nil { packet.dts = packet.pts }
    try output.consume(packet)
  }

  func skip(to nanoseconds: Int64) throws(MediaError) { try output.skip(to: nanoseconds) }

  func finish() throws(MediaError) { try output.finish() }
}
