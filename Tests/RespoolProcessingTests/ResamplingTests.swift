import Foundation
import RespoolMedia
import Testing

@testable import RespoolProcessing

/// Resampled sines, compared with the same sines generated at the new rate.
@Suite struct ResamplingTests {
  struct Rates: Sendable, CustomTestStringConvertible {
    var from, to: Int
    var testDescription: String { "\(from) to \(to) Hz" }
  }

  /// Returns frequencies up to nine tenths of the lower Nyquist frequency.
  ///
  /// No sample rate is a multiple of them.
  private static func frequencies(_ rates: Rates) -> [Double] {
    let limit = Double(min(rates.from, rates.to)) / 2
    return [0.0071, 0.0473, 0.131, 0.317, 0.523, 0.719, 0.9].map { $0 * limit }
  }

  /// Returns the sum of sines of these frequencies, each with an amplitude of 0.1.
  private static func value(_ frequencies: [Double], at time: Double) -> Double {
    frequencies.enumerated().reduce(0) { sum, sine in
      sum + 0.1 * sin(2 * Double.pi * sine.element * time + Double(sine.offset))
    }
  }

  // A delay of 0.001 audio samples would give an error above -70 dB, a gain of 0.01 dB one of -59 dB.
  @Test(arguments: [
    Rates(from: 44100, to: 48000), Rates(from: 48000, to: 44100), Rates(from: 48000, to: 16000),
    Rates(from: 8000, to: 48000), Rates(from: 96000, to: 44100),
  ])
  func `the output is the signal at the new rate, at its time`(rates: Rates) throws {
    let frequencies = Self.frequencies(rates)
    let converter = try AudioConverter(
      from: AudioFormat(sampleFormat: .dblp, sampleRate: rates.from, channelLayout: .mono),
      to: AudioFormat(sampleFormat: .dblp, sampleRate: rates.to, channelLayout: .mono))
    var output: [Double] = []
    func take(_ frame: Frame?) {
      guard let frame else { return }
      output += UnsafeBufferPointer(
        start: frame.planes[0].base.assumingMemoryBound(to: Double.self), count: frame.sampleCount)
      withExtendedLifetime(frame) {}
    }
    // Frequencies above the new rate's Nyquist frequency must be removed, not aliased.
    let limit = Double(rates.to) / 2
    let above = [1.06, 1.5, 1.9].map { $0 * limit }.filter { $0 < Double(rates.from) / 2 }
    for start in stride(from: 0, to: 2 * rates.from, by: 1000) {
      let count = min(1000, 2 * rates.from - start)
      let frame = try #require(
        Frame(
          sampleFormat: .dblp, channelLayout: .mono, sampleRate: rates.from, sampleCount: count,
          pts: Int64(start)))
      let samples = frame.planes[0].base.assumingMemoryBound(to: Double.self)
      for index in 0..<count {
        let time = Double(start + index) / Double(rates.from)
        samples[index] = Self.value(frequencies, at: time) + Self.value(above, at: time)
      }
      take(try converter.convert(frame))
    }
    take(try converter.drain())
    try #require(output.count == 2 * rates.to)

    // Only the middle: the signal has steps at its ends.
    let middle = (rates.to / 10)..<(output.count - rates.to / 10)
    var (error, power, worst) = (0.0, 0.0, 0.0)
    for index in middle {
      let wanted = Self.value(frequencies, at: Double(index) / Double(rates.to))
      error += (output[index] - wanted) * (output[index] - wanted)
      power += wanted * wanted
      worst = max(worst, abs(output[index] - wanted))
    }
    let decibels = 10 * log10(error / power)
    #expect(decibels < -110, "\(decibels) dB, at worst \(worst)")
  }
}
