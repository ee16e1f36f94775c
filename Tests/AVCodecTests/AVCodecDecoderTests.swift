import PluginHost
import RespoolPlugin
import Testing

@testable import AVCodec

@Suite struct AVCodecDecoderTests {
  private func pcm() -> TrackDescription {
    var track = TrackDescription(kind: .audio, codec: "pcm_s16be", timeBase: Rational(1, 8000))
    track.sampleRate = 8000
    track.channelLayout = .stereo
    track.bitsPerSample = 16
    return track
  }

  @Test func `decoded audio keeps samples, times and layout`() throws {
    let decoder = try AVCodecDecoder(settings: DecoderSettings(track: pcm()))
    let packets = [0, 2].map {
      Packet(
        track: 0, pts: $0, dts: $0, duration: 2,
        payload: .bytes(MediaBuffer([0, 1, 0, 2, 0x12, 0x34, 0xFF, 0xFE] as [UInt8])))
    }
    let frames = try Coding.decode(packets, with: decoder)
    #expect(frames.map(\.pts) == [0, 2])
    for frame in frames {
      #expect(frame.sampleFormat == .s16)
      #expect(frame.channelLayout == .stereo)
      #expect(frame.sampleCount == 2)
      #expect(frame.sampleRate == 8000)
      let samples = (0..<4).map {
        frame.planes[0].base.load(fromByteOffset: $0 * 2, as: Int16.self)
      }
      #expect(samples == [1, 2, 0x1234, -2])
    }
  }

  @Test func `frames outlive the decoder`() throws {
    var frames: [Frame] = []
    do {
      let decoder = try AVCodecDecoder(settings: DecoderSettings(track: pcm()))
      let packet = Packet(
        track: 0, pts: 0, dts: 0, payload: .bytes(MediaBuffer([0, 7, 0, 8] as [UInt8])))
      frames = try Coding.decode([packet], with: decoder)
    }
    let frame = try #require(frames.first)
    #expect(frame.planes[0].base.load(as: Int16.self) == 7)
  }

  /// BGR8 stores two bits of blue, three of green and three of red in a byte; Respool has no such pixel format.
  @Test func `frames in a pixel format without a name are converted to the nearest one`() throws {
    var track = TrackDescription(kind: .video, codec: "rawvideo", timeBase: Rational(1, 25))
    (track.width, track.height, track.bitsPerSample) = (4, 1, 8)
    track.codecTag = 0x0852_4742
    let decoder = try AVCodecDecoder(settings: DecoderSettings(track: track))
    let packet = Packet(
      track: 0, pts: 3, dts: 3, duration: 1, flags: .key,
      payload: .bytes(MediaBuffer([0b111, 0b111000, 0b1100_0000, 0xFF] as [UInt8])))
    let frame = try #require(try Coding.decode([packet], with: decoder).first)
    #expect(frame.pts == 3)
    #expect([.rgb24, .bgr24].contains(frame.pixelFormat))
    let pixels = Coding.pixels(frame)[0]
    let (red, blue) = frame.pixelFormat == .rgb24 ? (0, 2) : (2, 0)
    let wanted: [[(Int, UInt8)]] = [
      [(red, 255), (1, 0), (blue, 0)], [(red, 0), (1, 255), (blue, 0)],
      [(red, 0), (1, 0), (blue, 255)], [(red, 255), (1, 255), (blue, 255)],
    ]
    for (pixel, values) in wanted.enumerated() {
      for (place, value) in values {
        #expect(abs(Int(pixels[pixel * 3 + place]) - Int(value)) <= 4, "pixel \(pixel)")
      }
    }
  }

