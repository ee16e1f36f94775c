import RespoolMedia
import Testing

@testable import RespoolProcessing

@Suite struct AudioConverterTests {
  private func block<T>(
    _ format: SampleFormat, _ layout: ChannelLayout, rate: Int = 48000, pts: Int64? = 0,
    _ samples: [T]
  ) throws -> Frame {
    let frame = try #require(
      Frame(
        sampleFormat: format, channelLayout: layout, sampleRate: rate,
        sampleCount: samples.count / layout.channelCount, pts: pts))
    samples.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress {
        frame.planes[0].base.copyMemory(from: base, byteCount: bytes.count)
      }
    }
    return frame
  }

  private func samples<T>(_ frame: Frame, as: T.Type, channel: Int = 0) -> [T] {
    let planar = frame.sampleFormat.isPlanar
    let count = frame.sampleCount * (planar ? 1 : frame.channelLayout.channelCount)
    return (0..<count).map {
      frame.planes[channel].base.load(
        fromByteOffset: $0 * MemoryLayout<T>.stride, as: T.self)
    }
  }

  private func convert(_ frame: Frame, to format: SampleFormat, _ layout: ChannelLayout? = nil)
    throws -> Frame
  {
    let converter = try AudioConverter(
      from: AudioFormat(frame),
      to: AudioFormat(
        sampleFormat: format, sampleRate: frame.sampleRate,
        channelLayout: layout ?? frame.channelLayout))
    return try #require(try converter.convert(frame))
  }

  @Test func `integers are shifted`() throws {
    let bytes = try block(.u8, .mono, [0, 1, 127, 128, 255] as [UInt8])
    #expect(
      try samples(convert(bytes, to: .s16), as: Int16.self) == [-32768, -32512, -256, 0, 32512])
    let words = try block(.s32, .mono, [.min, -1, 65535, 65536, .max] as [Int32])
    #expect(
      try samples(convert(words, to: .s16p), as: Int16.self) == [-32768, -1, 0, 1, 32767])
    #expect(try samples(convert(words, to: .u8), as: UInt8.self) == [0, 127, 128, 128, 255])
  }

  @Test func `floats are rounded to even and clipped`() throws {
    let unit: Float = 1 / 32768
    let values: [Float] = [
      0, 1, -1, 2, -2, 0.5 * unit, 1.5 * unit, -0.5 * unit, -2.5 * unit, .infinity, -.infinity,
    ]
    let frame = try block(.flt, .mono, values)
    #expect(
      try samples(convert(frame, to: .s16), as: Int16.self)
        == [0, 32767, -32768, 32767, -32768, 0, 2, 0, -2, 32767, -32768])
    let wide = try samples(convert(frame, to: .s32), as: Int32.self)
    #expect(wide[1...5] == [.max, .min, .max, .min, 32768])
    let deep = try block(.dbl, .mono, [1.0, -1.0, 0x1p-31, 0x1p-32, 0x1.8p-31])
    #expect(try samples(convert(deep, to: .s32p), as: Int32.self) == [.max, .min, 1, 0, 2])
  }

  @Test func `no sample can trap`() throws {
    let frame = try block(.flt, .mono, [.nan, .greatestFiniteMagnitude] as [Float])
    #expect(try samples(convert(frame, to: .s16), as: Int16.self) == [-32768, 32767])
  }

  @Test(arguments: [SampleFormat.u8, .s16, .s32, .flt, .dbl])
  func `planes and interleaving round-trip`(format: SampleFormat) throws {
    let layout = ChannelLayout(mask: 0xB)
    let bytes = try block(.u8, layout, (0..<255).map { UInt8($0) })
    let there = try convert(try convert(bytes, to: format.planar), to: format)
    #expect(try samples(convert(there, to: .u8), as: UInt8.self) == (0..<255).map { UInt8($0) })
  }

  @Test func `interleaved 16-bit samples are little-endian`() throws {
    let frame = try block(.u8, .stereo, [128, 129, 0, 255] as [UInt8])
    #expect(AudioConverter.interleaved16(frame) == [0, 0, 0, 1, 0, 0x80, 0, 0x7F])
    let planar = try convert(frame, to: .s32p)
    #expect(AudioConverter.interleaved16(planar) == AudioConverter.interleaved16(frame))
  }

  @Test func `mono and stereo are converted`() throws {
    let mono = try block(.flt, .mono, [0.5, -1] as [Float])
    #expect(try samples(convert(mono, to: .flt, .stereo), as: Float.self) == [0.5, 0.5, -1, -1])
    let stereo = try block(.flt, .stereo, [1, 0.5, -1, -1] as [Float])
    #expect(try samples(convert(stereo, to: .flt, .mono), as: Float.self) == [0.75, -1])
  }

  @Test func `surround is mixed down without clipping`() throws {
    let half = Float(0.5).squareRoot()
    let sum = 1 + 2 * half
    // Each channel in turn at full scale: L R C LFE Ls Rs.
    let values: [Float] = (0..<36).map { $0 % 7 == 0 ? 1 : 0 }
    let frame = try block(.flt, ChannelLayout(mask: 0x3F), values)
    let mixed = try samples(convert(frame, to: .flt, .stereo), as: Float.self)
    let expected: [Float] = [1, 0, 0, 1, half, half, 0, 0, half, 0, 0, half].map { $0 / sum }
    for (value, wanted) in zip(mixed, expected) { #expect(abs(value - wanted) < 1e-6) }
    let loud = try block(.flt, ChannelLayout(mask: 0x60F), [Float](repeating: 1, count: 6))
    let full = try samples(convert(loud, to: .s16, .stereo), as: Int16.self)
    #expect(full.allSatisfy { $0 >= 32766 })
  }

  @Test func `unnamed channels mean the usual ones`() throws {
    let values: [Float] = [0.25, 0.5, 0, 0, 0, 0]
    let named = try block(.flt, ChannelLayout(mask: 0x3F), values)
    let unnamed = try block(.flt, ChannelLayout(channelCount: 6), values)
    #expect(
      try samples(convert(named, to: .flt, .stereo), as: Float.self)
        == samples(convert(unnamed, to: .flt, .stereo), as: Float.self))
  }

  private static let rates = [
    8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, 192_000,
  ]

  @Test(arguments: rates, rates)
  func `the length is exact`(from: Int, to: Int) throws {
    for count in [1, 2, 441, 44107] {
      let converter = try AudioConverter(
        from: AudioFormat(sampleFormat: .s16, sampleRate: from, channelLayout: .mono),
        to: AudioFormat(sampleFormat: .fltp, sampleRate: to, channelLayout: .mono))
      var made = 0
      var first = 0
      var size = 1
      while first < count {
        let length = min(size, count - first)
        let frame = try block(
          .s16, .mono, rate: from, pts: Int64(first), [Int16](repeating: 1000, count: length))
        if let result = try converter.convert(frame) {
          #expect(result.pts == Int64(made))
          made += result.sampleCount
        }
        first += length
        size = size * 3 % 5000 + 1
      }
      if let result = try converter.drain() {
        #expect(result.pts == Int64(made))
        made += result.sampleCount
      }
      #expect(made == (2 * count * to + from) / (2 * from))
      #expect(try converter.drain() == nil)
    }
  }

  @Test func `a pulse stays in its place`() throws {
    var values = [Float](repeating: 0, count: 9600)
    values[4800] = 1
    let converter = try AudioConverter(
      from: AudioFormat(sampleFormat: .flt, sampleRate: 48000, channelLayout: .mono),
      to: AudioFormat(sampleFormat: .flt, sampleRate: 96000, channelLayout: .mono))
    var result: [Float] = []
    if let frame = try converter.convert(block(.flt, .mono, values)) {
      result += samples(frame, as: Float.self)
    }
    if let frame = try converter.drain() { result += samples(frame, as: Float.self) }
    let loudest = result.indices.max { abs(result[$0]) < abs(result[$1]) }
    #expect(loudest == 9600)
  }

  @Test func `times come from the first block`() throws {
    let converter = try AudioConverter(
      from: AudioFormat(sampleFormat: .s16, sampleRate: 44100, channelLayout: .mono),
      to: AudioFormat(sampleFormat: .flt, sampleRate: 44100, channelLayout: .mono),
      timeBase: Rational(1, 1000))
    let one = try converter.convert(
      block(.s16, .mono, rate: 44100, pts: -20, [Int16](repeating: 0, count: 100)))
    let two = try converter.convert(
      block(.s16, .mono, rate: 44100, pts: 999, [Int16](repeating: 0, count: 100)))
    #expect(one?.pts == -882)
    #expect(two?.pts == -782)
    #expect(two?.duration == 100)
    converter.reset()
    let three = try converter.convert(
      block(.s16, .mono, rate: 44100, pts: 1000, [Int16](repeating: 0, count: 100)))
    #expect(three?.pts == 44100)
  }

  @Test func `another audio format is rejected`() throws {
    let shape = AudioFormat(sampleFormat: .s16, sampleRate: 44100, channelLayout: .stereo)
    let converter = try AudioConverter(from: shape, to: shape)
    #expect(converter.changesNothing)
    #expect(throws: MediaError.self) {
      try converter.convert(block(.s16, .mono, rate: 44100, [0] as [Int16]))
    }
    #expect(throws: MediaError.self) {
      try AudioConverter(
        from: shape,
        to: AudioFormat(sampleFormat: .s16, sampleRate: 0, channelLayout: .stereo))
    }
    #expect(throws: MediaError.self) {
      try AudioConverter(
        from: AudioFormat(sampleFormat: .none, sampleRate: 1, channelLayout: .stereo), to: shape)
    }
  }

  @Test(arguments: [SampleFormat.s16, .fltp])
  func `cutting keeps every sample and its time`(format: SampleFormat) throws {
    var cutter = AudioFrameCutter(frameSize: 100)
    var next: Int16 = 0
    var cut: [Frame] = []
    for length in [1, 99, 100, 250, 7, 3] {
      let values = (0..<length * 2).map { next + Int16($0 / 2) }
      let frame = try block(.s16, .stereo, pts: Int64(next) + 5, values)
      next += Int16(length)
      var shaped = try convert(frame, to: format)
      shaped.pts = frame.pts
      try cutter.push(shaped)
      while let frame = try cutter.next() { cut.append(frame) }
    }
    while let frame = try cutter.finish() { cut.append(frame) }
    #expect(cut.map(\.sampleCount) == [100, 100, 100, 100, 60])
    #expect(cut.map(\.pts) == [5, 105, 205, 305, 405])
    let all = try cut.flatMap { try samples(convert($0, to: .s16), as: Int16.self) }
    #expect(all == (0..<920).map { Int16($0 / 2) })
    #expect(cutter.sampleCount == 0)
  }
}
