/// One or two channels of 16-bit PCM, as in WAV files and on CDs, reduced in place as integers.
///
/// Audio samples have the byte order of the machine, which is little-endian. The loops are simple so that the compiler
/// vectorizes them.
struct Int16Samples: ReducibleSamples {
  enum Arrangement { case mono, stereo, mixedStereo }

  let base: UnsafeRawPointer
  let arrangement: Arrangement

  /// Full scale is 1.
  private static let scale = 0x1p-15

  func accumulate(_ first: Int, _ count: Int, into bins: UnsafeMutablePointer<BinStatistics>) {
    switch arrangement {
    case .mono: accumulateMono(base + first * 2, count, &bins[0])
    case .stereo: accumulateStereo(base + first * 4, count, &bins[0], &bins[1])
    case .mixedStereo: accumulateMixed(base + first * 4, count, &bins[0])
    }
  }

  private func accumulateMono(_ base: UnsafeRawPointer, _ count: Int, _ bin: inout BinStatistics) {
    var (least, most) = (Int16.max, Int16.min)
    var sumOfSquares: UInt64 = 0
    for index in 0..<count {
      let value = base.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
      least = value < least ? value : least
      most = value > most ? value : most
      let wide = Int32(value)
      sumOfSquares &+= UInt64(UInt32(bitPattern: wide &* wide))
    }
    bin.merge(Self.statistics(Int32(least), Int32(most), sumOfSquares, scale: Self.scale))
  }

  private func accumulateStereo(
    _ base: UnsafeRawPointer, _ count: Int, _ left: inout BinStatistics,
    _ right: inout BinStatistics
  ) {
    var (leastLeft, mostLeft, squaresLeft) = (Int32.max, Int32.min, UInt64(0))
    var (leastRight, mostRight, squaresRight) = (Int32.max, Int32.min, UInt64(0))
    for index in 0..<count {
      let (a, b) = Self.pair(base, index)
      leastLeft = a < leastLeft ? a : leastLeft
      mostLeft = a > mostLeft ? a : mostLeft
      leastRight = b < leastRight ? b : leastRight
      mostRight = b > mostRight ? b : mostRight
      squaresLeft &+= UInt64(UInt32(bitPattern: a &* a))
      squaresRight &+= UInt64(UInt32(bitPattern: b &* b))
    }
    left.merge(Self.statistics(leastLeft, mostLeft, squaresLeft, scale: Self.scale))
    right.merge(Self.statistics(leastRight, mostRight, squaresRight, scale: Self.scale))
  }

  /// Accumulates the mean of both channels: their sum, at half the scale.
  private func accumulateMixed(_ base: UnsafeRawPointer, _ count: Int, _ bin: inout BinStatistics) {
    var (least, most) = (Int32.max, Int32.min)
    var sumOfSquares: UInt64 = 0
    for index in 0..<count {
      let (a, b) = Self.pair(base, index)
      let sum = a &+ b
      least = sum < least ? sum : least
      most = sum > most ? sum : most
      // 17 bits and a sign: the square of the magnitude needs 33.
      let magnitude = UInt64(UInt32(bitPattern: sum < 0 ? 0 &- sum : sum))
      sumOfSquares &+= magnitude &* magnitude
    }
    bin.merge(Self.statistics(least, most, sumOfSquares, scale: Self.scale / 2))
  }

  /// Returns the left and the right audio sample, which are loaded as one number.
  @inline(__always)
  private static func pair(_ base: UnsafeRawPointer, _ index: Int) -> (left: Int32, right: Int32) {
    let pair = base.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self)
    return ((pair &<< 16) &>> 16, pair &>> 16)
  }

  private static func statistics(
    _ least: Int32, _ most: Int32, _ sumOfSquares: UInt64, scale: Double
  ) -> BinStatistics {
    BinStatistics(
      minimum: Float(Double(least) * scale), maximum: Float(Double(most) * scale),
      sumOfSquares: Double(sumOfSquares) * scale * scale)
  }
}
