import Glibc
import PluginHost
import RespoolPlugin
import Testing

@testable import LAME

@Suite struct LAMETests {
  private func settings(
    _ layout: ChannelLayout = .stereo, rate: Int = 44100, format: SampleFormat = .fltp,
    options: [PluginOption] = [], bitRate: Int64? = nil, quality: Double? = nil
  ) -> EncoderSettings {
    var track = TrackDescription(kind: .audio, codec: "mp3", timeBase: Rational(1, Int32(rate)))
    track.channelLayout = layout
    track.sampleRate = rate
    track.sampleFormat = format
    return EncoderSettings(track: track, bitRate: bitRate, quality: quality, options: options)
  }

  /// Returns a frame with a tone on each channel; `sample` replaces the tone.
  private func frame(
    _ track: TrackDescription, from first: Int, count: Int, sample: Float? = nil
  ) throws -> Frame {
    let frame = try #require(
      Frame(
        sampleFormat: track.sampleFormat, channelLayout: track.channelLayout,
        sampleRate: track.sampleRate, sampleCount: count, pts: Int64(first)))
    for (channel, plane) in frame.planes.enumerated() {
      for index in 0..<count {
        let angle = 2 * Double.pi * Double(440 * (channel + 1) * (first + index))
        let value = 0.3 * sin(angle / Double(track.sampleRate))
        switch track.sampleFormat {
        case .s16p:
          plane.base.storeBytes(
            of: Int16(value * 32767), toByteOffset: index * 2, as: Int16.self)
        case .s32p:
          plane.base.storeBytes(
            of: Int32(value * 2_147_483_647), toByteOffset: index * 4, as: Int32.self)
        default:
          plane.base.storeBytes(
            of: sample ?? Float(value), toByteOffset: index * 4, as: Float.self)
        }
      }
    }
    return frame
  }

  /// Encodes `total` audio samples in frames of different sizes.
  private func encode(_ settings: EncoderSettings, total: Int) throws -> (LAMEEncoder, [Packet]) {
    let encoder = try LAMEEncoder(settings: settings)
    var (frames, position): ([Frame], Int) = ([], 0)
    while position < total {
      let count = min(total - position, 1 + position * 7 % 20000)
      frames.append(try frame(settings.track, from: position, count: count))
      position += count
    }
    return (encoder, try Coding.encode(frames, with: encoder))
  }

  private func header(_ packet: Packet) throws -> MPEGAudioHeader {
    try #require(MPEGAudioHeader(packet.bytes))
  }

  @Test(
    arguments: [1, 46, 47, 48, 528, 529, 575, 576, 577, 1104, 1105, 1152, 1153, 44100],
    [44100, 22050, 8000])
  func `delay, audio and padding are all samples of the packets`(total: Int, rate: Int) throws {
    let (encoder, packets) = try encode(settings(rate: rate), total: total)
    #expect(encoder.track.initialPadding == 1105)
    #expect(packets.first?.pts == -1105)
    let size = Int64(rate >= 32000 ? 1152 : 576)
    // Players need two frames, of which the second one may be padding only.
    let isShort = packets.count == 2
    #expect(packets.count >= 2)
    #expect(
      packets.allSatisfy { $0.duration == size && $0.trimEnd < (isShort ? size + 1 : size) })
    #expect(isShort || packets.dropLast().allSatisfy { $0.trimEnd == 0 })
    let padding = packets.reduce(0) { $0 + $1.trimEnd }
    #expect(Int64(packets.count) * size == 1105 + Int64(total) + padding)
    for (index, packet) in packets.enumerated() {
      #expect(packet.pts == -1105 + Int64(index) * size)
      let header = try header(packet)
      #expect(header.frameLength == packet.size && header.sampleRate == rate)
    }
  }

  @Test(arguments: Parameters.sampleRates, Parameters.sampleFormats)
  func `all sample rates and formats give frames of their rate`(rate: Int, format: SampleFormat)
    throws
  {
    for layout in [ChannelLayout.mono, .stereo] {
      let (_, packets) = try encode(settings(layout, rate: rate, format: format), total: 5000)
      let header = try header(try #require(packets.first))
      #expect(header.sampleRate == rate && header.channelCount == layout.channelCount)
    }
  }

  @Test func `the same audio gives the same frames in every sample format`() throws {
    let encoded = try Parameters.sampleFormats.map { format in
      let settings = settings(format: format)
      let frame = try frame(settings.track, from: 0, count: 44100)
      for (channel, plane) in frame.planes.enumerated() {
        for index in 0..<44100 {
          let value = Int16(truncatingIfNeeded: index * (channel + 3) * 97) / 2
          switch format {
          case .s16p:
            plane.base.storeBytes(of: value, toByteOffset: index * 2, as: Int16.self)
          case .s32p:
            plane.base.storeBytes(of: Int32(value) << 16, toByteOffset: index * 4, as: Int32.self)
          default:
            plane.base.storeBytes(
              of: Float(value) / 32768, toByteOffset: index * 4, as: Float.self)
          }
        }
      }
      return try Coding.encode([frame], with: try LAMEEncoder(settings: settings)).map(\.bytes)
    }
    #expect(encoded[0] == encoded[1] && encoded[1] == encoded[2])
  }

  @Test func `no audio gives no packets`() throws {
    let encoder = try LAMEEncoder(settings: settings())
    #expect(try Coding.encode([], with: encoder).isEmpty)
  }

  @Test(arguments: [
    (44100, 192_000, 192), (44100, 107_000, 112), (44100, 8000, 32), (22050, 320_000, 160),
    (8000, 320_000, 64), (48000, 320_000, 320),
  ])
  func `constant bit rates are the nearest that frames can have`(
    rate: Int, asked: Int, expected: Int
  ) throws {
    let (encoder, packets) = try encode(settings(rate: rate, bitRate: Int64(asked)), total: 20000)
    #expect(try packets.allSatisfy { try header($0).bitRate == expected * 1000 })
    #expect((encoder.track.bitRate - Int64(expected) * 1000).magnitude < 2000)
  }

  @Test func `a lower quality number takes more bytes`() throws {
    let sizes = try [0.0, 2, 4.5, 9].map { quality in
      try encode(settings(quality: quality), total: 44100).1.reduce(0) { $0 + $1.size }
    }
    #expect(sizes == sizes.sorted(by: >) && Set(sizes).count == sizes.count)
  }

  @Test(arguments: EncoderOptions.presets)
  func `presets are qualities`(preset: (name: String, quality: Double)) throws {
    let named = try encode(settings(options: [.init("preset", preset.name)]), total: 30000).1
    let numbered = try encode(settings(quality: preset.quality), total: 30000).1
    #expect(named.map(\.bytes) == numbered.map(\.bytes))
  }

  @Test func `without rate and quality, the preset is standard`() throws {
    let usual = try encode(settings(), total: 30000).1
    let standard = try encode(settings(options: [.init("preset", "standard")]), total: 30000).1
    #expect(usual.map(\.bytes) == standard.map(\.bytes))
  }

  @Test(arguments: [
    ("channel-mode", "stereo"), ("crc", "true"), ("copyright", "true"), ("original", "false"),
    ("reservoir", "false"), ("block-types", "short"), ("lowpass", "8000"), ("highpass", "500"),
    ("scale", "0.5"), ("effort", "9"), ("rate-control", "abr"),
  ])
  func `options change the output`(option: (name: String, value: String)) throws {
    let usual = try encode(settings(bitRate: 96000), total: 30000).1
    let other = try encode(
      settings(options: [.init(option.name, option.value)], bitRate: 96000), total: 30000
    ).1
    #expect(usual.map(\.bytes) != other.map(\.bytes))
    #expect(usual.count == other.count)
  }

  @Test(arguments: EncoderOptions.all)
  func `LAME takes the first and the last value of each option`(schema: OptionSchema) throws {
    let values: [String] =
      switch schema.type {
      case .bool: ["true", "false"]
      case .int(let range): ["\(range.lowerBound)", "\(range.upperBound)"]
      case .number(let range): ["\(range.lowerBound)", "\(range.upperBound)"]
      case .choice(let words): words
      case .text: []
      }
    for value in values {
      let (_, packets) = try encode(settings(options: [.init(schema.name, value)]), total: 3000)
      #expect(packets.count >= 4, "\(schema.name) \(value)")
    }
  }

  /// Settings that the encoder does not take.
  struct WrongSettings: Sendable {
    var rate = 44100
    var channels = 2
    var format = SampleFormat.fltp
    var bitRate: Int64?
    var quality: Double?
    var options: [PluginOption] = []
    var message: String
  }

  @Test(arguments: [
    WrongSettings(rate: 96000, message: "96000"),
    WrongSettings(channels: 3, message: "3 channels"),
    WrongSettings(format: .s16, message: "s16"),
    WrongSettings(bitRate: 400_000, message: "400000"),
    WrongSettings(quality: 10, message: "quality is 10"),
    WrongSettings(bitRate: 128_000, quality: 2, message: "one of them"),
    WrongSettings(quality: 2, options: [.init("preset", "extreme")], message: "preset"),
    WrongSettings(options: [.init("speed", "1")], message: "no option speed"),
    WrongSettings(options: [.init("effort", "10")], message: "effort"),
  ])
  func `other settings are rejected with a reason`(_ wrong: WrongSettings) throws {
    let settings = settings(
      .standard(wrong.channels), rate: wrong.rate, format: wrong.format, options: wrong.options,
      bitRate: wrong.bitRate, quality: wrong.quality)
    let error = try #require(throws: MediaError.self) { try LAMEEncoder(settings: settings) }
    #expect(error.message.contains(wrong.message), "\(error.message)")
  }

  @Test(arguments: [Float.nan, .infinity, -1e8, 1000])
  func `samples that no encoder can take are limited`(sample: Float) throws {
    let settings = settings()
    let encoder = try LAMEEncoder(settings: settings)
    let frame = try frame(settings.track, from: 0, count: 5000, sample: sample)
    #expect(try Coding.encode([frame], with: encoder).count == 6)
  }

  @Test func `frames of another format are rejected`() throws {
    let encoder = try LAMEEncoder(settings: settings())
    let other = try frame(settings(.mono).track, from: 0, count: 100)
    let error = try #require(throws: MediaError.self) { try encoder.send(other) }
    #expect(error.code == .invalidArgument)
  }
}
