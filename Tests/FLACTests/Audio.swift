import PluginHost
import RespoolPlugin
import Testing

@testable import FLAC

/// Audio of noise and tones with a bit depth, of which every audio sample is known.
struct Audio {
  var depth: Int
  var channels = 2
  var sampleRate = 48_000

  private var sampleFormat: SampleFormat { depth > 16 ? .s32 : .s16 }

  var settings: EncoderSettings {
    var track = TrackDescription(
      kind: .audio, codec: "flac", timeBase: Rational(1, Int32(sampleRate)))
    track.channelLayout = .flac(channels)
    track.sampleRate = sampleRate
    track.sampleFormat = sampleFormat
    track.bitsPerSample = depth
    return EncoderSettings(track: track)
  }

  /// Returns interleaved audio samples, whose highest bits are used as in frames.
  func values(_ count: Int) -> [Int32] {
    var state: UInt32 = 1
    return (0..<count * channels).map { index in
      state = state &* 1_664_525 &+ 1_013_904_223
      // A ramp with noise, and full scale at times.
      let noise = Int32(bitPattern: state) >> 6
      let ramp = Int32(truncatingIfNeeded: (index / channels) << 21)
      let value = index % 977 == 0 ? (index % 2 == 0 ? Int32.max : .min) : noise &+ ramp
      let frameBits = sampleFormat == .s16 ? 16 : 32
      return (value >> Int32(32 - depth)) << Int32(frameBits - depth)
    }
  }

  func encode(_ count: Int, _ options: [PluginOption] = []) throws -> (TrackDescription, [Packet]) {
    var settings = settings
    settings.options = options
    let encoder = try FLACEncoder(settings: settings)
    let all = values(count)
    var frames: [Frame] = []
    var position = 0
    while position < count {
      let length = min(count - position, 1 + position * 7 % 6000)
      let frame = try #require(
        Frame(
          sampleFormat: sampleFormat, channelLayout: settings.track.channelLayout,
          sampleRate: sampleRate, sampleCount: length, pts: Int64(position)))
      for index in 0..<length * channels {
        let value = all[position * channels + index]
        if sampleFormat == .s16 {
          frame.planes[0].base.storeBytes(
            of: Int16(truncatingIfNeeded: value), toByteOffset: index * 2, as: Int16.self)
        } else {
          frame.planes[0].base.storeBytes(of: value, toByteOffset: index * 4, as: Int32.self)
        }
      }
      frames.append(frame)
      position += length
    }
    let packets = try Coding.encode(frames, with: encoder)
    return (encoder.track, packets)
  }

  static func decode(_ packets: some Sequence<Packet>, with decoder: FLACDecoder) throws -> [Int32]
  {
    var values: [Int32] = []
    func receive() throws {
      while case .value(let frame) = try decoder.receive() {
        let count = frame.sampleCount * frame.channelLayout.channelCount
        let base = frame.planes[0].base
        for index in 0..<count {
          values.append(
            frame.sampleFormat == .s16
              ? Int32(base.load(fromByteOffset: index * 2, as: Int16.self))
              : base.load(fromByteOffset: index * 4, as: Int32.self))
        }
      }
    }
    for packet in packets {
      _ = try decoder.send(packet)
      try receive()
    }
    _ = try decoder.send(nil)
    try receive()
    return values
  }
}
