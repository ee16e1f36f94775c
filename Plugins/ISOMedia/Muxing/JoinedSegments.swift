import RespoolPlugin

/// Clips that are joined in one track, each presented by an edit of its own (ISO/IEC 14496-12 8.6.6).
///
/// Packets of a clip have the times at which they are shown. Media that a clip needs only for decoding lies
/// before that, at times at which other clips are shown. In the media, each clip is stored after the one
/// before.
struct JoinedSegments {
  private struct Piece {
    /// Offset added to the times of its packets.
    var shift: Int64
    /// Media times at which its first frame or audio begins and its last one ends.
    var begin = Int64.max
    var end = Int64.min
    /// Presentation time at which the clip ends.
    var shownEnd: Int64
  }

  /// Presentation time range of each clip.
  private let edits: [Range<Int64>]
  private var pieces: [Piece] = []

  /// Creates the list.
  ///
  /// `edits` are in units of `base`; all later times are in units of `media`.
  init(_ edits: [TrackDescription.Edit], in base: Rational, media: Rational) {
    self.edits = edits.map { edit in
      let start = base.convert(edit.presentationStart, to: media)
      let end = base.convert(edit.presentationStart.addingClamped(edit.duration), to: media)
      return start..<max(start, end)
    }
  }

  var isEmpty: Bool { pieces.isEmpty }

  /// Begins a clip with its first packet.
  ///
  /// The media before it ends at `end`.
  ///
  /// No packet is shown before it is decoded, so all media of the clip is placed after the media before it.
  /// If the clip before has less media than its edit shows, or this one starts late, the last frame is
  /// extended, and audio is silent. FFmpeg would take an empty edit in the middle of a track for the
  /// start of the media.
  ///
  /// `holds` is `true` if a sample may last longer than its media, which PCM cannot. `isAudio` is `true` if
  /// the extension is silence, which also covers gaps between the edits.
  mutating func start(_ packet: Packet, after end: Int64, holds: Bool, isAudio: Bool) {
    let time = packet.dts ?? packet.pts ?? 0
    let number = pieces.count
    var end = end
    let edit = edits.indices.contains(number) ? edits[number] : 0..<0
    if holds, let last = pieces.indices.last, pieces[last].begin < pieces[last].end,
      edits.indices.contains(number)
    {
      let isNext = isAudio || edits[last].upperBound == edit.lowerBound
      let until = isNext ? max(edit.lowerBound, packet.pts ?? time) : edits[last].upperBound
      let bridged = until.addingClamped(pieces[last].shift)
      if bridged > pieces[last].end || until > pieces[last].shownEnd {
        pieces[last].end = max(pieces[last].end, bridged)
        pieces[last].shownEnd = until
        end = max(end, pieces[last].end)
      }
    }
    pieces.append(Piece(shift: end.subtractingClamped(time), shownEnd: edit.upperBound))
  }

  /// Returns the packet with media times.
  ///
  /// Returns it unchanged if no clips are joined.
  func placed(_ packet: Packet) -> Packet {
    guard let shift = pieces.last?.shift else { return packet }
    var packet = packet
    packet.pts = packet.pts.map { $0.addingClamped(shift) }
    packet.dts = packet.dts.map { $0.addingClamped(shift) }
    return packet
  }

  /// Adds the media from `start` to `end`, in media times, to the last clip.
  mutating func note(from start: Int64, to end: Int64) {
    guard let last = pieces.indices.last else { return }
    pieces[last].begin = min(pieces[last].begin, start)
    pieces[last].end = max(pieces[last].end, end)
  }

  /// Returns the edit list: for each clip the part of its edit that has media, and empty edits for the rest.
  ///
  /// `origin` is the presentation time of media time 0. `scaled` converts a time of the track to units of the
  /// movie, rounding down: an edit that is slightly too long would show the first frame of the next clip
  /// twice. Consecutive clips that are contiguous in the media share one edit.
  func entries(origin: Int64, scaled: (Int64) -> Int64) -> [EditListBox.Entry] {
    var entries: [EditListBox.Entry] = []
    var position: Int64 = 0
    /// Start and end of the last edit on the movie's time line, and the offset to its media.
    var last: (begin: Int64, end: Int64, shift: Int64)?
    for (edit, piece) in zip(edits, pieces) where piece.begin < piece.end {
      let start = max(edit.lowerBound, piece.begin.subtractingClamped(piece.shift))
      let end = min(piece.shownEnd, piece.end.subtractingClamped(piece.shift))
      // Converts end times instead of durations, so that durations add up to the time line.
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
