import RespoolPlugin

/// The mapping of the media to the movie's time line.
extension TrackWriter {
  /// Presentation time of the first shown sample.
  ///
  /// At least 0.
  var start: Int64 { max(0, lowestShown ?? 0) }

  /// Presentation time of media time 0.
  ///
  /// It is low enough that no sample is shown before it is decoded, because some readers mishandle negative
  /// offsets.
  var origin: Int64 {
    if audioFrameSize > 0 { return min(firstTime, start) }
    let lowest = offsets.runs.lazy.map { Int64($0.offset) }.min() ?? 0
    return min(firstTime + min(0, lowest), start)
  }

  /// Offsets from decoding to composition time, relative to the media's origin.
  ///
  /// `nil` if all are 0.
  var compositionOffsets: CompositionOffsetBox? {
    let late = Int32(clamping: firstTime - origin)
    var box = offsets
    for index in box.runs.indices {
      box.runs[index].offset = box.runs[index].offset.addingReportingOverflow(late).partialValue
    }
    return box.runs.contains { $0.offset != 0 } ? box : nil
  }

  /// Returns the edit list.
  ///
  /// Empty if the media is shown unchanged.
  ///
  /// Durations are in units of `movieScale`.
  func edits(movieScale: Int64) -> [EditListBox.Entry] {
    guard !isEmpty else { return [] }
    if !joined.isEmpty {
      return joined.entries(origin: origin) { scaledDown($0, movieScale) }
    }
    if let end, end <= start {
      // The whole track lies after the end of the movie.
      return [.init(duration: UInt64(max(1, scaled(end, movieScale))), mediaTime: -1)]
    }
    let begin = start
    let shown = max(0, min(shownEnd, end ?? .max) - begin)
    let mediaStart = begin - origin
    if begin == 0, mediaStart == 0, shown >= mediaDuration, rate == EditPace.normal { return [] }
    var entries: [EditListBox.Entry] = []
    if begin > 0 {
      let empty = scaled(begin, movieScale)
      if empty > 0 { entries.append(.init(duration: UInt64(empty), mediaTime: -1)) }
    }
    entries.append(
      .init(
        duration: UInt64(scaled(shown, movieScale)), mediaTime: mediaStart, rate: storedRate))
    return entries
  }

  /// The rate as an edit list stores it.
  var storedRate: Int32 { Int32(clamping: Int64((rate.doubleValue * 65536).rounded())) }

  /// Returns the presentation duration, including empty edits, in units of `movieScale`.
  func movieDuration(_ movieScale: Int64) -> Int64 {
    guard !isEmpty else { return 0 }
    let edits = edits(movieScale: movieScale)
    guard !edits.isEmpty else { return scaled(mediaDuration, movieScale) }
    return Int64(clamping: edits.reduce(UInt64(0)) { $0 + $1.duration })
  }

  /// Returns a time in units of the movie, rounded down so that no edit shows media after its end.
  func scaledDown(_ value: Int64, _ movieScale: Int64) -> Int64 {
    let (units, divisor) = scaledUnits(value, movieScale)
    return Int64(clamping: units / divisor)
  }

  /// Returns a time in units of the movie, rounded up so that no edit ends before its last sample.
  func scaled(_ value: Int64, _ movieScale: Int64) -> Int64 {
    let (units, divisor) = scaledUnits(value, movieScale)
    return Int64(clamping: (units + divisor - 1) / divisor)
  }

  private func scaledUnits(_ value: Int64, _ movieScale: Int64) -> (Int128, divisor: Int128) {
    (
      Int128(value) * Int128(movieScale) * Int128(rate.denominator),
      Int128(timeScale) * Int128(rate.numerator)
    )
  }
}
