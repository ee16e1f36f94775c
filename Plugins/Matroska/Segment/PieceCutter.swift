import RespoolPlugin

/// Trimming of packets to the clips of a track that is joined from several.
///
/// Matroska has no edit lists. Audio outside of its clip, such as the encoder delay, is hidden by
/// DiscardPadding (RFC 9559 5.1.3.5.7), which is negative for the start of a block.
struct PieceCutter {
  /// Presentation time range of each clip, in `timeBase`.
  private let pieces: [Range<Int64>]
  private var current = -1

  /// Creates the cutter.
  ///
  /// `track` has an edit for each of its clips.
  init(_ track: TrackDescription, timeBase: Rational) {
    pieces = track.edits.map { edit in
      let start = track.timeBase.convert(edit.presentationStart, to: timeBase)
      let end = track.timeBase.convert(
        edit.presentationStart.addingClamped(edit.duration), to: timeBase)
      return start..<max(start, end)
    }
  }

  /// `true` after the start of the second clip.
  var isBehindFirst: Bool { current > 0 }

  /// Returns the packet with its trimming set.
  ///
  /// `nil` if it does not need to be written.
  ///
  /// The start of the first clip is not trimmed: CodecDelay hides it.
  mutating func fitted(_ packet: Packet, isAudio: Bool) -> Packet? {
    if packet.flags.contains(.startsPiece) {
      current += 1
      // An empty clip.
      if packet.size == 0 { return nil }
    }
    guard isAudio, pieces.indices.contains(current), let time = packet.pts, packet.duration > 0
    else { return packet }
    let piece = pieces[current]
    var packet = packet
    if current > 0 {
      packet.trimStart = min(max(0, piece.lowerBound.subtractingClamped(time)), packet.duration)
    }
    let surplus = time.addingClamped(packet.duration).subtractingClamped(piece.upperBound)
    if surplus >= packet.duration { return nil }
    packet.trimEnd = max(packet.trimEnd, surplus)
    return packet
  }
}
