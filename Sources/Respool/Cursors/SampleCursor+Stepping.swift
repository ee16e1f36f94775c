import RespoolMedia

extension SampleCursor {
  /// Moves by a number of samples in the order of decoding, back for a negative one.
  ///
  /// Stops at the first and the last sample. The number of samples by which it has moved.
  @discardableResult public func stepInDecodeOrder(byCount stepCount: Int64) -> Int64 {
    position.withLock { position in
      let reached = clamp(position, plus: stepCount)
      defer { position = reached }
      return Int64(reached - position)
    }
  }

  /// Moves by a number of samples in the order in which they are shown, back for a negative one.
  ///
  /// Stops at the first and the last sample. The number of samples by which it has moved.
  @discardableResult public func stepInPresentationOrder(byCount stepCount: Int64) -> Int64 {
    position.withLock { position in
      let rank = index.rank(of: position)
      let reached = clamp(rank, plus: stepCount)
      position = index.sample(shownAt: reached)
      return Int64(reached - rank)
    }
  }

  /// Moves by a time on the time line of decoding: to the last sample that is decoded until then.
  ///
  /// By how much it has moved, and whether an end of the track kept it from going there. A time without a
  /// number moves it nowhere, an infinite one to the end.
  @discardableResult public func step(byDecodeTime delta: MediaTime)
    -> (moved: MediaTime, wasPinned: Bool)
  {
    step(by: delta, \.decode) { index.sample(decodedAtOrBefore: $0) }
  }

  /// Moves by a time on the time line on which samples are shown: to the last that is shown until then.
  ///
  /// The result is that of `step(byDecodeTime:)`.
  @discardableResult public func step(byPresentationTime delta: MediaTime)
    -> (moved: MediaTime, wasPinned: Bool)
  {
    step(by: delta, \.presentation) { index.sample(shownAtOrBefore: $0) }
  }

  /// Negative where this cursor's sample is decoded earlier than the other's, positive where later, else 0.
  ///
  /// Both have to be of one track.
  public func comparePositionInDecodeOrder(withPositionOf cursor: SampleCursor) -> Int {
    (position.withLock { $0 } - cursor.position.withLock { $0 }).signum()
  }

  /// Whether a sample that is decoded before this one may be shown after the other cursor's.
  public func maySamplesWithEarlierDecodeTimeStampsHavePresentationTimeStamps(
    laterThan cursor: SampleCursor
  ) -> Bool {
    let (end, time) = (position.withLock { $0 }, cursor.sample.presentation)
    return index.entries[..<end].contains { $0.presentation > time }
  }

  /// Whether a sample that is decoded after this one may be shown before the other cursor's.
  public func maySamplesWithLaterDecodeTimeStampsHavePresentationTimeStamps(
    earlierThan cursor: SampleCursor
  ) -> Bool {
    let (start, time) = (position.withLock { $0 } + 1, cursor.sample.presentation)
    return index.entries[start...].contains { $0.presentation < time }
  }

  private func clamp(_ place: Int, plus count: Int64) -> Int {
    let last = index.entries.count - 1
    let (sum, overflow) = place.addingReportingOverflow(Int(clamping: count))
    return overflow ? (count > 0 ? last : 0) : max(0, min(last, sum))
  }

  private func step(
    by delta: MediaTime, _ path: KeyPath<SampleIndex.Entry, Int64>, to find: (Int64) -> Int
  ) -> (moved: MediaTime, wasPinned: Bool) {
    position.withLock { position in
      let (from, base) = (index.entries[position][keyPath: path], track.description.timeBase)
      let wanted: Int64
      if delta == .positiveInfinity {
        wanted = .max
      } else if delta == .negativeInfinity {
        wanted = .min
      } else if let ticks = (time(from) + delta).ticks(base, rounding: .down) {
        wanted = ticks
      } else {
        return (.zero, false)
      }
      let first = index.entries[find(.min)][keyPath: path]
      let last = index.entries[find(.max)]
      // The last sample lasts a while; where that is not known, it is a moment.
      let (end, overflow) = last[keyPath: path].addingReportingOverflow(max(1, last.duration))
      let wasPinned = wanted < first || (!overflow && wanted >= end)
      position = find(wanted)
      return (time(index.entries[position][keyPath: path]) - time(from), wasPinned)
    }
  }
}
