import PluginHost
import RespoolPlugin
import Testing

@testable import FLAC

@Suite struct FLACCodecTests {
  @Test(arguments: [0, 1, 15, 16, 4095, 4096, 4097, 50_001], [16, 20, 24, 32])
  func `every audio sample round-trips with its MD5`(total: Int, depth: Int) throws {
    let audio = Audio(depth: depth)
    let (track, packets) = try audio.encode(total)
    let info = try FLACStreamInfo(track.extradata)
    #expect(info.sampleCount == UInt64(total))
    #expect(Int(info.bitsPerSample) == depth)
    #expect(packets.reduce(0) { $0 + $1.duration } == Int64(total))
    let decoder = try FLACDecoder(
      settings: DecoderSettings(track: track, options: [PluginOption("strict", "true")]))
    #expect(try Audio.decode(packets, with: decoder) == audio.values(total))
  }

  @Test(arguments: 1...8, [8000, 44_100, 192_000, 655_350])
  func `channels and sample rates round-trip`(channels: Int, rate: Int) throws {
    let audio = Audio(depth: 24, channels: channels, sampleRate: rate)
    let (track, packets) = try audio.encode(5000)
    let decoder = try FLACDecoder(settings: DecoderSettings(track: track))
    #expect(try Audio.decode(packets, with: decoder) == audio.values(5000))
  }

  @Test func `damaged frames become silence, or errors if the decoder is strict`() throws {
    let audio = Audio(depth: 16)
    let (track, packets) = try audio.encode(20_000)
    var damaged = packets
    var bytes = try #require(packets[1].buffer.map { Array($0.readOnly) })
    bytes[bytes.count / 2] ^= 0x55
    damaged[1].payload = .bytes(MediaBuffer(bytes))
    let decoder = try FLACDecoder(settings: DecoderSettings(track: track))
    var frames: [Frame] = []
    for packet in damaged {
      _ = try decoder.send(packet)
      while case .value(let frame) = try decoder.receive() { frames.append(frame) }
    }
    #expect(frames.map { $0.flags.contains(.corrupt) } == packets.indices.map { $0 == 1 })
    #expect(frames.reduce(0) { $0 + $1.sampleCount } == 20_000)
    let strict = try FLACDecoder(
      settings: DecoderSettings(track: track, options: [PluginOption("strict", "true")]))
    _ = try strict.send(damaged[0])
    _ = try strict.receive()
    #expect(throws: MediaError.self) { try strict.send(damaged[1]) }
    _ = try strict.send(damaged[2])
  }

  @Test func `a strict decoder rejects audio with another MD5`() throws {
    let (track, packets) = try Audio(depth: 16).encode(9000)
    var other = track
    var info = try FLACStreamInfo(track.extradata)
    info.md5[3] ^= 1
    other.extradata = info.bytes
    let strict = [PluginOption("strict", "true")]
    let decoder = try FLACDecoder(settings: DecoderSettings(track: other, options: strict))
    #expect(throws: MediaError.self) { try Audio.decode(packets, with: decoder) }
    // Part of the audio has no MD5 to compare with.
    let part = try FLACDecoder(settings: DecoderSettings(track: other, options: strict))
    _ = try Audio.decode(packets.dropFirst(), with: part)
  }

  @Test(arguments: [
    ("compression-level", "9"), ("block-size", "8"), ("stereo", "joint"), ("lpc-precision", "3"),
    ("max-lpc-order", "x"), ("unknown", "1"),
  ])
  func `wrong options are rejected`(name: String, value: String) throws {
    var settings = Audio(depth: 16).settings
    settings.options = [PluginOption(name, value)]
    #expect(throws: MediaError.self) { try FLACEncoder(settings: settings) }
  }

  @Test(arguments: [
    ("block-size", "16384"), ("max-lpc-order", "32"), ("stereo", "independent"),
    ("stereo", "adaptive"), ("lpc-precision-search", "true"), ("exhaustive-search", "true"),
    ("apodization", "hann"), ("verify", "true"), ("max-partition-order", "3"),
    ("min-partition-order", "2"),
  ])
  func `options keep the audio`(name: String, value: String) throws {
    let audio = Audio(depth: 16)
    let (track, packets) = try audio.encode(40_000, [PluginOption(name, value)])
    let decoder = try FLACDecoder(settings: DecoderSettings(track: track))
    #expect(try Audio.decode(packets, with: decoder) == audio.values(40_000))
  }

  @Test func `tracks that FLAC cannot hold are rejected`() {
    var settings = Audio(depth: 16, channels: 8).settings
    settings.track.channelLayout = ChannelLayout(channelCount: 9)
    #expect(throws: MediaError.self) { try FLACEncoder(settings: settings) }
    settings = Audio(depth: 16, sampleRate: 700_000).settings
    #expect(throws: MediaError.self) { try FLACEncoder(settings: settings) }
    settings = Audio(depth: 16).settings
    settings.track.sampleFormat = .flt
    #expect(throws: MediaError.self) { try FLACEncoder(settings: settings) }
  }

  @Test(
    arguments: [
      0, 127, 128, 2047, 2048, 65_535, 65_536, 2_097_152, 67_108_864, 2_147_483_648, 68_719_476_735,
    ] as [Int64])
  func `frames get other numbers`(number: Int64) throws {
    let audio = Audio(depth: 16)
    let (track, packets) = try audio.encode(4096)
    let frame = try #require(packets[0].buffer)
    let header = try #require(FLACFrameHeader(frame.readOnly.prefix(16)))
    let bytes = header.renumbered(frame.readOnly, number: number, hasVariableSize: true)
    let other = try #require(FLACFrameHeader(bytes.prefix(16)))
    #expect(other.number == number && other.hasVariableSize && other.blockSize == 4096)
    var packet = packets[0]
    packet.payload = .bytes(MediaBuffer(bytes))
    let decoder = try FLACDecoder(
      settings: DecoderSettings(track: track, options: [PluginOption("strict", "true")]))
    #expect(try Audio.decode([packet], with: decoder) == audio.values(4096))
  }
}
