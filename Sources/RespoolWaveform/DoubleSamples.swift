/// Audio samples of any format, converted to numbers of which 1 is full scale, one channel after the other.
///
/// Floating-point audio may exceed full scale.
struct DoubleSamples: ReducibleSamples {
  let base: UnsafePointer<Double>
  let channels: Int
  /// Distance from one channel to the next, in values.
  let stride: Int

  func accumulate(_ first: Int, _ count: Int, into bins: UnsafeMutablePointer<BinStatistics>) {
    for channel in 0..<channels {
      accumulate(base + channel * stride + first, count, &bins[channel])
    }
  }

  private func accumulate(
    _ values: UnsafePointer<Double>, _ count: Int, _ bin: inout BinStatistics
  ) {
    var least = SIMD4<Double>(repeating: .infinity)
    var most = SIMD4<Double>(repeating: -.infinity)
    var squares = SIMD4<Double>.zero
    let whole = count & ~3
    for index in Swift.stride(from: 0, to: whole, by: 4) {
      let four = UnsafeRawPointer(values + index).loadUnaligned(as: SIMD4<Double>.self)
      least.replace(with: four, where: four .< least)
      most.replace(with: four, where: four .> most)
      squares += four * four
    }
    var (minimum, maximum, sumOfSquares) = (least.min(), most.max(), squares.sum())
    for index in whole..<count {
      let value = values[index]
      minimum = min(minimum, value)
      maximum = max(maximum, value)
      sumOfSquares += value * value
    }
    bin.merge(
      BinStatistics(
        minimum: Float(minimum), maximum: Float(maximum), sumOfSquares: sumOfSquares))
  }
}
