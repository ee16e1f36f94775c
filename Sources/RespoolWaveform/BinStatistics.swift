/// Statistics of one channel's audio samples in one bin.
struct BinStatistics: Hashable {
  var minimum: Float = .infinity
  var maximum: Float = -.infinity
  /// Sum of the squares of the audio samples.
  ///
  /// Squares of 16-bit audio samples are multiples of 2 to the power of -30, or -32 for a mix of two
  /// channels. The sum of some millions of them is therefore exact.
  var sumOfSquares: Double = 0

  /// Adds the samples of another bin.
  @inline(__always)
  mutating func merge(_ other: BinStatistics) {
    minimum = min(minimum, other.minimum)
    maximum = max(maximum, other.maximum)
    sumOfSquares += other.sumOfSquares
  }
}
