/// What is known of the samples of one channel in one bin.
struct BinStatistics: Hashable {
  var minimum: Float = .infinity
  var maximum: Float = -.infinity
  /// The sum of the squares.
  ///
  /// Squares of 16-bit samples are multiples of 2 to the power of -30 (-32 where two channels are mixed),
  /// so that the sum of some millions of them is exact.
  var power: Double = 0

  /// Adds the samples of another bin.
  @inline(__always)
  mutating func merge(_ other: BinStatistics) {
    minimum = min(minimum, other.minimum)
    maximum = max(maximum, other.maximum)
    power += other.power
  }
}
