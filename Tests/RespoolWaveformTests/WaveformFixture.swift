import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool
@testable import RespoolWaveform

/// WAV files of known audio samples, and their expected waveforms.
struct WaveformFixture {
  enum Format: String, CaseIterable, Sendable {
    case u8, s16, s24, s32, f32, f64

    var bytes: Int {
      switch self {
      case .u8: 1
      case .s16: 2
      case .s24: 3
      case .s32, .f32: 4
      case .f64: 8
      }
    }

    var isFloat: Bool { self == .f32 || self == .f64 }

    /// Returns the bytes of an audio sample from -1 to 1, and the value that they represent.
    func code(_ value: Double) -> (bytes: [UInt8], value: Double) {
      func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
      }
      switch self {
      case .u8:
        let level = Int(max(-128, min(127, (value * 128).rounded())))
        return ([UInt8(level + 128)], Double(level) / 128)
      case .s16, .s24, .s32:
        let full = Double(1 << (bytes * 8 - 1))
        let level = Int64(max(-full, min(full - 1, (value * full).rounded())))
        return (Array(little(level).prefix(bytes)), Double(level) / full)
      case .f32: return (little(Float(value).bitPattern), Double(Float(value)))
      case .f64: return (little(value.bitPattern), value)
      }
    }
  }

  /// Audio samples as stored in the file.
  ///
  /// One array for each channel.
  var channels: [[Double]]
  let path: String

  /// Writes `channels` to a file in `scratch`.
  ///
  /// `announced` is a false size of the audio data for the header, in bytes. The header is correct if it is `nil`.
  init(
    _ channels: [[Double]], _ format: Format = .s16, rate: Int = 44100, in scratch: Scratch,
    name: String = "sound.wav", announced: Int? = nil
  ) throws {
    var data: [UInt8] = []
    var stored = channels
    for index in channels.first?.indices ?? 0..<0 {
      for channel in channels.indices {
        let coded = format.code(channels[channel][index])
        data += coded.bytes
        stored[channel][index] = coded.value
      }
    }
    self.channels = stored
    path = scratch.path(name)
    func little(_ number: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    let block = format.bytes * channels.count
    var file = Array("RIFF".utf8) + little(36 + data.count, 4) + Array("WAVEfmt ".utf8)
    file += little(16, 4) + little(format.isFloat ? 3 : 1, 2) + little(channels.count, 2)
    file += little(rate, 4) + little(rate * block, 4) + little(block, 2)
    file += little(format.bytes * 8, 2)
    file += Array("data".utf8) + little(announced ?? data.count, 4) + data
    try Data(file).write(to: URL(filePath: path))
  }

  func waveform(_ settings: WaveformReader.Settings = .init()) throws -> Waveform {
    try Self.waveform(path, settings)
  }

  static func waveform(_ path: String, _ settings: WaveformReader.Settings = .init()) throws
    -> Waveform
  {
    try WaveformReader(asset: Asset(path: path, registry: Pipeline.registry), settings: settings)
      .read()
  }

  /// The mean of all channels, as one channel.
  var mixed: [[Double]] {
    [
      channels[0].indices.map { index in
        channels.reduce(0) { $0 + $1[index] } / Double(channels.count)
      }
    ]
  }

  /// Returns the waveform channels for these bins, calculated from each audio sample.
  static func expected(_ channels: [[Double]], _ bins: [Range<Int>]) -> [Waveform.Channel] {
    channels.map { samples in
      let parts = bins.map { samples[$0] }
      return Waveform.Channel(
        minima: parts.map { Float($0.min() ?? 0) }, maxima: parts.map { Float($0.max() ?? 0) },
        rms: parts.map { part in
          Float((part.reduce(0) { $0 + $1 * $1 } / Double(part.count)).squareRoot())
        })
    }
  }

  /// Returns the ranges of `bins` bins over `count` audio samples, by the rule in the documentation.
  static func even(_ bins: Int, of count: Int) -> [Range<Int>] {
    (0..<bins).map { bin in
      let first = bin * count / bins
      return first..<max(first + 1, (bin + 1) * count / bins)
    }
  }

  static func every(_ width: Int, of count: Int) -> [Range<Int>] {
    stride(from: 0, to: count, by: width).map { $0..<min(count, $0 + width) }
  }

  /// Returns channels that contain in turn a sine, noise or a ramp.
  static func sounds(_ channels: Int, _ count: Int) -> [[Double]] {
    var seed: UInt64 = 1
    return (0..<channels).map { channel in
      (0..<count).map { index in
        switch channel % 3 {
        case 0: return 0.9 * sin(Double(index) * 0.037 * Double(channel + 1))
        case 1:
          seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return Double(Int32(truncatingIfNeeded: seed >> 32)) / 0x1p31
        default: return 2 * Double(index) / Double(count) - 1
        }
      }
    }
  }
}

/// Expects equal extremes, and RMS values that are equal except for rounding by the order of additions.
func expectEqual(
  _ channels: [Waveform.Channel], _ expected: [Waveform.Channel],
  _ location: SourceLocation = #_sourceLocation
) {
  #expect(channels.map(\.minima) == expected.map(\.minima), sourceLocation: location)
  #expect(channels.map(\.maxima) == expected.map(\.maxima), sourceLocation: location)
  for (channel, wanted) in zip(channels, expected) {
    #expect(channel.rms.count == wanted.rms.count, sourceLocation: location)
    let worst = zip(channel.rms, wanted.rms).map { abs($0 - $1) / max($1, 1e-6) }.max() ?? 0
    #expect(worst < 1e-6, sourceLocation: location)
  }
}
