import Glibc
package import RespoolMedia

/// Measures the integrated loudness of audio (EBU R 128, Recommendation ITU-R BS.1770-5) and its true peak.
///
/// Loudness is the mean power of blocks of 400 ms that begin every 100 ms. Blocks below -70 LUFS do not count, nor
/// blocks that are more than 10 LU below the mean of the others.
package struct LoudnessMeter {
  /// Weights of the channels (BS.1770-5, Table 3 of Annex 1); 0 for low frequency effects.
  private let weights: [Double]
  private var filters: [WeightingFilter]
  private var peaks: [TruePeakFilter]
  private var maxima: [Float] = []

  /// Number of audio samples of a quarter of a block.
  private let quarter: Int
  /// Number of audio samples of the quarter that is being measured, and the sum of their squares.
  private var count = 0
  private var sum = 0.0
  /// Sums of the latest three quarters.
  private var sums: [Double] = []
  private var blocks = BlockHistogram()
  /// All audio, for audio that is shorter than a block.
  private var (totalCount, totalSum) = (0, 0.0)

  /// Greatest magnitude between the samples; 1 is full scale (BS.1770-5, Annex 2).
  package private(set) var truePeak = 0.0

  /// Creates a meter for planar audio of 32-bit floating point with a rate and a layout.
  package init(rate: Int, layout: ChannelLayout) {
    let rate = max(1, rate)
    weights = Self.weights(of: layout)
    filters = weights.map { _ in WeightingFilter(rate: rate) }
    peaks = weights.map { _ in TruePeakFilter(rate: rate) }
    quarter = max(1, (rate + 5) / 10)
  }

  /// Loudness in LUFS; `nil` for silence.
  ///
  /// Audio of less than 400 ms is one block.
  package var integrated: Double? {
    if blocks.isEmpty, totalCount < 4 * quarter {
      guard totalCount > 0 else { return nil }
      let loudness = BlockHistogram.loudness((totalSum + sum) / Double(totalCount))
      return loudness >= BlockHistogram.absoluteGate ? loudness : nil
    }
    return blocks.gatedLoudness
  }

  /// Measures a frame, whose format must be that of the meter.
  package mutating func add(_ frame: Frame) {
    let channels = weights.count
    guard frame.sampleFormat == .fltp, frame.planes.count >= channels else { return }
    let total = frame.sampleCount
    if maxima.count < total { maxima = Array(repeating: 0, count: total) }
    for channel in 0..<channels {
      let samples = UnsafePointer(frame.planes[channel].base.assumingMemoryBound(to: Float.self))
      maxima.withUnsafeMutableBufferPointer { maxima in
        guard let base = maxima.baseAddress else { return }
        base.update(repeating: 0, count: total)
        peaks[channel].addMaxima(samples, count: total, above: Float(truePeak), to: base)
        for index in 0..<total where Double(base[index]) > truePeak {
          truePeak = Double(base[index])
        }
      }
    }
    var start = 0
    while start < total {
      let part = min(quarter - count, total - start)
      for channel in 0..<channels where weights[channel] > 0 {
        let samples = UnsafePointer(
          frame.planes[channel].base.assumingMemoryBound(to: Float.self))
        let squares = filters[channel].squares(samples + start, count: part)
        sum += weights[channel] * squares
      }
      start += part
      count += part
      totalCount += part
      if count == quarter { endQuarter() }
    }
  }

  private mutating func endQuarter() {
    totalSum += sum
    if sums.count == 3 {
      blocks.add((sums.reduce(0, +) + sum) / Double(4 * quarter))
      sums.removeFirst()
    }
    sums.append(sum)
    (count, sum) = (0, 0)
  }

  /// Returns the weights of the channels of a layout.
  ///
  /// Loudspeakers at 60° to 120° from the front have 1.41. Those are the side ones, and the back ones of layouts without
  /// side ones, which stand at 110° (Recommendation ITU-R BS.775).
  private static func weights(of layout: ChannelLayout) -> [Double] {
    let layout = layout.resolved
    let (lowFrequencies, backs, sides): (UInt64, UInt64, UInt64) = (0x8, 0x30, 0x600)
    let surround = layout.mask & sides != 0 ? sides : backs
    let speakers = (0..<64).map { UInt64(1) << UInt64($0) }.filter { layout.mask & $0 != 0 }
    guard !speakers.isEmpty else { return Array(repeating: 1, count: layout.channelCount) }
    // 1.41 in the recommendation, which is 1.5 dB.
    return speakers.map { $0 & lowFrequencies != 0 ? 0 : $0 & surround != 0 ? 1.41 : 1 }
  }
}