  @Test func `codecs are found by name, and only audio and video`() {
    func supports(_ codec: String) -> Bool {
      AVCodecDecoder.supports(
        TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 1000)))
    }
    for codec in ["h264", "hevc", "aac", "mp3", "vp9", "flac", "pcm_s24le", "gif"] {
      #expect(supports(codec), "\(codec)")
    }
    for codec in ["", "subrip", "ass", "dvd_subtitle", "no such codec", "ttf"] {
      #expect(!supports(codec), "\(codec)")
    }
    let error = #expect(throws: MediaError.self) {
      try AVCodecDecoder(
        settings: DecoderSettings(
          track: TrackDescription(kind: .video, codec: "nothing", timeBase: Rational(1, 25))))
    }
    #expect(error?.code == .unsupported)
  }

  @Test func `a damaged packet is an error and the next one decodes`() throws {
    var settings = EncoderSettings(track: picture(.rgb24))
    settings.threads = 1
    let good = try Coding.encode([gradient(.rgb24)], with: PNGEncoder(settings: settings))
    let decoder = try AVCodecDecoder(settings: DecoderSettings(track: picture(.rgb24, "png")))
    let bad = Packet(
      track: 0, pts: 0, dts: 0,
      payload: .bytes(MediaBuffer([0x89, 0x50, 0x4E, 0x47, 0, 0, 0, 0, 1, 2, 3] as [UInt8])))
    #expect(throws: MediaError.self) { try Coding.decode([bad], with: decoder) }
    decoder.flush()
    let frames = try Coding.decode(good, with: decoder)
    #expect(frames.count == 1)
    #expect(frames.map(Coding.pixels) == [Coding.pixels(gradient(.rgb24))])
  }

  @Test func `JPEG has full range and no pixel format of its own`() throws {
    var track = picture(.yuv420p)
    track.color.range = .full
    let packets = try Coding.encode(
      [gradient(.yuv420p)], with: MotionJPEGEncoder(settings: EncoderSettings(track: track)))
    let decoder = try AVCodecDecoder(
      settings: DecoderSettings(track: picture(.none, "mjpeg"), threads: 2))
    let frame = try #require(try Coding.decode(packets, with: decoder).first)
    #expect(frame.pixelFormat == .yuv420p)
    #expect(frame.color.range == .full)
    #expect((frame.width, frame.height) == (32, 16))
  }

  @Test func `audio whose packets have no times continues from the first`() throws {
    var clock = AudioClock(timeBase: Rational(1, 90_000))
    // Like Shorten: only the first packet has a presentation time, and it does not decode to a frame yet.
    clock.sent(Packet(track: 0, pts: 900, dts: 900, payload: .bytes(MediaBuffer([1]))))
    clock.sent(Packet(track: 0, pts: nil, dts: nil, payload: .bytes(MediaBuffer([2]))))
    var track = pcm()
    track.sampleFormat = .s16
    var frame = try #require(Coding.ramp(track, total: 100, size: 100, step: 1).first)
    frame.pts = nil
    let times = (0..<3).map { _ in clock.complete(frame, skip: 0)?.pts }
    // A frame has 100 audio samples at 8 kHz.
    #expect(times == [900, 900 + 1125, 900 + 2250])
  }

  @Test func `audio that only the decoder knows to hide is dropped once`() throws {
    func clock(_ pts: Int64, trimStart: Int64, skip: Int64) throws -> Frame? {
      var track = pcm()
      track.sampleFormat = .s16
      var frame = try #require(Coding.ramp(track, total: 100, size: 100, step: 1).first)
      frame.pts = pts
      var clock = AudioClock(timeBase: Rational(1, 8000))
      var packet = Packet(track: 0, pts: pts, dts: pts, payload: .bytes(MediaBuffer(count: 1)))
      packet.trimStart = trimStart
      clock.sent(packet)
      return clock.complete(frame, skip: skip)
    }
    let cut = try #require(try clock(0, trimStart: 0, skip: 30))
    #expect(cut.sampleCount == 70)
    #expect(cut.pts == 30)
    #expect(cut.planes[0].base.load(as: Int16.self) == 60)
    let cutByTrim = try clock(0, trimStart: 30, skip: 30)
    #expect(cutByTrim?.sampleCount == 100)
    let cutByTime = try clock(-30, trimStart: 0, skip: 30)
    #expect(cutByTime?.sampleCount == 100)
    let whole = try clock(0, trimStart: 0, skip: 100)
    #expect(whole == nil)
  }

  @Test(arguments: [("B0W1", false), ("B1W0", true)])
  func `one-bit pixels become bytes`(tag: String, isInverted: Bool) throws {
    var track = TrackDescription(kind: .video, codec: "rawvideo", timeBase: Rational(1, 25))
    (track.width, track.height) = (10, 2)
    track.codecTag = tag.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    let decoder = try AVCodecDecoder(settings: DecoderSettings(track: track))
    let bytes: [UInt8] = [0b1010_0000, 0b0100_0000, 0b0000_0001, 0b1000_0000]
    let packet = Packet(track: 0, pts: 0, dts: 0, payload: .bytes(MediaBuffer(bytes)))
    let frame = try #require(try Coding.decode([packet], with: decoder).first)
    #expect(frame.pixelFormat == .gray)
    #expect(frame.color.range == .full)
    let white: [[Int]] = [[0, 2, 9], [7, 8]]
    for row in 0..<2 {
      let base = frame.planes[0].base + row * frame.planes[0].stride
      let pixels = (0..<10).map { base.load(fromByteOffset: $0, as: UInt8.self) }
      #expect(pixels == (0..<10).map { white[row].contains($0) != isInverted ? 255 : 0 })
    }
  }

  @Test func `color tables of the container are used`() throws {
    var track = TrackDescription(kind: .video, codec: "rawvideo", timeBase: Rational(1, 25))
    (track.width, track.height, track.pixelFormat) = (4, 2, .pal8)
    track.bitsPerSample = 8
    track.extradata = [1, 2, 3, 0, 0x10, 0x20, 0x30, 0]
    let packet = Packet(
      track: 0, pts: 0, dts: 0, payload: .bytes(MediaBuffer([UInt8](repeating: 1, count: 8))))
    let decoder = try AVCodecDecoder(settings: DecoderSettings(track: track))
    let frame = try #require(try Coding.decode([packet], with: decoder).first)
    #expect(frame.pixelFormat == .pal8)
    let colours = (0..<3).map {
      frame.planes[1].base.load(fromByteOffset: $0 * 4, as: UInt32.self)
    }
    #expect(colours == [0xFF03_0201, 0xFF30_2010, 0xFF00_0000])
  }

  private func picture(_ format: PixelFormat, _ codec: String = "") -> TrackDescription {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 25))
    (track.width, track.height, track.pixelFormat) = (32, 16, format)
    track.frameRate = Rational(25, 1)
    return track
  }

  private func gradient(_ format: PixelFormat) -> Frame {
    Pictures.gradient(format, width: 32, height: 16, pts: 0)
  }
}
