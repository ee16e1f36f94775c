extension MediaTime {
  /// The time in `range` that is whole durations away from this one.
  ///
  /// Invalid where the range is empty or not numeric, or the epochs differ.
  public func folded(into range: TimeRange) -> MediaTime {
    guard range.isMappable, isComputable, epoch == range.start.epoch else { return .invalid }
    let duration = ExactRatio(range.duration)
    guard let offset = ExactRatio(self).adding(ExactRatio(range.start).negated),
      let turns = offset.multiplied(by: duration.inverse)
    else { return .invalid }
    var (whole, rest) = turns.numerator.quotientAndRemainder(dividingBy: turns.denominator)
    if rest < 0 { whole -= 1 }
    rest = -whole
    guard let back = duration.multiplied(by: ExactRatio(rest, 1)),
      let folded = ExactRatio(self).adding(back)
    else { return .invalid }
    return Self.result(folded, [self, range.start, range.duration], epoch: epoch)
  }

  /// The nearest time that is not outside `range`: itself, the start or the end.
  ///
  /// The range may have no end. Invalid where it is invalid, empty or indefinite, or the epochs differ.
  public func clamped(to range: TimeRange) -> MediaTime {
    guard range.isValid, !range.isEmpty, !range.isIndefinite, isValid, !isIndefinite else {
      return .invalid
    }
    guard !isNumeric || !range.start.isNumeric || epoch == range.start.epoch else {
      return .invalid
    }
    return self < range.start ? range.start : min(self, range.end)
  }

  /// The time that lies in `target` as this one lies in `source`, also outside of both.
  ///
  /// Exact where a timescale within 32 bits can hold it. Invalid where the source is empty or not
  /// numeric, the target not numeric, or the epoch is not that of the source.
  public func mapped(from source: TimeRange, to target: TimeRange) -> MediaTime {
    guard source.isMappable, target.isValid, target.start.isComputable,
      target.duration.isComputable
    else { return .invalid }
    if isPositiveInfinity || isNegativeInfinity { return self }
    guard isComputable, epoch == source.start.epoch else { return .invalid }
    guard let offset = ExactRatio(self).adding(ExactRatio(source.start).negated),
      let mapped = Self.scale(offset, source.duration, target.duration),
      let time = mapped.adding(ExactRatio(target.start))
    else { return .invalid }
    return Self.result(
      time, [self, target.start, target.duration], epoch: target.start.epoch)
  }

  /// The duration that is to `target`'s as this one to `source`'s.
  ///
  /// Invalid where the source is empty or not numeric, or this is not a numeric duration of epoch 0.
  public func durationMapped(from source: TimeRange, to target: TimeRange) -> MediaTime {
    guard source.isMappable, target.isValid, target.duration.isComputable, isComputable,
      epoch == 0, let mapped = Self.scale(ExactRatio(self), source.duration, target.duration)
    else { return .invalid }
    return Self.result(mapped, [self, target.duration], epoch: 0)
  }

  private static func scale(_ ratio: ExactRatio, _ from: MediaTime, _ to: MediaTime) -> ExactRatio?
  {
    guard let factor = ExactRatio(to).multiplied(by: ExactRatio(from).inverse) else { return nil }
    return ratio.multiplied(by: factor)
  }

  /// `ratio` in the common timescale of `times`, or in a greater one where it is exact only there.
  private static func result(_ ratio: ExactRatio, _ times: [MediaTime], epoch: Int64) -> MediaTime {
    let common = times.reduce(Int32(1)) { commonTimescale($0, $1.timescale) }
    let exact = commonTimescale(common, Int32(clamping: ratio.denominator))
    let isExact = Int128(exact) % ratio.denominator == 0
    let flags = times.reduce(Flags.valid) { $0.union($1.flags) }
    return fitting(ratio, timescale: isExact ? exact : common, flags: flags, epoch: epoch)
  }
}

extension TimeRange {
  /// Numeric and not empty, so that it can be divided by.
  fileprivate var isMappable: Bool {
    isValid && start.isComputable && duration.isComputable && duration > .zero
  }
}
