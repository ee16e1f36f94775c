import RespoolPlugin

/// Fits the packets of a track that is made of several pieces to the times at which each piece is shown.
///
/// Matroska has no edit lists. What audio has outside of its piece, such as the samples that an encoder puts in front,
/// is hidden by DiscardPadding (RFC 9559 5.1.3.5.7), which is negative for the start of a block.
struct PieceCutter {
  /// When each piece is shown, in `timeBase`.
  private let pieces: [Range<Int64>]
  private var current = -1

  /// `track` has an edit for each of its pieces.
  init(_ track: TrackDescription, timeBase: Rational) {
    pieces = track.edits.map { edit in
      let start = track.timeBase.convert(edit.presentationStart, to: timeBase)
      let end = track.timeBase.convert(
        edit.presentationStart.addingClamped(edit.duration), to: timeBase)
      return start..<max(start, end)
    }
  }

  /// `true` once a second piece has begun.
  var isBehindFirst: Bool { current > 0 }

  /// Returns the packet with what is not shown of it to be trimmed; nil if nothing has to be written for it.
  ///
  /// In front of the first piece nothing is trimmed: CodecDelay hides it.
  mutating func fitted(_ packet: Packet, isAudio: Bool) -> Packet? {
    if packet.flags.contains(.startsPiece) {
      current += 1
      // A piece without media.
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
