import RespoolPlugin

/// Where the media lies on the time line of the movie.
extension TrackWriter {
  /// Presentation time of the first shown sample: never before the start of the movie.
  var start: Int64 { max(0, lowestShown ?? 0) }

  /// Presentation time that is media time 0: low enough for no sample to be shown before it is
  /// decoded, which readers of negative offsets get wrong.
  var origin: Int64 {
    if soundFrameSize > 0 { return min(firstTime, start) }
    let lowest = offsets.runs.lazy.map { Int64($0.offset) }.min() ?? 0
    return min(firstTime + min(0, lowest), start)
  }

  /// Offsets from decoding to composition time, in the media's own time line; nil: all are 0.
  var compositionOffsets: CompositionOffsetBox? {
    let late = Int32(clamping: firstTime - origin)
    var box = offsets
    for index in box.runs.indices {
      box.runs[index].offset = box.runs[index].offset.addingReportingOverflow(late).partialValue
    }
    return box.runs.contains { $0.offset != 0 } ? box : nil
  }

  /// The edit list, empty where the media is shown as it is.
  ///
  /// Durations are in units of `movieScale`.
  func edits(movieScale: Int64) -> [EditListBox.Entry] {
    guard !isEmpty else { return [] }
    if !joined.isEmpty {
      return joined.entries(origin: origin) { scaledDown($0, movieScale) }
    }
    if let end, end <= start {
      // All of it lies behind the end of the movie.
      return [.init(duration: UInt64(max(1, scaled(end, movieScale))), mediaTime: -1)]
    }
    let begin = start
    let shown = max(0, min(shownEnd, end ?? .max) - begin)
    let mediaStart = begin - origin
    if begin == 0, mediaStart == 0, shown >= mediaDuration { return [] }
    var entries: [EditListBox.Entry] = []
    if begin > 0 {
      let empty = scaled(begin, movieScale)
      if empty > 0 { entries.append(.init(duration: UInt64(empty), mediaTime: -1)) }
    }
    entries.append(.init(duration: UInt64(scaled(shown, movieScale)), mediaTime: mediaStart))
    return entries
  }

  /// What is shown, with what empty edits leave free, in units of `movieScale`.
  func movieDuration(_ movieScale: Int64) -> Int64 {
    guard !isEmpty else { return 0 }
    let edits = edits(movieScale: movieScale)
    guard !edits.isEmpty else { return scaled(mediaDuration, movieScale) }
    return Int64(clamping: edits.reduce(UInt64(0)) { $0 + $1.duration })
  }

  /// Rounded down, so that no edit shows what follows in the media.
  private func scaledDown(_ value: Int64, _ movieScale: Int64) -> Int64 {
    Int64(clamping: Int128(value) * Int128(movieScale) / Int128(timeScale))
  }

  /// Rounded up, so that no edit ends before its last sample.
  func scaled(_ value: Int64, _ movieScale: Int64) -> Int64 {
    Int64(
      clamping: (Int128(value) * Int128(movieScale) + Int128(timeScale) - 1) / Int128(timeScale))
  }
}
