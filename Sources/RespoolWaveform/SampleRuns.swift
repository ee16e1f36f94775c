/// Audio samples in memory, ready to be reduced.
protocol SampleRuns {
  /// Adds `count` audio samples, starting at index `first`, to one bin of each channel.
  ///
  /// `count` is at least 1, and the memory holds all of these audio samples.
  func reduce(_ first: Int, _ count: Int, into bins: UnsafeMutablePointer<BinStatistics>)
}

/// One or two channels of 16-bit PCM, as in WAV files and on CDs, reduced in place as integers.
///
/// The loops are simple so that the compiler vectorizes them.
struct WordRuns: SampleRuns {
  enum Arrangement { case mono, stereo, mixedStereo }

  let base: UnsafeRawPointer
  let arrangement: Arrangement

  func reduce(_ first: Int, _ count: Int, into bins: UnsafeMutablePointer<BinStatistics>) {
    switch arrangement {
    case .mono: reduceMono(base + first * 2, count, &bins[0])
    case .stereo: reduceStereo(base + first * 4, count, &bins[0], &bins[1])
    case .mixedStereo: reduceMixed(base + first * 4, count, &bins[0])
    }
  }

  private func reduceMono(_ base: UnsafeRawPointer, _ count: Int, _ bin: inout BinStatistics) {
    var (least, most) = (Int16.max, Int16.min)
    var power: UInt64 = 0
    for index in 0..<count {
      let value = base.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
      least = value < least ? value : least
      most = value > most ? value : most
      let wide = Int32(value)
      power &+= UInt64(UInt32(bitPattern: wide &* wide))
    }
    bin.merge(Self.statistics(Int32(least), Int32(most), power, unit: 0x1p-15))
  }

  private func reduceStereo(
    _ base: UnsafeRawPointer, _ count: Int, _ left: inout BinStatistics,
    _ right: inout BinStatistics
  ) {
    var (leastLeft, mostLeft, powerLeft) = (Int32.max, Int32.min, UInt64(0))
    var (leastRight, mostRight, powerRight) = (Int32.max, Int32.min, UInt64(0))
    for index in 0..<count {
      let pair = Int32(
        littleEndian: base.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self))
      let a = (pair &<< 16) &>> 16
      let b = pair &>> 16
      leastLeft = a < leastLeft ? a : leastLeft
      mostLeft = a > mostLeft ? a : mostLeft
      leastRight = b < leastRight ? b : leastRight
      mostRight = b > mostRight ? b : mostRight
      powerLeft &+= UInt64(UInt32(bitPattern: a &* a))
      powerRight &+= UInt64(UInt32(bitPattern: b &* b))
    }
    left.merge(Self.statistics(leastLeft, mostLeft, powerLeft, unit: 0x1p-15))
    right.merge(Self.statistics(leastRight, mostRight, powerRight, unit: 0x1p-15))
  }

  /// Reduces the mean of both channels, as their sum in units of half the size.
  private func reduceMixed(_ base: UnsafeRawPointer, _ count: Int, _ bin: inout BinStatistics) {
    var (least, most) = (Int32.max, Int32.min)
    var power: UInt64 = 0
    for index in 0..<count {
      let pair = Int32(
        littleEndian: base.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self))
      let sum = ((pair &<< 16) &>> 16) &+ (pair &>> 16)
      least = sum < least ? sum : least
      most = sum > most ? sum : most
      // 17 bits and a sign: the square of the magnitude needs 33.
      let size = UInt64(UInt32(bitPattern: sum < 0 ? 0 &- sum : sum))
      power &+= size &* size
    }
    bin.merge(Self.statistics(least, most, power, unit: 0x1p-16))
  }

  private static func statistics(_ least: Int32, _ most: Int32, _ power: UInt64, unit: Double)
    -> BinStatistics
  {
    BinStatistics(
      minimum: Float(Double(least) * unit), maximum: Float(Double(most) * unit),
      power: Double(power) * unit * unit)
  }
}

/// Audio samples of any format, converted to numbers from -1 to 1, one channel after the other.
struct DoubleRuns: SampleRuns {
  let base: UnsafePointer<Double>
  let channels: Int
  /// Distance from one channel to the next, in values.
  let stride: Int

  func reduce(_ first: Int, _ count: Int, into bins: UnsafeMutablePointer<BinStatistics>) {
    for channel in 0..<channels {
      reduce(base + channel * stride + first, count, &bins[channel])
    }
  }

  private func reduce(_ values: UnsafePointer<Double>, _ count: Int, _ bin: inout BinStatistics) {
    var least = SIMD4<Double>(repeating: .infinity)
    var most = SIMD4<Double>(repeating: -.infinity)
    var power = SIMD4<Double>.zero
    let whole = count & ~3
    for index in Swift.stride(from: 0, to: whole, by: 4) {
      let four = UnsafeRawPointer(values + index).loadUnaligned(as: SIMD4<Double>.self)
      least.replace(with: four, where: four .< least)
      most.replace(with: four, where: four .> most)
      power += four * four
    }
    var (minimum, maximum, sum) = (least.min(), most.max(), power.sum())
    for index in whole..<count {
      let value = values[index]
      minimum = min(minimum, value)
      maximum = max(maximum, value)
      sum += value * value
    }
    bin.merge(BinStatistics(minimum: Float(minimum), maximum: Float(maximum), power: sum))
  }
}
