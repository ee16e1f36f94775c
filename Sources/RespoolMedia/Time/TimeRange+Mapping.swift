extension MediaTime {
  /// Returns the time in `range` that differs from this one by a multiple of the range's duration.
  ///
  /// Invalid if the range is empty, if the time or the range is not numeric, or if their epochs differ.
  public func folded(into range: TimeRange) -> MediaTime {
    guard range.isMappable, isComputable, epoch == range.start.epoch else { return .invalid }
    let duration = ExactRatio(range.duration)
    guard let offset = ExactRatio(self).adding(ExactRatio(range.start).negated),
      let cycles = offset.multiplied(by: duration.inverse)
    else { return .invalid }
    let (quotient, rest) = cycles.numerator.quotientAndRemainder(dividingBy: cycles.denominator)
    let wholeCycles = rest < 0 ? quotient - 1 : quotient
    guard let shift = duration.multiplied(by: ExactRatio(-wholeCycles, 1)),
      let folded = ExactRatio(self).adding(shift)
    else { return .invalid }
    return Self.result(folded, [self, range.start, range.duration], epoch: epoch)
  }

  /// Returns the nearest time from the start to the end of `range`.
  ///
  /// The range may be infinite. Invalid if the time or the range is invalid or indefinite, if the range is empty, or
  /// if the epochs differ.
  public func clamped(to range: TimeRange) -> MediaTime {
    guard range.isValid, !range.isEmpty, !range.isIndefinite, isValid, !isIndefinite else {
      return .invalid
    }
    guard !isNumeric || !range.start.isNumeric || epoch == range.start.epoch else {
      return .invalid
    }
    return self < range.start ? range.start : min(self, range.end)
  }

  /// Returns this time mapped linearly from `source` to `target`; it may be outside `source`.
  ///
  /// The result is exact if a 32-bit timescale can represent it. Invalid if the source is empty or not numeric, if
  /// the target is not numeric, or if the epoch is not that of the source.
  public func mapped(from source: TimeRange, to target: TimeRange) -> MediaTime {
    guard source.isMappable, target.isValid, target.start.isComputable,
      target.duration.isComputable
    else { return .invalid }
    if isPositiveInfinity || isNegativeInfinity { return self }
    guard isComputable, epoch == source.start.epoch else { return .invalid }
    guard let offset = ExactRatio(self).adding(ExactRatio(source.start).negated),
      let mapped = offset.scaled(from: source.duration, to: target.duration),
      let time = mapped.adding(ExactRatio(target.start))
    else { return .invalid }
    return Self.result(
      time, [self, target.start, target.duration], epoch: target.start.epoch)
  }

  /// Returns the duration scaled by the ratio of `target`'s duration to `source`'s.
  ///
  /// Invalid if the source is empty or not numeric, if the target's duration is not numeric, or if this is not a
  /// numeric duration of epoch 0.
  public func durationMapped(from source: TimeRange, to target: TimeRange) -> MediaTime {
    guard source.isMappable, target.isValid, target.duration.isComputable, isComputable,
      epoch == 0,
      let mapped = ExactRatio(self).scaled(from: source.duration, to: target.duration)
    else { return .invalid }
    return Self.result(mapped, [self, target.duration], epoch: 0)
  }

  /// Returns a number of seconds as a time, with the flags of the `operands` that it was computed from.
  ///
  /// The timescale is the least common multiple of theirs, or a greater one if only that is exact.
  private static func result(
    _ ratio: ExactRatio, _ operands: [MediaTime], epoch: Int64
  ) -> MediaTime {
    let common = operands.reduce(Int32(1)) { commonTimescale($0, $1.timescale) }
    let exact = commonTimescale(common, Int32(clamping: ratio.denominator))
    let isExact = Int128(exact) % ratio.denominator == 0
    let flags = operands.reduce(Flags.valid) { $0.union($1.flags) }
    return fitting(ratio, timescale: isExact ? exact : common, flags: flags, epoch: epoch)
  }
}

extension ExactRatio {
  /// Returns the product with the ratio of two durations; `nil` if it does not fit into 128 bits.
  fileprivate func scaled(from duration: MediaTime, to target: MediaTime) -> ExactRatio? {
    ExactRatio(target).multiplied(by: ExactRatio(duration).inverse).flatMap { multiplied(by: $0) }
  }
}

extension TimeRange {
  /// `true` if the range is numeric and not empty, so that its duration can be a divisor.
  fileprivate var isMappable: Bool {
    isValid && start.isComputable && duration.isComputable && duration > .zero
  }
}
