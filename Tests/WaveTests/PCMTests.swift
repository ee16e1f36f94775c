import PluginHost
import RespoolMedia
import Testing

@Suite struct PCMTests {
  private func decode(_ codec: String, _ bytes: [UInt8], channels: Int = 1) throws -> Frame {
    let track = samplesTrack(codec, bytes: 1, channels: channels)
    let decoder = try OpenDecoder(try LoadedPlugin("PCM"), "pcm", track)
    _ = try decoder.send(packet(bytes, pts: 11))
    guard case .value(let frame) = try decoder.receive() else {
      throw MediaError(.internal, "no frame")
    }
    #expect(frame.pts == 11)
    return frame
  }

  private func samples<T: Equatable>(_ frame: Frame, _: T.Type) -> [T] {
    let count = frame.sampleCount * frame.channelLayout.channelCount
    let base = UnsafeRawPointer(frame.planes[0].base)
    return (0..<count).map {
      base.loadUnaligned(fromByteOffset: $0 * MemoryLayout<T>.size, as: T.self)
    }
  }

  @Test func `integers are decoded as in FFmpeg`() throws {
    #expect(samples(try decode("pcm_u8", [0, 255]), UInt8.self) == [0, 255])
    #expect(samples(try decode("pcm_s8", [0x80, 0, 0x7F]), UInt8.self) == [0, 0x80, 0xFF])
    #expect(samples(try decode("pcm_s16le", [1, 0x80]), Int16.self) == [-32767])
    #expect(samples(try decode("pcm_s16be", [0x80, 1]), Int16.self) == [-32767])
    #expect(samples(try decode("pcm_s24le", [1, 2, 0x83]), Int32.self) == [-0x7CFDFF00])
    #expect(samples(try decode("pcm_s24be", [0x83, 2, 1]), Int32.self) == [-0x7CFDFF00])
    #expect(samples(try decode("pcm_s32le", [1, 2, 3, 4]), Int32.self) == [0x0403_0201])
    #expect(samples(try decode("pcm_s32be", [4, 3, 2, 1]), Int32.self) == [0x0403_0201])
  }

  @Test func `floating point of both byte orders is decoded`() throws {
    #expect(samples(try decode("pcm_f32le", [0, 0, 0x80, 0xBF]), Float.self) == [-1])
    #expect(samples(try decode("pcm_f32be", [0xBF, 0x80, 0, 0]), Float.self) == [-1])
    #expect(samples(try decode("pcm_f64le", [0, 0, 0, 0, 0, 0, 0xE0, 0x3F]), Double.self) == [0.5])
    #expect(samples(try decode("pcm_f64be", [0x3F, 0xE0, 0, 0, 0, 0, 0, 0]), Double.self) == [0.5])
  }

  // The values of ITU-T G.711, tables 1a to 2b, on the scale of 16 bits.
  @Test func `the laws of G711 are decoded`() throws {
    #expect(
      samples(try decode("pcm_alaw", [0xD5, 0x55, 0xAA, 0x2A, 0xC5]), Int16.self)
        == [8, -8, 32256, -32256, 264])
    #expect(
      samples(try decode("pcm_mulaw", [0xFF, 0x7F, 0x80, 0x00, 0xEF]), Int16.self)
        == [0, 0, 32124, -32124, 132])
  }

  @Test func `native samples are not copied`() throws {
    let track = samplesTrack("pcm_s16le", bytes: 2)
    let decoder = try OpenDecoder(try LoadedPlugin("PCM"), "pcm", track)
    let source = packet(noise(400))
    _ = try decoder.send(source)
    guard case .value(let frame) = try decoder.receive() else {
      Issue.record("no frame")
      return
    }
    #expect(frame.planes[0].base == source.buffer?.bytes.baseAddress)
    let encoder = try OpenEncoder(try LoadedPlugin("PCM"), "pcm_s16le", track)
    _ = try encoder.send(frame)
    guard case .value(let packet) = try encoder.receive() else {
      Issue.record("no packet")
      return
    }
    #expect(packet.buffer?.bytes.baseAddress == source.buffer?.bytes.baseAddress)
    #expect(packet.size == 400)
  }

  @Test(arguments: [
    ("pcm_u8", 1), ("pcm_s16le", 2), ("pcm_s24le", 3), ("pcm_s32le", 4), ("pcm_f32le", 4),
    ("pcm_f64le", 8), ("pcm_alaw", 1), ("pcm_mulaw", 1),
  ])
  func `decoding and encoding give the same bytes`(codec: String, bytes: Int) throws {
    // All codes of one byte. 0x7F of the mu-law is a second zero and is encoded as the first.
    let sound = (0..<256).flatMap { code in
      [UInt8](repeating: codec == "pcm_mulaw" && code == 0x7F ? 0xFF : UInt8(code), count: bytes)
    }
    let frame = try decode(codec, sound, channels: 2)
    let track = samplesTrack(codec, bytes: bytes)
    let encoder = try OpenEncoder(try LoadedPlugin("PCM"), codec, track)
    #expect(encoder.track.codec == codec)
    #expect(encoder.track.blockAlign == bytes * 2)
    #expect(try encoder.send(frame) == .accepted)
    #expect(try encoder.send(frame) == .full)
    guard case .value(let packet) = try encoder.receive() else {
      Issue.record("no packet")
      return
    }
    #expect(packet.buffer.map { Array($0.readOnly) } == sound)
    #expect(packet.pts == 11)
    #expect(packet.duration == 128)
    _ = try encoder.send(nil)
    guard case .end = try encoder.receive() else {
      Issue.record("not drained")
      return
    }
  }

  @Test func `part of a sample is dropped`() throws {
    let frame = try decode("pcm_s24le", noise(3 * 2 * 4 + 5), channels: 2)
    #expect(frame.sampleCount == 4)
    let decoder = try OpenDecoder(
      try LoadedPlugin("PCM"), "pcm", samplesTrack("pcm_s16le", bytes: 2))
    _ = try decoder.send(packet([1, 2, 3]))
    guard case .needsInput = try decoder.receive() else {
      Issue.record("a frame of nothing")
      return
    }
  }

  @Test func `a frame of another format is rejected`() throws {
    let frame = try decode("pcm_u8", [1, 2])
    let track = samplesTrack("pcm_s16le", bytes: 2, channels: 1)
    let encoder = try OpenEncoder(try LoadedPlugin("PCM"), "pcm_s16le", track)
    let error = #expect(throws: MediaError.self) { _ = try encoder.send(frame) }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [0, 65])
  func `channels have a limit`(count: Int) throws {
    let plugin = try LoadedPlugin("PCM")
    var track = samplesTrack("pcm_s16le", bytes: 2)
    track.channelLayout = ChannelLayout(channelCount: count)
    #expect(throws: MediaError.self) { _ = try OpenDecoder(plugin, "pcm", track) }
    #expect(throws: MediaError.self) { _ = try OpenEncoder(plugin, "pcm_s16le", track) }
  }
}
