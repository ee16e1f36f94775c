import Glibc
package import RespoolMedia

/// Lowers the gain around peaks, so that no true peak is above a ceiling.
///
/// All channels have the same gain. It falls within 5 ms before a peak, along a line, and returns within about a fifth of
/// a second after it.
package final class TruePeakLimiter {
  /// Number of samples by which the output is later than the input.
  package let latency: Int

  private let ceiling: Float
  /// Number of samples in which the gain falls.
  private let window: Int
  private let release: Double
  private var filters: [TruePeakFilter]
  private var delays: [RingOfSamples]
  private var maxima: [Float] = []

  /// Gains that the latest peaks need: each is lower than those after it.
  private var needed: [(index: Int, gain: Double)] = []
  private var firstNeeded = 0
  private var held = 1.0
  private var smoothed: RingOfSamples
  private var sum: Double
  private var position = 0

  /// Creates a limiter for planar audio of 32-bit floating point; `ceiling` is a factor of full scale above 0.
  package init(ceiling: Double, rate: Int, channels: Int) {
    self.ceiling = Float(max(ceiling, 1e-6))
    window = max(1, rate / 200)
    latency = window + TruePeakFilter.delay
    release = 1 - exp(-1 / (0.08 * Double(max(1, rate))))
    filters = (0..<channels).map { _ in TruePeakFilter(rate: rate) }
    delays = (0..<channels).map { [latency] _ in RingOfSamples(count: latency, value: 0) }
    smoothed = RingOfSamples(count: window, value: 1)
    sum = Double(window)
  }

  /// Limits a frame in place; what comes out is ``latency`` samples later than what goes in.
  package func limit(_ frame: Frame) {
    let count = frame.sampleCount
    guard frame.sampleFormat == .fltp, frame.planes.count >= filters.count else { return }
    if maxima.count < count { maxima = Array(repeating: 0, count: count) }
    let planes = frame.planes.prefix(filters.count).map {
      $0.base.assumingMemoryBound(to: Float.self)
    }
    maxima.withUnsafeMutableBufferPointer { maxima in
      guard let base = maxima.baseAddress else { return }
      base.update(repeating: 0, count: count)
      for channel in filters.indices {
        filters[channel].addMaxima(planes[channel], count: count, above: ceiling, to: base)
      }
      for index in 0..<count {
        let gain = Float(next(peak: base[index]))
        for channel in delays.indices {
          planes[channel][index] = delays[channel].exchange(planes[channel][index]) * gain
        }
      }
    }
  }

  /// Returns the gain of the sample that comes out when a peak goes in.
  private func next(peak: Float) -> Double {
    let gain = peak > ceiling ? Double(ceiling) / Double(peak) : 1
    // The least gain of the window, and of some samples more for the points between samples.
    while needed.count > firstNeeded, let last = needed.last, last.gain >= gain {
      needed.removeLast()
    }
    needed.append((position, gain))
    while needed[firstNeeded].index <= position - window - 2 { firstNeeded += 1 }
    if firstNeeded > 4096 {
      needed.removeFirst(firstNeeded)
      firstNeeded = 0
    }
    position += 1
    let least = needed[firstNeeded].gain
    held = least < held ? least : held + (min(1, least) - held) * release
    // The mean over the window is a line down to the least gain.
    let value = Float(held)
    sum += Double(value) - Double(smoothed.exchange(value))
    return min(1, sum / Double(window))
  }
}

/// The latest samples of a signal.
private struct RingOfSamples {
  private var samples: [Float]
  private var place = 0

  init(count: Int, value: Float) { samples = Array(repeating: value, count: count) }

  /// Stores a sample and returns the oldest one.
  @inline(__always)
  mutating func exchange(_ sample: Float) -> Float {
    let oldest = samples[place]
    samples[place] = sample
    place = place + 1 == samples.count ? 0 : place + 1
    return oldest
  }
}
