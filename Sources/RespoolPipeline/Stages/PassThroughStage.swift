package import RespoolMedia

/// Passes through the packets of a track that needs no re-encoding.
package final class PassThroughStage: Stage {
  private let output: TrackOutput
  private let track: TrackDescription
  /// Source of the bytes of covers whose packets are byte ranges.
  private let source: FileSource?
  /// `true` if an info frame at the start is replaced by silence, to which it is decoded.
  ///
  /// A file of MP3 has one of its own, and players skip only that.
  private let silencesInfoFrame: Bool
  /// Such a frame, until the next one has come.
  private var infoFrame: Packet?
  private var begun = false
  /// The gaps between packets of PCM that are filled with silence; `nil` if the container stores their times.
  package private(set) var gaps: PCMGaps?
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

  package init(
    _ track: TrackDescription, of source: FileSource? = nil, silencesInfoFrame: Bool = false,
    fillsGaps: Bool = false, to output: TrackOutput
  ) {
    (self.track, self.silencesInfoFrame) = (track, silencesInfoFrame && track.codec == "mp3")
    gaps = fillsGaps ? PCMGaps(track) : nil
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
      if silencesInfoFrame, MPEGAudioHeader.isInfoFrame(try bytes(of: packet)) {
        infoFrame = packet
        return
      }
    }
    if let infoFrame { try silence(infoFrame, like: packet) }
    if track.codec == "mp3" {
      guard let frames = packet.completingMP3() else { return }
      packet = frames
    }
    try pass(packet)
  }

  private func pass(_ next: Packet) throws(MediaError) {
    var packet = next
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
    try gaps?.fill(before: packet) { (silence) throws(MediaError) in try output.consume(silence) }
    if track.codec == "mjpeg", track.disposition.contains(.attachedPicture) {
      try readCover(&packet)
    }
    try output.consume(packet)
  }

  /// Writes silence in place of the info frame.
  ///
  /// It has the flags of the next frame: demuxers skip a frame with others than the next one has.
  private func silence(_ frame: Packet, like next: Packet) throws(MediaError) {
    infoFrame = nil
    var frame = frame
    frame.payload = .bytes(MediaBuffer(MPEGAudioHeader.silence(like: try bytes(of: next))))
    try pass(frame)
  }

  private func bytes(of packet: Packet) throws(MediaError) -> [UInt8] {
    try packet.firstBytes(packet.size, of: source)
  }

  private func readCover(_ packet: inout Packet) throws(MediaError) {
    if let source { packet = try source.bytes(of: packet) }
    guard let bytes = packet.buffer.map({ Array($0.readOnly) }) else { return }
    let file = PictureFile.withFindableEnd(bytes)
    if file.count != bytes.count { packet.payload = .bytes(MediaBuffer(file)) }
  }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try output.skip(to: nanoseconds) }

  package func finish() throws(MediaError) {
    if let infoFrame { try silence(infoFrame, like: infoFrame) }
    try output.finish()
  }
}
