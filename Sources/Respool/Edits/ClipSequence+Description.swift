import RespoolMedia

extension ClipSequence {
  /// Inserts the clips' texts or timed metadata one after another.
  ///
  /// During a crossfade, those of the next clip are used.
  static func writeLastingSamples(
    _ clips: [Clip], _ type: MediaType, into composition: MutableComposition,
    _ crossfade: MediaTime
  ) throws(MediaError) {
    let tracks = clips.map { type == .subtitle ? $0.text : $0.timedMetadata }
    guard tracks.contains(where: { $0 != nil }),
      let lane = composition.addMutableTrack(withMediaType: type)
    else { return }
    for (index, clip) in clips.enumerated() {
      guard let track = tracks[index] else { continue }
      let isLast = index == clips.count - 1
      let range = TimeRange(
        start: clip.source.start, end: isLast ? clip.source.end : clip.source.end - crossfade)
      try lane.insertTimeRange(range, of: track, at: clip.range.start)
    }
  }

  /// Gives the composition the tags of the first clip and the chapters of all clips.
  ///
  /// During a crossfade, the chapter of the next clip is used.
  static func describe(
    _ composition: MutableComposition, _ clips: [Clip], _ crossfade: MediaTime
  ) {
    guard let first = clips.first?.media else { return }
    let chapters = clips.enumerated().flatMap { index, clip in
      let start = nanoseconds(clip.source.start)
      let end = chapterEnd(of: clip, isLast: index == clips.count - 1, crossfade)
      let shift = nanoseconds(clip.range.start) &- start
      return clip.media.chapters.compactMap { chapter -> MediaDescription.Chapter? in
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
      state.hasChapterTrack = clips.contains { $0.media.sideData[.chapterTrack] != nil }
      state.chapters = chapters.enumerated().map { number, chapter in
        var chapter = chapter
        chapter.id = Int64(number)
        return chapter
      }
    }
  }

  /// Returns the end of the range of a clip's media whose chapters are used, in nanoseconds.
  private static func chapterEnd(of clip: Clip, isLast: Bool, _ crossfade: MediaTime) -> Int64 {
    nanoseconds(isLast ? clip.source.end : clip.source.end - crossfade)
  }

  /// Returns the titles of the chapters of a clip that begin in its last crossfade, which the output lacks.
  static func chaptersInCrossfade(of clip: Clip, isLast: Bool, _ crossfade: MediaTime) -> [String] {
    let start = chapterEnd(of: clip, isLast: isLast, crossfade)
    let end = nanoseconds(clip.source.end)
    return clip.media.chapters.filter { $0.start >= start && $0.start < end }.map(\.title)
  }

  private static func nanoseconds(_ time: MediaTime) -> Int64 {
    time.convertScale(1_000_000_000, method: .default).value
  }
}
