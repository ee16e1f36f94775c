extension MediaTime: Comparable, Hashable {
  /// Position in the order of kinds: -infinity, numbers, indefinite, +infinity, invalid.
  private var rank: Int {
    if !isValid { return 4 }
    if isPositiveInfinity { return 3 }
    if isIndefinite { return 2 }
    if isNegativeInfinity { return 0 }
    return timescale > 0 ? 1 : 4
  }

  /// Returns -1, 0 or 1 if `self` is before, equal to or after `other`.
  ///
  /// A numeric time of a greater epoch is after all times of a smaller one. The comparison is exact.
  public func compare(_ other: MediaTime) -> Int {
    if rank != other.rank { return rank < other.rank ? -1 : 1 }
    guard rank == 1 else { return 0 }
    if epoch != other.epoch { return epoch < other.epoch ? -1 : 1 }
    let (a, b) = (
      Int128(value) * Int128(other.timescale), Int128(other.value) * Int128(timescale)
    )
    return a == b ? 0 : a < b ? -1 : 1
  }

  public static func == (a: MediaTime, b: MediaTime) -> Bool { a.compare(b) == 0 }
  public static func < (a: MediaTime, b: MediaTime) -> Bool { a.compare(b) < 0 }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    guard rank == 1 else { return }
    let ratio = ExactRatio(Int128(value), Int128(timescale))
    hasher.combine(epoch)
    hasher.combine(ratio.numerator)
    hasher.combine(ratio.denominator)
  }
}
