import RespoolMedia

/// Which samples of a picture make each sample of the canvas in one direction, and with what
/// weights.
///
/// For pictures that are not turned: the same look-ups as those of ``SampleMap``, added up
/// beforehand, so that a row costs one pass down and one across.
struct SampleTaps {
  /// The weights of a sample add up to this.
  static let whole: UInt32 = 1 << 14

  /// Of the canvas.
  let samples: Range<Int>
  /// Weights for each sample.
  let count: Int
  /// The first sample of the picture for each of `samples`; `count` of them may reach beyond the
  /// picture, with weights of 0.
  let starts: [Int]
  let weights: [UInt32]

  /// The sample at `x` comes from `scale * x + offset`, from `places` places around it.
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

  /// Appends whole weights that add up exactly; what rounding leaves goes to the greatest.
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

/// Look-ups across and down for a plane of a picture that is not turned.
///
/// Reads are right because the taps stay within `width` and the rows of the plane; between, a row
/// is kept in memory of its own that has room for taps beyond the end.
struct SeparableMap {
  let across: SampleTaps
  let down: SampleTaps
  /// Samples of a row of the picture.
  let width: Int

  /// Bits of a code that are kept between both passes: a code of ten bits, these and a weight of 14
  /// fill 31 bits.
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
        // In 16 bits, so that the products become vector code.
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
