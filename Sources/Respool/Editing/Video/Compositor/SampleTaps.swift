import RespoolMedia

/// The frame's components that contribute to each canvas component in one direction, with their weights.
///
/// For frames that are not rotated. The sampled positions are those of ``SampleMap``. Their weights are added up in
/// advance, so that a row needs one vertical and one horizontal pass.
struct SampleTaps {
  /// Sum of the weights of a canvas component.
  static let whole: UInt32 = 1 << 14

  /// Range of canvas components.
  let samples: Range<Int>
  /// Number of weights for each canvas component.
  let count: Int
  /// The first of `count` components of the frame for each canvas component.
  ///
  /// The last of them may lie outside the frame; their weight is 0.
  let starts: [Int]
  let weights: [UInt32]

  /// Creates taps that map a canvas component `x` to `places` positions around `scale * x + offset`.
  init(
    _ samples: Range<Int>, scale: Double, offset: Double, places: Int,
    within limits: ClosedRange<Int>
  ) {
    self.samples = samples
    let steps = (0..<places).map { scale * ((Double($0) + 0.5) / Double(places) - 0.5) }
    let span = abs(scale) * Double(places - 1) / Double(places)
    let count = places == 1 ? 2 : Int(min(span, 64).rounded(.down)) + 3
    self.count = count
    var starts: [Int] = []
    var weights: [UInt32] = []
    starts.reserveCapacity(samples.count)
    weights.reserveCapacity(samples.count * count)
    let first = steps.min() ?? 0
    var parts = [Double](repeating: 0, count: count)
    for sample in samples {
      let center = min(max(scale * Double(sample) + offset, -1e8), 1e8)
      let least = Int((center + first).rounded(.down))
      let start = min(max(least, limits.lowerBound), limits.upperBound)
      for index in 0..<count { parts[index] = 0 }
      for step in steps {
        let place = center + step
        let floor = place.rounded(.down)
        func add(_ index: Int, _ part: Double) {
          let tap = min(max(index, limits.lowerBound), limits.upperBound) - start
          parts[min(max(tap, 0), count - 1)] += part
        }
        add(Int(floor), 1 - (place - floor))
        add(Int(floor) + 1, place - floor)
      }
      starts.append(start)
      Self.quantize(parts, places: places, into: &weights)
    }
    self.starts = starts
    self.weights = weights
  }

  /// Appends integer weights with the exact sum `whole`; the rounding error is added to the greatest.
  private static func quantize(_ parts: [Double], places: Int, into weights: inout [UInt32]) {
    let first = weights.count
    var left = Int(whole)
    var greatest = first
    for part in parts {
      let weight = Int((part * Double(whole) / Double(places)).rounded())
      left -= weight
      weights.append(UInt32(max(weight, 0)))
      if weights[weights.count - 1] > weights[greatest] { greatest = weights.count - 1 }
    }
    weights[greatest] = UInt32(max(Int(weights[greatest]) + left, 0))
  }
}

/// Horizontal and vertical taps for a plane of a frame that is not rotated.
///
/// Unsafe reads are right because the taps stay within `width` and the rows of the plane. Between the passes, a row
/// is kept in temporary memory with room for taps beyond its end.
struct SeparableMap {
  let across: SampleTaps
  let down: SampleTaps
  /// Number of components in a row of the frame.
  let width: Int

  /// Number of fractional bits that are kept between the passes.
  ///
  /// Together with a 10-bit code value and a 14-bit weight they fill 31 bits.
  private static let fraction: UInt32 = 7

  @inline(__always)
  func sample<T: FixedWidthInteger & UnsignedInteger>(
    _: T.Type, _ source: Frame.Plane, row: Int, columns: Range<Int>,
    into: UnsafeMutablePointer<T>
  ) {
    let first = columns.lowerBound - across.samples.lowerBound
    let ends = (across.starts[first], across.starts[first + columns.count - 1])
    let low = min(ends.0, ends.1)
    let room = max(ends.0, ends.1) + across.count - low
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: room) { line in
      line.initialize(repeating: 1 << (13 - Self.fraction))
      guard let line = line.baseAddress else { return }
      let index = row - down.samples.lowerBound
      let count = min(width - low, room)
      for tap in 0..<down.count {
        // 16 bits, so that the compiler vectorizes the products.
        let weight = UInt16(truncatingIfNeeded: down.weights[index * down.count + tap])
        if weight == 0 { continue }
        let samples = UnsafePointer(
          (source.base + (down.starts[index] + tap) * source.stride)
            .assumingMemoryBound(to: T.self) + low)
        for x in 0..<count {
          line[x] &+= UInt32(truncatingIfNeeded: samples[x]) &* UInt32(weight)
        }
      }
      for x in 0..<count { line[x] = line[x] &>> (14 &- Self.fraction) }
      across.starts.withUnsafeBufferPointer { starts in
        across.weights.withUnsafeBufferPointer { weights in
          guard let starts = starts.baseAddress, let weights = weights.baseAddress else { return }
          let half: UInt32 = 1 << (13 + Self.fraction)
          if across.count == 2 {
            for x in first..<first &+ columns.count {
              let from = line + (starts[x] &- low)
              let sum = from[0] &* weights[x &* 2] &+ from[1] &* weights[x &* 2 &+ 1] &+ half
              into[x &- first] = T(truncatingIfNeeded: sum &>> (14 &+ Self.fraction))
            }
            return
          }
          let count = across.count
          for x in first..<first &+ columns.count {
            let from = line + (starts[x] &- low)
            var sum = half
            for index in 0..<count { sum &+= from[index] &* weights[x &* count &+ index] }
            into[x &- first] = T(truncatingIfNeeded: sum &>> (14 &+ Self.fraction))
          }
        }
      }
    }
  }
}
