import Glibc

/// Finds the magnitude of a signal between its samples, by interpolation (BS.1770-5, Annex 2).
///
/// It looks at four points of each interval below 96 kHz, at two below 192 kHz, and only at the samples above. Audio
/// below 32 kHz often reaches up to half its rate, where peaks are narrower: there it looks at eight.
struct TruePeakFilter {
  /// Number of samples by which a value is later than the sample that it belongs to.
  static let delay = taps / 2

  /// Number of samples that each interpolated point is made of.
  private static let taps = 24

  /// Coefficients of the interpolated points, oldest sample first.
  private let phases: [[Float]]
  /// Greatest factor between the magnitudes of samples and of a point between them.
  private let reach: Float
  /// The latest samples, and those that are added.
  private var line = [Float](repeating: 0, count: taps - 1)
  private var points: [Float] = []

  init(rate: Int) {
    let count = rate < 32_000 ? 8 : rate < 96_000 ? 4 : rate < 192_000 ? 2 : 1
    phases = (0..<count).dropFirst().map { point in
      // A sinc in a Kaiser window, whose stop band is at -80 dB.
      let shape = 8.0
      let values = (0..<Self.taps).map { index -> Double in
        let x = Double(index) - Double(Self.taps / 2 - 1) - Double(point) / Double(count)
        let place = x / (Double(Self.taps) / 2)
        let window = abs(place) >= 1 ? 0 : Self.bessel(shape * (1 - place * place).squareRoot())
        return sin(.pi * x) / (.pi * x) * window / Self.bessel(shape)
      }
      let sum = values.reduce(0, +)
      return values.map { Float($0 / sum) }
    }
    reach = phases.map { $0.reduce(0) { $0 + abs($1) } }.max() ?? 1
  }

  /// The modified Bessel function of the first kind of order 0.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, n) = (1.0, 1.0, 1.0)
    while term > sum * 1e-15 {
      term *= (x / 2 / n) * (x / 2 / n)
      sum += term
      n += 1
    }
    return sum
  }

  /// Raises each value of `maxima` to the magnitude of the signal around the sample ``delay`` samples earlier.
  ///
  /// Magnitudes between samples that are not above `floor` may be left out.
  mutating func addMaxima(
    _ samples: UnsafePointer<Float>, count: Int, above floor: Float,
    to maxima: UnsafeMutablePointer<Float>
  ) {
    guard count > 0 else { return }
    let kept = Self.taps - 1
    line.removeLast(line.count - kept)
    line.append(contentsOf: UnsafeBufferPointer(start: samples, count: count))
    if points.count < count { points = Array(repeating: 0, count: count) }
    let (phases, reach) = (phases, reach)
    line.withUnsafeBufferPointer { line in
      points.withUnsafeMutableBufferPointer { points in
        guard let line = line.baseAddress, let points = points.baseAddress else { return }
        var most: Float = 0
        for index in 0..<count + kept { most = max(most, abs(line[index])) }
        Self.raise(maxima, to: line + kept - Self.delay, count)
        guard most * reach > floor else { return }
        for phase in phases {
          points.update(repeating: 0, count: count)
          // A pass over all samples for each coefficient uses the processor's vectors.
          for (tap, factor) in phase.enumerated() {
            let shifted = line + tap
            for index in 0..<count { points[index] += shifted[index] * factor }
          }
          Self.raise(maxima, to: points, count)
        }
      }
    }
    line.removeFirst(count)
  }

  private static func raise(
    _ maxima: UnsafeMutablePointer<Float>, to values: UnsafePointer<Float>, _ count: Int
  ) {
    for index in 0..<count { maxima[index] = max(maxima[index], abs(values[index])) }
  }
}
