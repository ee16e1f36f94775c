import PluginHost
import RespoolPlugin
import Testing

@testable import AVCodec

@Suite struct EncoderTests {
  private func sound(_ format: SampleFormat, _ layout: ChannelLayout = .stereo) -> TrackDescription
  {
    var track = TrackDescription(kind: .audio, codec: "", timeBase: Rational(1, 44100))
    track.sampleRate = 44100
    track.channelLayout = layout
    track.sampleFormat = format
    return track
  }

  /// The totals are a whole number of frames, or one audio sample more or less, and others.
  @Test(arguments: [1, 1023, 1024, 1025, 2048, 5000, 44100])
  func `AAC states its padding to the sample`(total: Int) throws {
    let track = sound(.fltp)
    let encoder = try AACEncoder(settings: EncoderSettings(track: track))
    #expect(encoder.track.codec == "aac")
    #expect(encoder.track.initialPadding == 1024)
    #expect(encoder.track.frameSize == 1024)
    // AudioSpecificConfig: object type 2, 44100 Hz, two channels (ISO/IEC 14496-3 1.6.2.1).
    #expect(encoder.track.extradata.starts(with: [0x12, 0x10]))
    let packets = try Coding.encode(
      Coding.ramp(track, total: total, size: 1024, step: 7), with: encoder)
    #expect(packets.first?.pts == -1024)
    for (index, packet) in packets.enumerated() {
      #expect(packet.pts == Int64(index - 1) * 1024)
      #expect(packet.duration == 1024)
      #expect(packet.trimEnd == 0 || index == packets.count - 1)
    }
    let last = try #require(packets.last)
    #expect((last.pts ?? 0) + last.duration - last.trimEnd == Int64(total))
    let decoded = try Coding.decode(
      packets, with: AVCodecDecoder(settings: DecoderSettings(track: encoder.track)))
    #expect(decoded.reduce(0) { $0 + $1.sampleCount } == packets.count * 1024)
    #expect(decoded.map(\.pts) == packets.map(\.pts))
  }

  @Test func `AAC makes the same bytes twice and names no version`() throws {
    let track = sound(.fltp)
    func make() throws -> [[UInt8]] {
      try Coding.encode(
        Coding.ramp(track, total: 10000, size: 1024, step: 11),
        with: AACEncoder(settings: EncoderSettings(track: track, bitRate: 96000))
      ).map(\.bytes)
    }
    let first = try make()
    let second = try make()
    #expect(first == second)
    #expect(!String(decoding: first.joined(), as: UTF8.self).contains("Lavc"))
  }

  @Test(arguments: AACEncoder.description.channelLayouts)
  func `AAC accepts every layout that it names`(layout: ChannelLayout) throws {
    let encoder = try AACEncoder(settings: EncoderSettings(track: sound(.fltp, layout)))
    let packets = try Coding.encode(
      Coding.ramp(sound(.fltp, layout), total: 3000, size: 1024, step: 3), with: encoder)
    let decoded = try Coding.decode(
      packets, with: AVCodecDecoder(settings: DecoderSettings(track: encoder.track)))
    #expect(decoded.last?.channelLayout.channelCount == layout.channelCount)
  }

  @Test(arguments: AACEncoder.description.sampleRates)
  func `AAC accepts every sample rate that it names`(rate: Int) throws {
    var track = sound(.fltp)
    track.sampleRate = rate
    track.timeBase = Rational(1, Int32(rate))
    let encoder = try AACEncoder(settings: EncoderSettings(track: track))
    #expect(!encoder.track.extradata.isEmpty)
  }

  @Test func `AAC accepts every option that it names`() throws {
    for option in AACEncoder.description.options {
      let value =
        switch option.type {
        case .choice(let words): words
        case .bool: ["true", "false"]
        default: [option.defaultValue ?? "0"]
        }
      for word in value {
        let settings = EncoderSettings(
          track: sound(.fltp), options: [PluginOption(option.name, word)])
        #expect(throws: Never.self) { try AACEncoder(settings: settings) }
      }
    }
  }

