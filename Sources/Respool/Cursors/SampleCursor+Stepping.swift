import RespoolMedia

extension SampleCursor {
  /// Moves by a number of samples in decoding order; backward if negative.
  ///
  /// Stops at the first and the last sample. Returns the number of samples moved.
  @discardableResult public func stepInDecodeOrder(byCount stepCount: Int64) -> Int64 {
    position.withLock { position in
      let reached = clamp(position, plus: stepCount)
      defer { position = reached }
      return Int64(reached - position)
    }
  }

  /// Moves by a number of samples in presentation order; backward if negative.
  ///
  /// Stops at the first and the last sample. Returns the number of samples moved.
  @discardableResult public func stepInPresentationOrder(byCount stepCount: Int64) -> Int64 {
    position.withLock { position in
      let rank = index.rank(of: position)
      let reached = clamp(rank, plus: stepCount)
      position = index.sample(shownAt: reached)
      return Int64(reached - rank)
    }
  }

  /// Moves by a decoding time, to the last sample decoded at or before the new time.
  ///
  /// Returns the time moved, and `true` if an end of the track limited the move. An invalid or indefinite time does
  /// not move the cursor; an infinite one moves it to the end.
  @discardableResult public func step(byDecodeTime delta: MediaTime)
    -> (moved: MediaTime, wasPinned: Bool)
  {
    step(by: delta, \.decode) { index.sample(decodedAtOrBefore: $0) }
  }

  /// Moves by a presentation time, to the last sample presented at or before the new time.
  ///
  /// Returns the same as `step(byDecodeTime:)`.
  @discardableResult public func step(byPresentationTime delta: MediaTime)
    -> (moved: MediaTime, wasPinned: Bool)
  {
    step(by: delta, \.presentation) { index.sample(shownAtOrBefore: $0) }
  }

  /// Returns -1 if this cursor's sample is decoded before the other's, 1 if after, else 0.
  ///
  /// Both cursors must be of one track.
  public func comparePositionInDecodeOrder(withPositionOf cursor: SampleCursor) -> Int {
    (position.withLock { $0 } - cursor.position.withLock { $0 }).signum()
  }

  /// Returns `true` if a sample decoded before this one is presented after the other cursor's sample.
  public func maySamplesWithEarlierDecodeTimeStampsHavePresentationTimeStamps(
    laterThan cursor: SampleCursor
  ) -> Bool {
    let (end, time) = (position.withLock { $0 }, cursor.sample.presentation)
    return index.entries[..<end].contains { $0.presentation > time }
  }

  /// Returns `true` if a sample decoded after this one is presented before the other cursor's sample.
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
      // The end includes the last sample's duration; if that is unknown, one unit of the time base.
      let (end, overflow) = last[keyPath: path].addingReportingOverflow(max(1, last.duration))
      let wasPinned = wanted < first || (!overflow && wanted >= end)
      position = find(wanted)
      return (time(index.entries[position][keyPath: path]) - time(from), wasPinned)
    }
  }
}
