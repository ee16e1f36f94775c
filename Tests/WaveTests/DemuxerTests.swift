import CRespool
import PluginHost
import RespoolMedia
import Testing

@Suite struct WaveDemuxerTests {
  private let track = samplesTrack("pcm_s16le", bytes: 2)

  /// Returns the bytes of a chunk.
  private func chunk(_ name: String, _ body: [UInt8], size: UInt32? = nil) -> [UInt8] {
    let count = size ?? UInt32(body.count)
    let head = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * UInt32($0))) }
    return Array(name.utf8) + head + body + (body.count % 2 == 1 ? [0] : [])
  }

  private func riff(_ chunks: [UInt8]...) -> MemoryFile {
    MemoryFile(
      chunk("RIFF", Array("WAVE".utf8) + chunks.flatMap { $0 }), name: "test.wav")
  }

  private func format(
    tag: UInt8, channels: UInt8 = 1, align: UInt8, bits: UInt8, more: [UInt8] = [],
    high: UInt8 = 0
  ) -> [UInt8] {
    chunk(
      "fmt ",
      [tag, high, channels, 0, 0x40, 0x1F, 0, 0, 0, 0x7D, 0, 0, align, 0, bits, 0]
        + (more.isEmpty ? [] : [UInt8(more.count), 0] + more))
  }

  @Test func `packets are whole blocks of at most 4096 bytes`() throws {
    let sound = noise(3 * 3000)
    let file = try waveFile(samplesTrack("pcm_s24le", bytes: 3, channels: 1), [packet(sound)])
    let packets = try OpenDemuxer(try LoadedPlugin("Wave"), "wav", file).readAll()
    #expect(packets.map(\.size) == [4095, 4095, 810])
    #expect(packets.map(\.pts) == [0, 1365, 2730])
    #expect(packets.map(\.dts) == [0, 1365, 2730])
    #expect(packets.map(\.duration) == [1365, 1365, 270])
    #expect(packets.allSatisfy { $0.flags == .key })
  }

  @Test func `payloads are ranges of the source`() throws {
    let file = try waveFile(track, [packet(noise(16))])
    let demuxer = try OpenDemuxer(try LoadedPlugin("Wave"), "wav", file)
    let first = try #require(try demuxer.read())
    guard case .range(let offset, let length) = first.payload else {
      Issue.record("bytes were copied")
      return
    }
    #expect(offset == Int64(file.bytes.count - 16))
    #expect(length == 16)
    #expect(try demuxer.read() == nil)
    #expect(try demuxer.read() == nil)
  }

  @Test func `a seek is exact to the sample`() throws {
    let sound = noise(4 * 9000)
    let file = try waveFile(track, [packet(sound)])
    let demuxer = try OpenDemuxer(try LoadedPlugin("Wave"), "wav", file)
    for time in [8999, 0, 4321] as [Int64] {
      try demuxer.seek(track: 0, to: time)
      let next = try #require(try demuxer.read())
      #expect(next.pts == time)
      #expect(file.payload(of: next).prefix(4) == sound[Int(time) * 4..<Int(time) * 4 + 4])
    }
    for time in [Int64.max, 9000] {
      try demuxer.seek(track: 0, to: time)
      #expect(try demuxer.read() == nil)
    }
    try demuxer.seek(track: 0, to: .min)
    #expect(try demuxer.read()?.pts == 0)
    #expect(throws: MediaError.self) { try demuxer.seek(track: 1, to: 0) }
  }

  @Test func `deselected tracks are not read`() throws {
    let file = try waveFile(track, [packet(noise(16))])
    let demuxer = try OpenDemuxer(try LoadedPlugin("Wave"), "wav", file)
    try demuxer.select([false])
    #expect(try demuxer.read() == nil)
    try demuxer.select([true])
    #expect(try demuxer.read() != nil)
    #expect(throws: MediaError.self) { try demuxer.select([true, true]) }
  }

  @Test(arguments: [0, UInt32.max, 5000])
  func `data without an end lasts to the end of the file`(size: UInt32) throws {
    let sound = noise(100)
    let file = riff(format(tag: 1, align: 2, bits: 16), chunk("data", sound, size: size))
    let (media, bytes) = try read(file)
    #expect(bytes == sound)
    #expect(media.tracks[0].duration == 50)
    #expect((media.warning != nil) == (size == 5000))
  }

  @Test func `metadata after the audio is found`() throws {
    let list = Array("INFO".utf8) + chunk("INAM", [0x61, 0xE9]) + chunk("IXXX", [0x62])
    let file = riff(
      format(tag: 1, align: 1, bits: 8), chunk("data", [1, 2, 3]), chunk("odd ", [9]),
      chunk("LIST", list))
    let (media, bytes) = try read(file)
    #expect(bytes == [1, 2, 3])
    // Text that is not UTF-8 is read as Latin-1.
    #expect(media.metadata == [MetadataEntry("title", "aé"), MetadataEntry("IXXX", "b")])
  }

  @Test func `fewer bits than their container are its high bits`() throws {
    let file = riff(format(tag: 1, align: 4, bits: 24), chunk("data", noise(40)))
    let media = try read(file).media
    #expect(media.tracks[0].codec == "pcm_s32le")
    #expect(media.tracks[0].duration == 10)
  }

  @Test(arguments: [20, 24] as [UInt8])
  func `valid bits are the high ones of their container`(bits: UInt8) throws {
    let subformat: [UInt8] = [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    let sound = noise(40)
    let file = riff(
      format(tag: 0xFE, align: 4, bits: 32, more: [bits, 0, 4, 0, 0, 0] + subformat, high: 0xFF),
      chunk("data", sound))
    let (media, bytes) = try read(file)
    #expect(media.tracks[0].codec == "pcm_s32le")
    #expect(bytes == sound)
  }

  @Test func `blocks of ADPCM count their samples`() throws {
    let file = riff(
      format(tag: 0x11, align: 36, bits: 4, more: [65, 0]), chunk("fact", [100, 0, 0, 0]),
      chunk("data", noise(72)))
    let demuxer = try OpenDemuxer(try LoadedPlugin("Wave"), "wav", file)
    let packets = try demuxer.readAll()
    #expect(demuxer.media.tracks[0].codec == "adpcm_ima_wav")
    #expect(demuxer.media.tracks[0].extradata == [65, 0])
    #expect(demuxer.media.tracks[0].duration == 100)
    #expect(packets.map(\.duration) == [130])
    #expect(packets.map(\.trimEnd) == [30])
  }

  @Test(arguments: [0x55, 0xFF, 0x61])
  func `other codecs are left to other plugins`(tag: UInt8) throws {
    let file = riff(format(tag: tag, align: 1, bits: 0), chunk("data", noise(40)))
    let error = #expect(throws: MediaError.self) { _ = try read(file) }
    #expect(error?.code == .unsupported)
    #expect(try probe(file.bytes, "a.wav") < 25)
  }

  @Test func `coded bitstreams are not samples`() throws {
    let burst: [UInt8] = [0x72, 0xF8, 0x1F, 0x4E, 0, 0, 0, 0]
    let file = riff(format(tag: 1, align: 2, bits: 16), chunk("data", burst))
    let error = #expect(throws: MediaError.self) { _ = try read(file) }
    #expect(error?.code == .unsupported)
  }

  private func probe(_ bytes: [UInt8], _ name: String) throws -> Int {
    let plugin = try LoadedPlugin("Wave")
    let factory = try plugin.factory(.demuxer, "wav", as: rsp_demuxer_factory.self)
    let head = UnsafeRawPointer(factory).assumingMemoryBound(to: rsp_factory.self)
    return Int(factory.pointee.probe(head, bytes, bytes.count, name))
  }

  @Test func `a file is recognized by signature and structure`() throws {
    let file = try waveFile(track, [packet(noise(16))])
    #expect(try probe(file.bytes, "a") == 100)
    #expect(try probe(Array(file.bytes.prefix(12)), "a") == 75)
    #expect(try probe(Array(file.bytes.prefix(11)), "a") == 0)
    #expect(try probe([], "a.WAV") == 25)
    #expect(try probe(chunk("RIFF", Array("AVI LIST".utf8)), "a.avi") == 0)
  }

  @Test func `a source that fails is reported`() throws {
    let file = try waveFile(track, [packet(noise(16))])
    file.failure = -1
    let error = #expect(throws: MediaError.self) { _ = try read(file) }
    #expect(error?.code == .io)
  }

  @Test(arguments: [false, true])
  func `every truncation gives less or an error`(isStream: Bool) throws {
    for options in [[], [PluginOption("rf64", "always")]] {
      let sound = noise(6 * 4 * 20)
      let whole = try waveFile(
        samplesTrack("pcm_f32le", bytes: 4, channels: 6), [packet(sound)],
        metadata: [MetadataEntry("title", "abc")], options: options
      ).bytes
      let headerSize = whole.count - sound.count
      for count in 0..<whole.count {
        let file = MemoryFile(Array(whole.prefix(count)), name: "test.wav")
        file.isStream = isStream
        if count < headerSize {
          let error = #expect(throws: MediaError.self) { _ = try read(file) }
          #expect([.malformed, .unsupported].contains(error?.code))
        } else {
          let bytes = try read(file).bytes
          let isWhatIsThere = bytes == Array(sound.prefix((count - headerSize) / 24 * 24))
          #expect(isWhatIsThere, "\(bytes.count) bytes of \(count)")
        }
      }
    }
  }

  @Test func `no byte of the header makes the demuxer trap`() throws {
    let whole = try waveFile(
      samplesTrack("pcm_s16le", bytes: 2, channels: 6), [packet(noise(120))],
      metadata: [MetadataEntry("title", "abc")], options: [PluginOption("rf64", "always")]
    ).bytes
    var failures = 0
    for index in whole.indices.prefix(whole.count - 120) {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        for isStream in [false, true] {
          var bytes = whole
          bytes[index] = value
          let file = MemoryFile(bytes, name: "test.wav")
          file.isStream = isStream
          do {
            #expect(try read(file).bytes.count <= whole.count)
          } catch {
            failures += 1
          }
        }
      }
    }
    #expect(failures > 0)
  }
}