  private func video(_ width: Int, _ height: Int) -> TrackDescription {
    var track = TrackDescription(kind: .video, codec: "ffv1", timeBase: Rational(1, 25))
    (track.width, track.height, track.pixelFormat) = (width, height, .yuv420p)
    return track
  }

  @Test func `FFV1 accepts every level and number of slices that it names`() throws {
    for option in FFV1Encoder.description.options {
      let values: [String] =
        switch option.type {
        case .choice(let words): words
        case .int(let range): range.map { "\($0)" }
        default: []
        }
      #expect(!values.isEmpty)
      for value in values {
        let settings = EncoderSettings(
          track: video(1920, 1080), options: [PluginOption(option.name, value)])
        #expect(throws: Never.self, "\(option.name) \(value)") {
          try FFV1Encoder(settings: settings)
        }
      }
    }
  }

  @Test(arguments: [
    (1920, 1080, "1", "4", "slices is 4, but level 1 has no slices; use level 3"),
    (16, 16, "3", "256", "frames of 16x16 may be too small for 256 slices"),
  ])
  func `FFV1 states which setting does not fit`(
    width: Int, height: Int, level: String, slices: String, words: String
  ) throws {
    let options = [PluginOption("level", level), PluginOption("slices", slices)]
    let error = #expect(throws: MediaError.self) {
      try FFV1Encoder(settings: EncoderSettings(track: video(width, height), options: options))
    }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func `invalid audio with other planes than its layout is not encoded`() throws {
    var frame = try #require(
      Frame(sampleFormat: .fltp, channelLayout: .mono, sampleRate: 44100, sampleCount: 1))
    frame.planes[0].base.storeBytes(of: Float.nan, as: Float.self)
    frame.channelLayout = .stereo
    let error = #expect(throws: MediaError.self) { _ = try frame.clampedForEncoder() }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `limited audio keeps its times, flags and side data`() throws {
    var frame = try #require(
      Frame(sampleFormat: .fltp, channelLayout: .mono, sampleRate: 44100, sampleCount: 2, pts: 7))
    frame.planes[0].base.storeBytes(of: Float.nan, as: Float.self)
    frame.planes[0].base.storeBytes(of: 1e8, toByteOffset: 4, as: Float.self)
    frame.sideData = [SideData("test", [1, 2])]
    let limited = try frame.clampedForEncoder()
    #expect(limited.pts == 7 && limited.sideData == frame.sideData)
    #expect(limited.planes[0].base.load(as: Float.self) == 0)
    #expect(limited.planes[0].base.load(fromByteOffset: 4, as: Float.self) == 16)
  }

  @Test func `FLAC and Apple Lossless lose nothing`() throws {
    func roundTrip(_ type: any Encoder.Type, _ format: SampleFormat) throws {
      let track = sound(format)
      let encoder = try type.init(settings: EncoderSettings(track: track))
      let frames = Coding.ramp(track, total: 9000, size: encoder.track.frameSize, step: 13)
      let packets = try Coding.encode(frames, with: encoder)
      let decoded = try Coding.decode(
        packets, with: AVCodecDecoder(settings: DecoderSettings(track: encoder.track)))
      func samples(_ frames: [Frame]) -> [Int16] {
        frames.flatMap { frame in
          (0..<frame.sampleCount).map { index in
            frame.planes[0].base.load(
              fromByteOffset: index * (frame.sampleFormat.isPlanar ? 2 : 4), as: Int16.self)
          }
        }
      }
      #expect(samples(decoded) == samples(frames))
      #expect(packets.allSatisfy { $0.trimEnd == 0 && $0.size > 0 })
    }
    try roundTrip(FLACEncoder.self, .s16)
    // STREAMINFO (RFC 9639 8.2) ends with the checksum of the audio samples, known after the last one.
    let flac = try FLACEncoder(settings: EncoderSettings(track: sound(.s16)))
    let before = flac.track.extradata
    _ = try Coding.encode(
      Coding.ramp(sound(.s16), total: 5000, size: flac.track.frameSize, step: 3), with: flac)
    #expect(before.count == 34)
    #expect(flac.track.extradata.count == 34)
    #expect(flac.track.extradata.suffix(16) != before.suffix(16))
    try roundTrip(ALACEncoder.self, .s16p)
  }

  @Test(arguments: FFV1Encoder.description.pixelFormats)
  func `FFV1 loses nothing`(format: PixelFormat) throws {
    // The gradient has values of more than 10 bits, which formats of 10 bits must not contain.
    guard format.layout?.depth == 8 else { return }
    var track = TrackDescription(kind: .video, codec: "", timeBase: Rational(1, 25))
    (track.width, track.height, track.pixelFormat) = (48, 32, format)
    let encoder = try FFV1Encoder(settings: EncoderSettings(track: track, threads: 2))
    let frames = (0..<3).map { Pictures.gradient(format, width: 48, height: 32, pts: $0) }
    let packets = try Coding.encode(frames, with: encoder)
    let decoded = try Coding.decode(
      packets, with: AVCodecDecoder(settings: DecoderSettings(track: encoder.track, threads: 2)))
    #expect(decoded.map(\.pts) == [0, 1, 2])
    #expect(decoded.map(Coding.pixels) == frames.map(Coding.pixels))
  }

  @Test func `threads do not change the bytes`() throws {
    func packets(_ type: any Encoder.Type, threads: Int) throws -> [[UInt8]] {
      var track = TrackDescription(kind: .video, codec: "", timeBase: Rational(1, 25))
      let format = try #require(type.description.pixelFormats.first)
      (track.width, track.height, track.pixelFormat) = (400, 304, format)
      track.frameRate = Rational(25, 1)
      let frames = (0..<4).map {
        // The mask keeps two bits of each byte, so that 10-bit components stay within their range.
        Pictures.gradient(format, width: 400, height: 304, pts: $0, mask: 3)
      }
      return try Coding.encode(
        frames, with: type.init(settings: EncoderSettings(track: track, threads: threads))
      ).map(\.bytes)
    }
    for type in [
      ProResEncoder.self, FFV1Encoder.self, MotionJPEGEncoder.self, PNGEncoder.self,
    ] as [any Encoder.Type] {
      let one = try packets(type, threads: 1)
      let four = try packets(type, threads: 4)
      #expect(one.count == 4)
      #expect(one == four, "\(type.description.name)")
    }
  }

  @Test func `invalid input is rejected with a message`() throws {
    var track = TrackDescription(kind: .video, codec: "", timeBase: Rational(1, 25))
    (track.width, track.height, track.pixelFormat) = (48, 32, .yuv422p10le)
    let encoder = try ProResEncoder(settings: EncoderSettings(track: track))
    #expect(encoder.track.codec == "prores")
    let wrong = Pictures.gradient(.yuv420p, width: 48, height: 32, pts: 0)
    #expect(throws: MediaError.self) { try encoder.send(wrong) }
    let silent = EncoderSettings(track: sound(.none))
    #expect(throws: MediaError.self) { try AACEncoder(settings: silent) }
  }

  /// libavcodec takes the quality of video from each frame, not from the context.
  @Test func `the quality of JPEG determines its size`() throws {
    func size(_ quality: Double?) throws -> Int {
      var track = TrackDescription(kind: .video, codec: "mjpeg", timeBase: Rational(1, 25))
      (track.width, track.height, track.pixelFormat) = (48, 32, .yuv420p)
      let frames = (0..<2).map { Pictures.gradient(.yuv420p, width: 48, height: 32, pts: $0) }
      let encoder = try MotionJPEGEncoder(
        settings: EncoderSettings(track: track, quality: quality))
      return try Coding.encode(frames, with: encoder).reduce(0) { $0 + $1.size }
    }
    let sizes = try [2, 3, 10, 31].map { try size($0) }
    #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 > $1 }, "\(sizes)")
    #expect(try size(nil) == sizes[1])
  }
}
