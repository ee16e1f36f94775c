import Foundation
import RespoolMedia
import Testing

@testable import RespoolProcessing

/// Loudness and true peak of the signals in EBU Tech 3341 (version 4, tables 1 and 2), made from their description.
@Suite struct LoudnessTests {
  /// A part of a signal: seconds, and the level of each channel in dBFS.
  typealias Part = (seconds: Double, levels: [Double])

  private func meter(_ parts: [Part], layout: ChannelLayout = .stereo, rate: Int = 48000) throws
    -> LoudnessMeter
  {
    var meter = LoudnessMeter(rate: rate, layout: layout)
    var position = 0
    for part in parts {
      let end = position + Int(part.seconds * Double(rate))
      while position < end {
        let count = min(4800, end - position)
        let frame = try block(count, layout, rate) { channel, index in
          let level = part.levels[channel]
          return Float(
            pow(10, level / 20) * sin(2 * .pi * 1000 * Double(position + index) / Double(rate)))
        }
        meter.add(frame)
        position += count
      }
    }
    return meter
  }

  private func block(
    _ count: Int, _ layout: ChannelLayout, _ rate: Int, _ value: (Int, Int) -> Float
  ) throws -> Frame {
    let frame = try #require(
      Frame(
        sampleFormat: .fltp, channelLayout: layout, sampleRate: rate, sampleCount: count, pts: nil))
    for channel in 0..<layout.channelCount {
      let samples = frame.planes[channel].base.assumingMemoryBound(to: Float.self)
      for index in 0..<count { samples[index] = value(channel, index) }
    }
    return frame
  }

  /// Stereo signals of the standard by number, and the loudness of each in LUFS.
  private static let signals: [(number: Int, parts: [(Double, Double)], loudness: Double)] = [
    (1, [(20, -23)], -23),
    (2, [(20, -33)], -33),
    (3, [(10, -36), (60, -23), (10, -36)], -23),
    (4, [(10, -72), (10, -36), (60, -23), (10, -36), (10, -72)], -23),
    (5, [(20, -26), (20.1, -20), (20, -26)], -23),
  ]

  @Test(arguments: signals)
  func `the loudness of stereo signals is that of the standard`(
    _ signal: (number: Int, parts: [(Double, Double)], loudness: Double)
  ) throws {
    let meter = try meter(signal.parts.map { (seconds: $0.0, levels: [$0.1, $0.1]) })
    #expect(abs(try #require(meter.integrated) - signal.loudness) <= 0.1)
  }

  @Test func `channels have the weights of the standard`() throws {
    // Left, right, centre, left surround, right surround.
    let levels = [-28.0, -28, -24, -30, -30]
    for mask: UInt64 in [0x37, 0x607] {
      let meter = try meter([(20, levels)], layout: ChannelLayout(mask: mask))
      #expect(abs(try #require(meter.integrated) + 23) <= 0.1)
    }
    // Low frequency effects do not count.
    let meter = try meter(
      [(20, [-28.0, -28, -24, 0, -30, -30])], layout: ChannelLayout(mask: 0x3F))
    #expect(abs(try #require(meter.integrated) + 23) <= 0.1)
  }

  @Test(arguments: [8000, 44100, 96000, 192_000])
  func `the loudness is the same at all sample rates`(rate: Int) throws {
    let meter = try meter([(3, [-23, -23])], rate: rate)
    #expect(abs(try #require(meter.integrated) + 23) <= 0.1)
  }

  @Test func `silence has no loudness, and short audio has one`() throws {
    #expect(try meter([(1, [-200, -200])]).integrated == nil)
    #expect(try meter([(0.1, [-200, -200])]).integrated == nil)
    #expect(LoudnessMeter(rate: 48000, layout: .mono).integrated == nil)
    #expect(abs(try #require(try meter([(0.25, [-23, -23])]).integrated) + 23) <= 0.3)
    var meter = LoudnessMeter(rate: 48000, layout: .mono)
    meter.add(try block(48000, .mono, 48000) { _, index in index % 100 == 0 ? .nan : 0.1 })
    #expect(meter.integrated?.isFinite == true)
  }

  @Test(arguments: [
    (4, 0.5, 0.0, -6.0), (4, 0.5, 45, -6), (6, 0.5, 60, -6), (8, 0.5, 67.5, -6), (4, 1.41, 45, 3),
  ])
  func `true peaks between samples are found`(
    divisor: Int, amplitude: Double, degrees: Double, expected: Double
  ) throws {
    for rate in [44100, 48000, 96000] {
      var meter = LoudnessMeter(rate: rate, layout: .mono)
      meter.add(
        try block(rate, .mono, rate) { _, index in
          // The ends fade, because a beginning in the midst of a wave has a peak of its own.
          let fade = min(1, Double(min(index, rate - index)) / Double(rate / 10))
          let angle = 2 * .pi * Double(index) / Double(divisor) + degrees * .pi / 180
          return Float(amplitude * fade * sin(angle))
        })
      let level = 20 * log10(meter.truePeak)
      #expect(level <= expected + 0.2 && level >= expected - 0.4, "\(rate): \(level)")
    }
  }

  @Test(arguments: [44100, 48000, 96000], [0.9, 0.25])
  func `no true peak is above the ceiling of the limiter`(rate: Int, ceiling: Double) throws {
    let limiter = TruePeakLimiter(ceiling: ceiling, rate: rate, channels: 2)
    var meter = LoudnessMeter(rate: rate, layout: .stereo)
    var random = SystemRandomNumberGenerator()
    var seed: UInt64 = random.next()
    let first = seed
    func noise() -> Float {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: seed >> 32)) / 2_147_483_648
    }
    var (quiet, kept) = (Float(0), Float(0))
    for number in 0..<40 {
      // Bursts of noise at full scale in quiet noise, in blocks of different lengths.
      let count = 1000 + number * 37
      let frame = try block(count, .stereo, rate) { _, index in
        (number % 5 == 2 && index % 3 != 0 ? 1 : 0.01) * noise()
      }
      limiter.limit(frame)
      meter.add(frame)
      if number == 1 {
        let samples = frame.planes[0].base.assumingMemoryBound(to: Float.self)
        quiet = (0..<count).map { abs(samples[$0]) }.max() ?? 0
      }
      if number == 31 {
        let samples = frame.planes[0].base.assumingMemoryBound(to: Float.self)
        kept = (count - 200..<count).map { abs(samples[$0]) }.max() ?? 0
      }
    }
    #expect(meter.truePeak <= ceiling * 1.01, "seed \(first)")
    #expect(meter.truePeak >= ceiling * 0.8, "seed \(first)")
    // Before the first burst nothing changes, and the gain returns after one.
    #expect(quiet > 0.0097 && kept > 0.005, "seed \(first)")
  }

  @Test func `audio below the ceiling is only delayed`() throws {
    let limiter = TruePeakLimiter(ceiling: 0.9, rate: 48000, channels: 1)
    let frame = try block(4800, .mono, 48000) { _, index in Float(sin(Double(index) / 9)) * 0.5 }
    let samples = frame.planes[0].base.assumingMemoryBound(to: Float.self)
    let before = (0..<4800).map { samples[$0] }
    limiter.limit(frame)
    let after = (0..<4800).map { samples[$0] }
    #expect(Array(after[limiter.latency...]) == Array(before[..<(4800 - limiter.latency)]))
  }
}
