import Foundation
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Audio that is stretched at constant pitch: its timing and its distortion.
@Suite struct AudioStretchTests {
  static let rate = 48000

  private func stretched(_ samples: [Float], by factor: Double) throws -> [Float] {
    let shape = AudioFormat(
      sampleFormat: .fltp, sampleRate: Self.rate, channelLayout: .mono)
    let stretch = try AudioStretch(
      audioFormat: shape, from: Int64(samples.count),
      to: Int64((Double(samples.count) * factor).rounded()), algorithm: .spectral)
    var output: [Float] = []
    func take(_ frames: [Frame]) {
      for frame in frames {
        output += UnsafeBufferPointer(
          start: frame.planes[0].base.assumingMemoryBound(to: Float.self), count: frame.sampleCount)
        withExtendedLifetime(frame) {}
      }
    }
    for start in stride(from: 0, to: samples.count, by: 1024) {
      let part = Array(samples[start..<min(samples.count, start + 1024)])
      take(try stretch.process(Frame.planar([part], .mono, rate: Self.rate, pts: Int64(start))))
    }
    take(try stretch.finish())
    return output
  }

  /// Returns bursts of 120 ms over noise, and the times at which they begin.
  ///
  /// Each burst has another pitch. `noise` is the amplitude of the noise. Onsets are in seconds.
  private func bursts(noise: Float) -> (samples: [Float], onsets: [Double]) {
    var state: UInt64 = 1
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53)
    }
    var samples = (0..<(5 * Self.rate)).map { _ in noise * Float(2 * random() - 1) }
    var onsets: [Double] = []
    var first = 0.01
    while first < 4.8 {
      let start = Int(first * Double(Self.rate))
      let hertz = 300 + 2000 * random()
      for index in 0..<(Self.rate * 12 / 100) {
        samples[start + index] += Float(
          0.5 * cos(2 * Double.pi * hertz * Double(index) / Double(Self.rate)))
      }
      onsets.append(Double(start) / Double(Self.rate))
      first += 0.45 + 0.3 * random()
    }
    return (samples, onsets)
  }

  private func onsets(_ samples: [Float]) throws -> [Double] {
    let frame = try Frame.planar([samples], .mono, rate: Self.rate, pts: 0)
    var track = TrackDescription(kind: .audio, codec: "pcm", timeBase: Rational(1, 48000))
    track.sampleRate = Self.rate
    return try Sound([
      SampleBuffer(.frame(frame), format: FormatDescription(track), timeBase: Rational(1, 48000))
    ]).onsets(threshold: 0.3)
  }

  @Test(arguments: [0.5, 0.8, 1.1, 1.6, 2], [0, 0.02, 0.1] as [Float])
  func `an onset is heard once, within 5 ms of its time`(
    factor: Double, noise: Float
  ) throws {
    let (samples, wanted) = bursts(noise: noise)
    let heard = try onsets(try stretched(samples, by: factor))
    #expect(heard.count == wanted.count)
    let errors = zip(heard, wanted).map { $0 - $1 * factor }
    #expect(errors.allSatisfy { abs($0) < 0.005 }, "\(errors)")
  }

  @Test(arguments: [0.5, 0.8, 1.25, 2], [50.0, 440, 1000, 5010])
  func `a tone stays clean`(factor: Double, hertz: Double) throws {
    let step = 2 * Double.pi * hertz / Double(Self.rate)
    let samples = (0..<(2 * Self.rate)).map { Float(0.5 * sin(step * Double($0))) }
    let output = try stretched(samples, by: factor)
    #expect(output.count >= Int(Double(samples.count) * factor))
    // The residue of the best-fitting sine of this frequency, per tenth of a second, which is whole periods.
    for start in stride(from: 9600, to: output.count - 14400, by: 4800) {
      let part = output[start..<(start + 4800)]
      var (sine, cosine) = (0.0, 0.0)
      for (index, value) in part.enumerated() {
        sine += Double(value) * sin(step * Double(index)) / 2400
        cosine += Double(value) * cos(step * Double(index)) / 2400
      }
      var (rest, power) = (0.0, 0.0)
      for (index, value) in part.enumerated() {
        let tone = sine * sin(step * Double(index)) + cosine * cos(step * Double(index))
        rest += (Double(value) - tone) * (Double(value) - tone)
        power += tone * tone
      }
      let decibels = 10 * log10(rest / power)
      #expect(decibels < -40, "at sample \(start): \(decibels) dB")
    }
  }

  @Test(arguments: [
    (4800, 470_000), (470_000, 4800), (16_001, 1_600_001), (28_800, 43_200), (48_000, 47_999),
  ])
  func `resampling gives all audio samples that were requested`(from: Int, to: Int) throws {
    let format = AudioFormat(sampleFormat: .fltp, sampleRate: Self.rate, channelLayout: .mono)
    let stretch = try AudioStretch(
      audioFormat: format, from: Int64(from), to: Int64(to), algorithm: .varispeed)
    var count = 0
    for start in stride(from: 0, to: from, by: 1024) {
      let part = [Float](repeating: 0.5, count: min(from - start, 1024))
      let frame = try Frame.planar([part], .mono, rate: Self.rate, pts: Int64(start))
      count += try stretch.process(frame).reduce(0) { $0 + $1.sampleCount }
    }
    count += try stretch.finish().reduce(0) { $0 + $1.sampleCount }
    #expect(count >= to)
  }

  @Test(
    arguments: [
      (200, 2, true), (201, 2, false), (2, 201, false), (1009, 10, false), (1, 100, true),
      (.max, .max, true), (.max, 1, false), (0, 1, false), (-1, 1, false),
    ] as [(Int64, Int64, Bool)])
  func `a ratio of more than 100 is not played`(from: Int64, to: Int64, canPlay: Bool) {
    #expect(AudioStretch.canPlay(from, as: to) == canPlay)
  }

  @Test func `an onset is a sudden rise, not a tone or noise`() {
    var finder = OnsetFinder(rate: Self.rate)
    let tone = (0..<Self.rate).map { Float(0.5 * cos(2 * Double.pi * 40 * Double($0) / 48000)) }
    #expect(finder.append([tone], from: 0).isEmpty)
    let louder = Array(repeating: Float(0.001), count: 24000) + tone
    var second = OnsetFinder(rate: Self.rate)
    #expect(second.append([louder], from: 0).first?.place == 24000)
  }
}
