import RespoolMedia

extension ClipSequence {
  /// Puts the clips' texts one behind the other; while a clip fades into the next it is the next one's.
  static func layTexts(
    _ pieces: [Piece], into composition: MutableComposition, _ crossfade: MediaTime
  ) throws(MediaError) {
    guard pieces.contains(where: { $0.text != nil }),
      let lane = composition.addMutableTrack(withMediaType: .subtitle)
    else { return }
    for (index, piece) in pieces.enumerated() {
      guard let text = piece.text else { continue }
      let isLast = index == pieces.count - 1
      let range = TimeRange(
        start: piece.source.start, end: isLast ? piece.source.end : piece.source.end - crossfade)
      try lane.insertTimeRange(range, of: text, at: piece.range.start)
    }
  }

  /// Gives the composition the first clip's tags and the chapters of all.
  static func describe(_ composition: MutableComposition, _ pieces: [Piece]) {
    guard let first = pieces.first?.media else { return }
    let chapters = pieces.flatMap { piece in
      let (start, end) = (nanoseconds(piece.source.start), nanoseconds(piece.source.end))
      let shift = nanoseconds(piece.range.start) &- start
      return piece.media.chapters.compactMap { chapter -> MediaDescription.Chapter? in
        guard chapter.start < end, chapter.start >= start || chapter.end > start else { return nil }
        var moved = chapter
        moved.start = max(chapter.start, start) &+ shift
        moved.end = max(moved.start, min(chapter.end, end) &+ shift)
        return moved
      }
    }
    composition.state.withLock { state in
      state.metadata = first.metadata
      state.nativeTags = first.nativeTags.filter { $0.track == nil }
      state.chapters = chapters.enumerated().map { number, chapter in
        var chapter = chapter
        chapter.id = Int64(number)
        return chapter
      }
    }
  }

  private static func nanoseconds(_ time: MediaTime) -> Int64 {
    time.convertScale(1_000_000_000, method: .default).value
  }
}
