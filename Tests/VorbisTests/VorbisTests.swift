import Glibc
import PluginHost
import RespoolPlugin
import Testing

@testable import Vorbis

@Suite struct VorbisTests {
  private func settings(
    _ layout: ChannelLayout = .stereo, rate: Int = 48_000, options: [PluginOption] = []
  ) -> EncoderSettings {
    var track = TrackDescription(
      kind: .audio, codec: "vorbis", timeBase: Rational(1, Int32(rate)))
    track.channelLayout = layout
    track.sampleRate = rate
    track.sampleFormat = .fltp
    return EncoderSettings(track: track, options: options)
  }

  /// Returns a frame with another tone on each channel.
  private func tones(_ track: TrackDescription, from first: Int, count: Int) throws -> Frame {
    let frame = try #require(
      Frame(
        sampleFormat: .fltp, channelLayout: track.channelLayout, sampleRate: track.sampleRate,
        sampleCount: count, pts: Int64(first)))
    for (channel, plane) in frame.planes.enumerated() {
      let samples = plane.base.assumingMemoryBound(to: Float.self)
      for index in 0..<count {
        samples[index] = tone(
          channel, of: frame.planes.count, at: first + index, rate: track.sampleRate)
      }
    }
    return frame
  }

  /// Returns an audio sample of a channel's tone, which is low on an LFE channel.
  private func tone(_ channel: Int, of count: Int, at index: Int, rate: Int) -> Float {
    let pitch = count >= 6 && channel == 3 ? 50 : 110 + 90 * Double(channel)
    return Float(0.3 * sin(2 * .pi * pitch * Double(index) / Double(rate)))
  }

  private func encode(_ settings: EncoderSettings, total: Int, step: Int = 1500) throws -> (
    TrackDescription, [Packet]
  ) {
    let encoder = try VorbisEncoder(settings: settings)
    let frames = try stride(from: 0, to: total, by: step).map {
      try tones(settings.track, from: $0, count: min(step, total - $0))
    }
    let packets = try Coding.encode(frames, with: encoder)
    return (encoder.track, packets)
  }

  /// Returns the decoded audio samples of each channel, trimmed as the host does.
  private func decode(_ track: TrackDescription, _ packets: [Packet]) throws -> [[Float]] {
    let decoder = try VorbisDecoder(settings: DecoderSettings(track: track))
    var channels = [[Float]](repeating: [], count: track.channelLayout.channelCount)
    for packet in packets {
      _ = try decoder.send(packet)
      guard case .value(let frame) = try decoder.receive() else {
        // The first packet gives no audio.
        #expect((packet.pts ?? 0) + packet.duration == 0)
        continue
      }
      #expect(frame.pts == packet.pts && Int64(frame.sampleCount) == packet.duration)
      for (channel, plane) in frame.planes.enumerated() {
        let samples = plane.base.assumingMemoryBound(to: Float.self)
        channels[channel] += UnsafeBufferPointer(
          start: samples, count: frame.sampleCount - Int(packet.trimEnd))
      }
    }
    return channels
  }

  @Test(arguments: [1, 2, 127, 128, 1024, 4097, 48_001], [8000, 44_100, 48_000, 192_000])
  func `every length round-trips exactly`(total: Int, rate: Int) throws {
    let (track, packets) = try encode(settings(rate: rate), total: total)
    #expect(packets.first?.pts == Int64(-track.initialPadding))
    let channels = try decode(track, packets)
    #expect(channels.map(\.count) == [total, total])
  }

  @Test(arguments: 1...8) func `every channel stays in its place`(count: Int) throws {
    let options = [PluginOption("quality", "9")]
    let (track, packets) = try encode(settings(.vorbis(count), options: options), total: 24_000)
    for (channel, samples) in try decode(track, packets).enumerated() {
      let error = samples.indices.map { index in
        Double(samples[index] - tone(channel, of: count, at: index, rate: 48_000))
      }
      let mean = error.reduce(0) { $0 + $1 * $1 } / Double(error.count)
      // Another channel would be at 0.09.
      #expect(mean < 5e-3, "channel \(channel)")
    }
  }

  @Test func `the size of frames does not change the stream`() throws {
    let (first, packets) = try encode(settings(), total: 30_000, step: 30_000)
    let (second, others) = try encode(settings(), total: 30_000, step: 77)
    #expect(first == second)
    #expect(packets.map(\.bytes) == others.map(\.bytes))
  }

  @Test(arguments: [-1.0, 0, 5, 10]) func `all qualities are taken`(quality: Double) throws {
    var settings = settings(options: [PluginOption("quality", "\(quality)")])
    let (_, packets) = try encode(settings, total: 20_000)
    guard quality >= 0 else { return }
    settings.options = []
    settings.quality = quality
    let (_, others) = try encode(settings, total: 20_000)
    #expect(packets.map(\.bytes) == others.map(\.bytes))
  }

  @Test func `bit rates are averages, or limits`() throws {
    var settings = settings(rate: 44_100)
    settings.bitRate = 96_000
    #expect(try encode(settings, total: 20_000).0.bitRate == 96_000)
    settings.options = [PluginOption("managed", "true"), .init("maximum-bitrate", "112000")]
    _ = try encode(settings, total: 20_000)
    settings.options = [.init("minimum-bitrate", "90000"), .init("maximum-bitrate", "80000")]
    #expect(throws: MediaError.self) { try VorbisEncoder(settings: settings) }
    settings.options = []
    settings.bitRate = 3_000_000
    #expect(throws: MediaError.self) { try VorbisEncoder(settings: settings) }
  }

  @Test func `audio without values and no audio are encoded`() throws {
    let settings = settings()
    let frame = try tones(settings.track, from: 0, count: 4000)
    let samples = frame.planes[0].base.assumingMemoryBound(to: Float.self)
    (samples[10], samples[11], samples[12]) = (.nan, .infinity, -.infinity)
    let encoder = try VorbisEncoder(settings: settings)
    let packets = try Coding.encode([frame], with: encoder)
    let channels = try decode(encoder.track, packets)
    #expect(channels[0].count == 4000 && channels[0].allSatisfy(\.isFinite))
    #expect(try Coding.encode([], with: VorbisEncoder(settings: settings)).isEmpty)
  }

  @Test func `damaged packets and headers are errors`() throws {
    let (track, packets) = try encode(settings(), total: 10_000)
    var broken = track
    for count in stride(from: 0, to: track.extradata.count - 1, by: 97) {
      broken.extradata = Array(track.extradata.prefix(count))
      #expect(throws: MediaError.self) {
        try VorbisDecoder(settings: DecoderSettings(track: broken))
      }
    }
    let decoder = try VorbisDecoder(settings: DecoderSettings(track: track))
    var header = packets[0]
    header.payload = .bytes(MediaBuffer([1, 2, 3]))
    #expect(throws: MediaError.self) { try decoder.send(header) }
    _ = try decoder.send(packets[0])
    _ = try decoder.send(packets[1])
  }
}
