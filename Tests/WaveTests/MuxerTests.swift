import PluginHost
import RespoolMedia
import Testing

@Suite struct WaveMuxerTests {
  @Test(arguments: [
    ("pcm_u8", 1), ("pcm_s16le", 2), ("pcm_s24le", 3), ("pcm_s32le", 4), ("pcm_f32le", 4),
    ("pcm_f64le", 8), ("pcm_alaw", 1), ("pcm_mulaw", 1),
  ])
  func `samples round-trip`(codec: String, bytes: Int) throws {
    let sound = noise(bytes * 2 * 5001)
    let track = samplesTrack(codec, bytes: bytes)
    let file = try waveFile(track, [packet(sound)])
    let (media, back) = try read(file)
    #expect(back == sound)
    #expect(media.tracks.count == 1)
    #expect(media.tracks[0].codec == codec)
    #expect(media.tracks[0].channelLayout.channelCount == 2)
    #expect(media.tracks[0].sampleRate == 48_000)
    #expect(media.tracks[0].duration == 5001)
    #expect(media.tracks[0].timeBase == Rational(1, 48_000))
    #expect(number(file.bytes, at: 4) == UInt32(file.bytes.count - 8))
    #expect(file.bytes.count % 2 == 0)
  }

  @Test func `an odd size is padded`() throws {
    let file = try waveFile(samplesTrack("pcm_u8", bytes: 1, channels: 1), [packet([1, 2, 3])])
    #expect(file.bytes.suffix(4) == [1, 2, 3, 0])
    #expect(number(file.bytes, at: file.bytes.count - 8) == 3)
    #expect(number(file.bytes, at: 4) == UInt32(file.bytes.count - 8))
    #expect(try read(file).bytes == [1, 2, 3])
  }

  @Test(arguments: [1, 2, 3, 6, 8, 64])
  func `the channels are kept`(count: Int) throws {
    let sound = noise(count * 2 * 100)
    let (media, back) = try read(
      try waveFile(samplesTrack("pcm_s16le", bytes: 2, channels: count), [packet(sound)]))
    #expect(back == sound)
    #expect(media.tracks[0].channelLayout.channelCount == count)
    if count > 2 {
      #expect(media.tracks[0].channelLayout == .standard(count))
    }
  }

  @Test func `an unusual channel mask is kept`() throws {
    let layout = ChannelLayout(mask: 0x60F)
    let track = samplesTrack("pcm_s16le", bytes: 2, layout: layout)
    let (media, _) = try read(try waveFile(track, [packet(noise(120))]))
    #expect(media.tracks[0].channelLayout == layout)
  }

  @Test func `metadata except the encoder is kept`() throws {
    let metadata = [
      MetadataEntry("title", "Süßes Lied"), MetadataEntry("artist", "A"),
      MetadataEntry("track", "3"), MetadataEntry("IENG", "someone"),
      MetadataEntry("encoder", "x 1.2"), MetadataEntry("major_brand", "isom"),
    ]
    let file = try waveFile(
      samplesTrack("pcm_s16le", bytes: 2), [packet(noise(8))], metadata: metadata)
    #expect(try read(file).media.metadata == Array(metadata.prefix(4)))
  }

  @Test func `space for large sizes is reserved`() throws {
    let file = try waveFile(samplesTrack("pcm_s16le", bytes: 2), [packet(noise(8))])
    #expect(text(file.bytes, 0..<4) == "RIFF")
    #expect(text(file.bytes, 12..<16) == "JUNK")
    #expect(number(file.bytes, at: 16) == 28)
  }

  @Test func `RF64 is written on request`() throws {
    let sound = noise(4 * 300)
    let file = try waveFile(
      samplesTrack("pcm_s16le", bytes: 2), [packet(sound)],
      options: [PluginOption("rf64", "always")])
    #expect(text(file.bytes, 0..<4) == "RF64")
    #expect(number(file.bytes, at: 4) == .max)
    #expect(text(file.bytes, 12..<16) == "ds64")
    #expect(number(file.bytes, at: 20) == UInt32(file.bytes.count - 8))
    #expect(number(file.bytes, at: 28) == UInt32(sound.count))
    #expect(number(file.bytes, at: 36) == 300)
    #expect(number(file.bytes, at: file.bytes.count - sound.count - 4) == .max)
    let (media, back) = try read(file)
    #expect(back == sound)
    #expect(media.tracks[0].duration == 300)
  }

  @Test func `a stream is written without sizes`() throws {
    let sound = noise(4 * 30)
    let file = try waveFile(
      samplesTrack("pcm_s16le", bytes: 2), [packet(sound)], isStream: true)
    #expect(number(file.bytes, at: 4) == .max)
    #expect(try read(file).bytes == sound)
    file.isStream = false
    #expect(try read(file).bytes == sound)
  }

  @Test func `hidden samples are not written`() throws {
    let sound = noise(2 * 100)
    let track = samplesTrack("pcm_s16le", bytes: 2, channels: 1)
    let file = try waveFile(
      track,
      [
        packet(Array(sound[..<100]), pts: -20), packet(Array(sound[100..<140]), pts: 30),
        packet(Array(sound[140...]), pts: 50, trimStart: 2, trimEnd: 5),
      ])
    #expect(try read(file).bytes == Array(sound[40..<140] + sound[144..<190]))
  }

  @Test(arguments: [("pcm_s16le", 2, 0), ("pcm_u8", 1, 0x80), ("pcm_mulaw", 1, 0xFF)])
  func `audio that starts late stays late`(codec: String, bytes: Int, silence: Int) throws {
    let track = samplesTrack(codec, bytes: bytes, channels: 1)
    let file = try waveFile(track, [packet(noise(8), pts: 5000)])
    let expected = [UInt8](repeating: UInt8(silence), count: 5000 * bytes) + noise(8)
    #expect(try read(file).bytes == expected)
  }

  @Test(arguments: [.max, 48_000 * 3601] as [Int64])
  func `silence has a limit`(pts: Int64) throws {
    let track = samplesTrack("pcm_s16le", bytes: 2)
    let error = #expect(throws: MediaError.self) {
      _ = try waveFile(track, [packet(noise(8), pts: pts)])
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test(arguments: [Int64.min, Int64.max])
  func `extreme trims do not trap`(trim: Int64) throws {
    let track = samplesTrack("pcm_s16le", bytes: 2)
    let file = try waveFile(
      track, [packet(noise(8), pts: trim == .min ? .min + 1 : 0, trimStart: trim, trimEnd: trim)])
    #expect(try read(file).bytes.isEmpty)
  }

  @Test func `one track of a supported codec is accepted`() throws {
    let plugin = try LoadedPlugin("Wave")
    let track = samplesTrack("pcm_s16le", bytes: 2)
    var other = track
    other.codec = "opus"
    for tracks in [[], [track, track], [other]] {
      let error = #expect(throws: MediaError.self) {
        let media = MediaDescription(format: "wav", tracks: tracks)
        _ = try OpenMuxer(plugin, "wav", media, MemoryFile())
      }
      #expect(error?.code == .unsupported)
    }
  }

  @Test func `a sink that fails is reported`() throws {
    let media = MediaDescription(format: "wav", tracks: [samplesTrack("pcm_s16le", bytes: 2)])
    let file = MemoryFile()
    let muxer = try OpenMuxer(try LoadedPlugin("Wave"), "wav", media, file)
    file.failure = -1
    let error = #expect(throws: MediaError.self) { try muxer.write(packet(noise(8))) }
    #expect(error?.code == .io)
  }
}
