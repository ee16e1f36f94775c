import RespoolPlugin

/// Pieces of media that follow each other in a track, each shown by an edit of its own (ISO/IEC 14496-12
/// 8.6.6).
///
/// Packets of a piece come with the times at which they are shown; what a piece needs to be decoded and does
/// not show lies before that, where other pieces are shown. In the media every piece stands behind the one
/// before it.
struct JoinedPieces {
  private struct Piece {
    /// What is added to the times of its packets.
    var shift: Int64
    /// Media times of the first picture or sound and of the end of the last.
    var begin = Int64.max
    var end = Int64.min
    /// When it stops being shown.
    var shownEnd: Int64
  }

  /// When each piece is shown.
  private let edits: [Range<Int64>]
  private var pieces: [Piece] = []

  /// `edits` are in units of `base`; from here on all times are in those of `media`.
  init(_ edits: [TrackDescription.Edit], in base: Rational, media: Rational) {
    self.edits = edits.map { edit in
      let start = base.convert(edit.presentationStart, to: media)
      let end = base.convert(edit.presentationStart.addingClamped(edit.duration), to: media)
      return start..<max(start, end)
    }
  }

  var isEmpty: Bool { pieces.isEmpty }

  /// Begins a piece with its first packet; the media before it ends at `end`.
  ///
  /// No packet is shown before it is decoded, so that all of the piece is shown behind what is before it. Where
  /// the piece before has less media than its edit shows, or this one sets in late, the last picture stays, and
  /// so does silence: FFmpeg takes an empty edit in the middle of a track for the start of the media. `holds`
  /// says whether a sample may last longer than its media, which PCM cannot, and `isSound` whether that is
  /// silence, which also bridges what the edits leave free.
  mutating func start(_ packet: Packet, behind end: Int64, holds: Bool, isSound: Bool) {
    let time = packet.dts ?? packet.pts ?? 0
    let number = pieces.count
    var end = end
    let wanted = edits.indices.contains(number) ? edits[number] : 0..<0
    if holds, let last = pieces.indices.last, pieces[last].begin < pieces[last].end,
      edits.indices.contains(number)
    {
      let isNext = isSound || edits[last].upperBound == wanted.lowerBound
      let until = isNext ? max(wanted.lowerBound, packet.pts ?? time) : edits[last].upperBound
      let bridged = until.addingClamped(pieces[last].shift)
      if bridged > pieces[last].end || until > pieces[last].shownEnd {
        pieces[last].end = max(pieces[last].end, bridged)
        pieces[last].shownEnd = until
        end = max(end, pieces[last].end)
      }
    }
    pieces.append(Piece(shift: end.subtractingClamped(time), shownEnd: wanted.upperBound))
  }

  /// The packet, with its times in the media; as it is where nothing is joined.
  func placed(_ packet: Packet) -> Packet {
    guard let shift = pieces.last?.shift else { return packet }
    var packet = packet
    packet.pts = packet.pts.map { $0.addingClamped(shift) }
    packet.dts = packet.dts.map { $0.addingClamped(shift) }
    return packet
  }

  /// Media from `start` to `end`, in times of the media, belongs to the last piece.
  mutating func note(from start: Int64, to end: Int64) {
    guard let last = pieces.indices.last else { return }
    pieces[last].begin = min(pieces[last].begin, start)
    pieces[last].end = max(pieces[last].end, end)
  }

  /// The edit list: of each piece what its edit shows and the media has; where there is nothing, empty
  /// edits.
  ///
  /// `origin` is the presentation time that is media time 0. `scaled` brings a time of the track into units of the
  /// movie, rounding down: an edit that is too long by a little would show the first picture of the next piece
  /// twice. Pieces that follow each other in the media as they are shown have one edit.
  func entries(origin: Int64, scaled: (Int64) -> Int64) -> [EditListBox.Entry] {
    var entries: [EditListBox.Entry] = []
    var position: Int64 = 0
    /// Where the last edit begins on the movie's time line, and where it ends and what its media is ahead.
    var last: (begin: Int64, end: Int64, shift: Int64)?
    for (edit, piece) in zip(edits, pieces) where piece.begin < piece.end {
      let start = max(edit.lowerBound, piece.begin.subtractingClamped(piece.shift))
      let end = min(piece.shownEnd, piece.end.subtractingClamped(piece.shift))
      // As ends, so that durations add up to the time line.
      let (begin, shownEnd) = (max(position, scaled(start)), scaled(end))
      guard start < end, begin < shownEnd else { continue }
      if let begun = last, begun.end == start, begun.shift == piece.shift, begin == position {
        entries[entries.count - 1].duration = UInt64(shownEnd - begun.begin)
        (position, last) = (shownEnd, (begun.begin, end, begun.shift))
        continue
      }
      last = (begin, end, piece.shift)
      if begin > position {
        entries.append(.init(duration: UInt64(begin - position), mediaTime: -1))
      }
      entries.append(
        .init(
          duration: UInt64(shownEnd - begin),
          mediaTime: start.addingClamped(piece.shift).subtractingClamped(origin)))
      position = shownEnd
    }
    return entries
  }
}
