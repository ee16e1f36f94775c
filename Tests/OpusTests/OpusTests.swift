import Glibc
import PluginHost
import RespoolPlugin
import Testing
import Xiph

@testable import Opus

@Suite struct OpusTests {
  private func settings(
    _ layout: ChannelLayout = .stereo, rate: Int = 48000, format: SampleFormat = .flt,
    options: [PluginOption] = [], bitRate: Int64? = nil
  ) -> EncoderSettings {
    var track = TrackDescription(
      kind: .audio, codec: "opus", timeBase: Rational(1, Int32(rate)))
    track.channelLayout = layout
    track.sampleRate = rate
    track.sampleFormat = format
    return EncoderSettings(track: track, bitRate: bitRate, options: options)
  }

  /// Returns the frequency of a channel's tone, which differs enough from those of other channels.
  private func frequency(_ channel: Int) -> Double { 500 + 250 * Double(channel) }

  /// Returns a frame with a different tone on each channel and a low tone on an LFE channel.
  private func tone(_ track: TrackDescription, lfe: Int?, from first: Int, count: Int) -> Frame? {
    guard
      let frame = Frame(
        sampleFormat: track.sampleFormat, channelLayout: track.channelLayout,
        sampleRate: track.sampleRate, sampleCount: count, pts: Int64(first))
    else { return nil }
    let channels = track.channelLayout.channelCount
    for index in 0..<count {
      for channel in 0..<channels {
        let pitch = channel == lfe ? 60 : frequency(channel)
        let value = 0.3 * sin(2 * .pi * pitch * Double(first + index) / Double(track.sampleRate))
        let place = index * channels + channel
        if track.sampleFormat == .s16 {
          frame.planes[0].base.storeBytes(
            of: Int16(value * 32767), toByteOffset: place * 2, as: Int16.self)
        } else {
          frame.planes[0].base.storeBytes(
            of: Float(value), toByteOffset: place * 4, as: Float.self)
        }
      }
    }
    return frame
  }