/// The weighting by frequency of BS.1770-5, Annex 1: a shelf for the effect of the head, and a high-pass filter.
private struct WeightingFilter {
  private struct Section {
    var (b0, b1, b2, a1, a2) = (1.0, 0.0, 0.0, 0.0, 0.0)
    var (z1, z2) = (0.0, 0.0)

    @inline(__always)
    mutating func callAsFunction(_ input: Double) -> Double {
      let output = b0 * input + z1
      z1 = b1 * input - a1 * output + z2
      z2 = b2 * input - a2 * output
      return output
    }
  }

  private var shelf = Section()
  private var highPass = Section()

  /// The recommendation has the coefficients for 48 kHz; those of other rates have the same analog filter.
  init(rate: Int) {
    func warped(_ frequency: Double) -> Double {
      tan(.pi * min(frequency / Double(rate), 0.45))
    }
    var k = warped(1681.974450955533)
    var q = 0.7071752369554196
    let high = pow(10, 3.999843853973347 / 20)
    let band = pow(high, 0.4996667741545416)
    var a0 = 1 + k / q + k * k
    shelf.b0 = (high + band * k / q + k * k) / a0
    shelf.b1 = 2 * (k * k - high) / a0
    shelf.b2 = (high - band * k / q + k * k) / a0
    shelf.a1 = 2 * (k * k - 1) / a0
    shelf.a2 = (1 - k / q + k * k) / a0
    k = warped(38.13547087602444)
    q = 0.5003270373238773
    a0 = 1 + k / q + k * k
    (highPass.b0, highPass.b1, highPass.b2) = (1, -2, 1)
    highPass.a1 = 2 * (k * k - 1) / a0
    highPass.a2 = (1 - k / q + k * k) / a0
  }

  /// Returns the sum of the squares of the filtered samples.
  mutating func squares(_ samples: UnsafePointer<Float>, count: Int) -> Double {
    var (first, second, sum) = (shelf, highPass, 0.0)
    for index in 0..<count {
      let sample = Double(samples[index])
      // A value that is not a number would stay in the filters.
      let weighted = second(first(sample.isFinite ? sample : 0))
      sum += weighted * weighted
    }
    (shelf, highPass) = (first, second)
    return sum
  }
}

/// The powers of blocks, in classes of 0.01 LU, so that the memory does not grow with the length of the audio.
private struct BlockHistogram {
  static let absoluteGate = -70.0
  private static let (classes, perUnit) = (10_000, 100.0)

  private var counts = [Int](repeating: 0, count: classes)
  private var sums = [Double](repeating: 0, count: classes)
  private(set) var isEmpty = true

  static func loudness(_ power: Double) -> Double { -0.691 + 10 * log10(power) }

  mutating func add(_ power: Double) {
    let loudness = Self.loudness(power)
    isEmpty = false
    guard loudness >= Self.absoluteGate else { return }
    let index = min(Self.classes - 1, Int((loudness - Self.absoluteGate) * Self.perUnit))
    counts[index] += 1
    sums[index] += power
  }

  /// Loudness of the blocks above both gates; `nil` if there is none.
  var gatedLoudness: Double? {
    guard let mean = mean(from: 0) else { return nil }
    let gate = Self.loudness(mean) - 10
    let first = max(0, Int(((gate - Self.absoluteGate) * Self.perUnit).rounded(.up)))
    return self.mean(from: first).map(Self.loudness)
  }

  private func mean(from first: Int) -> Double? {
    guard first < Self.classes else { return nil }
    let count = counts[first...].reduce(0, +)
    return count > 0 ? sums[first...].reduce(0, +) / Double(count) : nil
  }
}
