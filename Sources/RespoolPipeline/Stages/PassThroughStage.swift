package import RespoolMedia

/// Passes through the packets of a track that needs no re-encoding.
package final class PassThroughStage: Stage {
  private let output: TrackOutput
  private let track: TrackDescription
  /// Source of the bytes of covers whose packets are byte ranges.
  private let source: FileSource?
  private var begun = false
  /// Seconds by which the first packet precedes time 0 of the output: 0 or more.
  package private(set) var lead = 0.0
  /// Seconds by which packets that are needed only for decoding end after those that are presented: 0 or more.
  package var tail: Double {
    Double(max(0, hiddenEnd &- shownEnd)) * track.timeBase.doubleValue
  }
  private var shownEnd: Int64 = 0
  private var hiddenEnd: Int64 = 0
  /// `true` if a packet came that is presented, and not only packets needed for decoding.
  package private(set) var hasShown = false

  package init(_ track: TrackDescription, of source: FileSource? = nil, to output: TrackOutput) {
    self.track = track
    self.source = source
    self.output = output
    output.announce(track)
  }

  package func consume(_ packet: Packet) throws(MediaError) {
    var packet = packet
    if track.codec.hasPrefix("pcm_"), !packet.cutPCM(of: track) { return }
    if !begun {
      begun = true
      lead = max(0, -Double(packet.pts ?? 0) * track.timeBase.doubleValue)
      try output.begin(track)
    }
    if !packet.flags.contains(.discard), (packet.pts ?? 0) > -max(1, packet.duration) {
      hasShown = true
    }
    if let pts = packet.pts {
      let end = pts &+ packet.duration
      if packet.flags.contains(.discard) {
        hiddenEnd = max(hiddenEnd, end)
      } else {
        shownEnd = max(shownEnd, end)
      }
    }
    // Audio is never reordered; a file with two different times for an audio packet is wrong.
    if track.kind == .audio, packet.pts != nil { packet.dts = packet.pts }
    if track.codec == "mjpeg", track.disposition.contains(.attachedPicture) {
      try readCover(&packet)
    }
    try output.consume(packet)
  }

  private func readCover(_ packet: inout Packet) throws(MediaError) {
    if let source { packet = try source.bytes(of: packet) }
    guard let bytes = packet.buffer.map({ Array($0.readOnly) }) else { return }
    let file = PictureFile.withFindableEnd(bytes)
    if file.count != bytes.count { packet.payload = .bytes(MediaBuffer(file)) }
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try output.skip(to: nanoseconds) }

  package func finish() throws(MediaError) { try output.finish() }
}