  /// Encodes `total` audio samples in frames of different sizes.
  private func encode(_ settings: EncoderSettings, total: Int, lfe: Int? = nil) throws -> (
    OpusEncoder, [Packet]
  ) {
    let encoder = try OpusEncoder(settings: settings)
    var (frames, position): ([Frame], Int) = ([], 0)
    while position < total {
      let count = min(total - position, 1 + position * 7 % 2000)
      frames.append(
        try #require(tone(settings.track, lfe: lfe, from: position, count: count)))
      position += count
    }
    return (encoder, try Coding.encode(frames, with: encoder))
  }

  /// Returns the decoded, interleaved audio samples, trimmed like the host does.
  private func decode(_ track: TrackDescription, _ packets: [Packet]) throws -> [Float] {
    let decoder = try OpusDecoder(settings: DecoderSettings(track: track))
    let channels = track.channelLayout.channelCount
    var samples: [Float] = []
    for packet in packets {
      _ = try decoder.send(packet)
      while case .value(let frame) = try decoder.receive() {
        #expect(frame.pts == packet.pts)
        #expect(Int64(frame.sampleCount) == packet.duration)
        let base = frame.planes[0].base.assumingMemoryBound(to: Float.self)
        let kept = frame.sampleCount - Int(packet.trimEnd)
        samples += UnsafeBufferPointer(start: base, count: kept * channels)
      }
    }
    return Array(samples.dropFirst(track.initialPadding * channels))
  }

  @Test(
    arguments: [1, 959, 960, 961, 48017], [("20", "audio"), ("2.5", "lowdelay"), ("60", "voip")])
  func `every sample round-trips`(total: Int, kind: (duration: String, application: String)) throws
  {
    let settings = settings(options: [
      .init("frame-duration", kind.duration), .init("application", kind.application),
    ])
    let (encoder, packets) = try encode(settings, total: total)
    #expect(packets.first?.pts == Int64(-encoder.track.initialPadding))
    #expect(packets.dropLast().allSatisfy { $0.trimEnd == 0 })
    let last = try #require(packets.last)
    #expect(last.trimEnd < last.duration)
    #expect((last.pts ?? 0) + last.duration - last.trimEnd == Int64(total))
    let samples = try decode(encoder.track, packets)
    #expect(samples.count == total * 2)
  }

  @Test(arguments: [48000, 24000, 16000, 12000, 8000], [SampleFormat.flt, .s16])
  func `every sample rate keeps length and position`(rate: Int, format: SampleFormat) throws {
    let total = rate / 2 + 17
    let settings = settings(.mono, rate: rate, format: format)
    let (encoder, packets) = try encode(settings, total: total)
    #expect(encoder.track.timeBase == Rational(1, 48000))
    let samples = try decode(encoder.track, packets)
    #expect(samples.count == total * 48000 / rate)
    // The tone has the same position: it correlates with the original without a shift.
    let wanted = try #require(strength(samples, 0, of: 1, at: frequency(0)))
    #expect(wanted.inPhase > 0.8 * wanted.any)
    #expect(wanted.any > 0.2)
    let head = try OpusConfiguration(head: encoder.track.extradata)
    #expect(head.inputSampleRate == UInt32(rate))
    #expect(Int(head.preSkip) == encoder.track.initialPadding)
  }

  /// Returns the amplitude of a tone in one channel, with any phase and with the phase of a sine from 0.
  private func strength(_ samples: [Float], _ channel: Int, of channels: Int, at pitch: Double) -> (
    any: Double, inPhase: Double
  )? {
    let count = samples.count / channels
    guard count > 9600 else { return nil }
    var (sine, cosine) = (0.0, 0.0)
    for index in 4800..<count - 2400 {
      let angle = 2 * Double.pi * pitch * Double(index) / 48000
      sine += Double(samples[index * channels + channel]) * sin(angle)
      cosine += Double(samples[index * channels + channel]) * cos(angle)
    }
    let scale = 2 / Double(count - 7200)
    return ((sine * sine + cosine * cosine).squareRoot() * scale, sine * scale)
  }

  @Test(arguments: 1...8) func `every channel stays in its place`(count: Int) throws {
    let layout = ChannelOrder.layouts[count - 1]
    // Bit 3 of the mask is the LFE, whose index is the number of channels before it.
    let lfe = layout.mask & 8 == 0 ? nil : (layout.mask & 7).nonzeroBitCount
    let settings = settings(layout, bitRate: Int64(128_000 * count))
    let (encoder, packets) = try encode(settings, total: 24000, lfe: lfe)
    #expect(encoder.track.extradata[18] == (count <= 2 ? 0 : 1))
    let samples = try decode(encoder.track, packets)
    #expect(samples.count == 24000 * count)
    for channel in 0..<count {
      for other in 0..<count {
        let pitch = other == lfe ? 60 : frequency(other)
        let found = try #require(strength(samples, channel, of: count, at: pitch))
        #expect((found.any > 0.15) == (channel == other), "\(channel) has \(other): \(found)")
      }
    }
  }

  @Test(arguments: [1, 2, 3, 6, 10]) func `channels without meaning keep their order`(count: Int)
    throws
  {
    let settings = settings(
      ChannelLayout(channelCount: count), options: [.init("mapping-family", "255")],
      bitRate: Int64(96_000 * count))
    let (encoder, packets) = try encode(settings, total: 12000)
    let head = try OpusConfiguration(head: encoder.track.extradata)
    #expect(head.mappingFamily == 255)
    #expect(head.streamCount == count && head.coupledCount == 0)
    #expect(head.mapping?.table == (0..<UInt8(count)).map { $0 })
    let samples = try decode(encoder.track, packets)
    for channel in 0..<count {
      let found = try #require(strength(samples, channel, of: count, at: frequency(channel)))
      #expect(found.any > 0.15)
    }
  }

  @Test func `side surround is encoded as surround`() throws {
    let encoder = try OpusEncoder(settings: settings(ChannelLayout(mask: 0x60F)))
    #expect(encoder.track.channelLayout == ChannelLayout(mask: 0x3F))
    #expect(
      try OpusConfiguration(head: encoder.track.extradata).head
        == Array("OpusHead".utf8) + [
          1, 6, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 1, 4, 2, 0, 4, 1, 2, 3, 5,
        ])
  }

  @Test func `times follow the first frame`() throws {
    let settings = settings()
    let encoder = try OpusEncoder(settings: settings)
    let frame = try #require(tone(settings.track, lfe: nil, from: 4321, count: 2000))
    _ = try encoder.send(frame)
    guard case .value(let packet) = try encoder.receive() else {
      Issue.record("no packet from 2000 samples")
      return
    }
    #expect(packet.pts == Int64(4321 - encoder.track.initialPadding))
    guard case .accepted = try encoder.send(nil) else {
      // One more packet was ready.
      _ = try encoder.receive()
      return
    }
  }

  @Test func `without audio there are no packets`() throws {
    #expect(try encode(settings(), total: 0).1.isEmpty)
  }

  @Test func `the same input gives the same bytes`() throws {
    let settings = settings(ChannelLayout(mask: 0x3F))
    let first = try encode(settings, total: 20000).1.map(\.bytes)
    let second = try encode(settings, total: 20000).1.map(\.bytes)
    #expect(first == second)
  }

  @Test func `rate control follows the settings`() throws {
    func sizes(_ options: [PluginOption], _ bitRate: Int64?) throws -> [Int] {
      try encode(settings(options: options, bitRate: bitRate), total: 48000).1.map(\.size)
    }
    let constant = try sizes([.init("vbr", "off")], 64000)
    #expect(constant.allSatisfy { $0 == 160 })
    #expect(Set(try sizes([], 64000)).count > 1)
    #expect(try sizes([], nil).reduce(0, +) > sizes([], 24000).reduce(0, +))
  }

  @Test func `libopus accepts every option`() throws {
    for schema in EncoderOptions.all where schema.name != "mapping-family" {
      let values: [String]
      switch schema.type {
      case .bool: values = ["true", "false"]
      case .choice(let words): values = words
      case .int(let range): values = ["\(range.lowerBound)", "\(range.upperBound)"]
      default: values = []
      }
      for value in values {
        #expect(throws: Never.self, "\(schema.name)=\(value)") {
          _ = try encode(settings(options: [.init(schema.name, value)]), total: 5000)
        }
      }
    }
  }

  @Test(arguments: [
    ("application", "music", "voip"), ("complexity", "11", "10"), ("frame-duration", "30", "2.5"),
    ("mapping-family", "0", "are 3"), ("mapping-family", "2", "255"), ("cutoff", "5000", "20000"),
    ("no-such", "1", "no-such"),
  ])
  func `wrong options are explained`(name: String, value: String, word: String) {
    let error = #expect(throws: MediaError.self) {
      _ = try OpusEncoder(
        settings: settings(ChannelLayout(mask: 0x7), options: [.init(name, value)]))
    }
    #expect(error?.message.contains(word) == true, "\(String(describing: error))")
  }

  @Test func `input that Opus does not support is rejected`() {
    #expect(throws: MediaError.self) { _ = try OpusEncoder(settings: settings(rate: 44100)) }
    #expect(throws: MediaError.self) { _ = try OpusEncoder(settings: settings(format: .fltp)) }
    #expect(throws: MediaError.self) { _ = try OpusEncoder(settings: settings(bitRate: 1_000_000)) }
    #expect(throws: MediaError.self) {
      _ = try OpusEncoder(settings: settings(ChannelLayout(mask: 0xB)))
    }
  }

  @Test func `headers round-trip and truncations throw`() throws {
    for count in 1...8 {
      let encoder = try OpusEncoder(settings: settings(ChannelOrder.layouts[count - 1]))
      let bytes = encoder.track.extradata
      #expect(try OpusConfiguration(decoding: bytes).head == bytes)
      for end in bytes.indices {
        #expect(throws: MediaError.self) { _ = try OpusConfiguration(head: bytes[..<end]) }
      }
    }
  }

  @Test func `output gain is applied`() throws {
    let (encoder, packets) = try encode(settings(.mono), total: 24000)
    var track = encoder.track
    var head = try OpusConfiguration(head: track.extradata)
    head.outputGain = -1541  // 6.02 dB
    track.extradata = head.head
    let loud = try #require(
      strength(try decode(encoder.track, packets), 0, of: 1, at: frequency(0)))
    let quiet = try #require(strength(try decode(track, packets), 0, of: 1, at: frequency(0)))
    #expect(abs(quiet.any * 2 - loud.any) < 0.01)
  }

  @Test func `lost and damaged packets do not end decoding`() throws {
    let (encoder, packets) = try encode(settings(), total: 9600)
    let decoder = try OpusDecoder(settings: DecoderSettings(track: encoder.track))
    var counts: [Int] = []
    for (index, packet) in packets.enumerated() {
      var packet = packet
      if index == 3 { packet.payload = .bytes(MediaBuffer(count: 0)) }
      if index == 5 {
        // Code 3 with no frames (RFC 6716 3.2.5, R6).
        packet.payload = .bytes(MediaBuffer([0x03, 0x00, 0x55]))
        #expect(throws: MediaError.self) { _ = try decoder.send(packet) }
        continue
      }
      _ = try decoder.send(packet)
      while case .value(let frame) = try decoder.receive() {
        counts.append(frame.sampleCount)
        #expect(frame.flags.contains(.corrupt) == (index == 3))
      }
    }
    #expect(counts == Array(repeating: 960, count: packets.count - 1))
  }

  @Test func `a decoder can be used again after a flush`() throws {
    let (encoder, packets) = try encode(settings(), total: 9600)
    let decoder = try OpusDecoder(settings: DecoderSettings(track: encoder.track))
    func all() throws -> [Float] {
      var samples: [Float] = []
      for packet in packets {
        _ = try decoder.send(packet)
        while case .value(let frame) = try decoder.receive() {
          let base = frame.planes[0].base.assumingMemoryBound(to: Float.self)
          samples += UnsafeBufferPointer(start: base, count: frame.sampleCount * 2)
        }
      }
      _ = try decoder.send(nil)
      return samples
    }
    let first = try all()
    decoder.flush()
    #expect(try all() == first)
  }
}
