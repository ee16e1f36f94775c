import RespoolMedia
import Synchronization
import TestFixtures
import Testing

@testable import RespoolHost

/// Quality scale, bit rates and services of encoders: the extension `encoding` of the plugin ABI.
@Suite struct RateControlTests {
  let workshop: PluginWorkshop

  init() throws { workshop = try PluginWorkshop() }

  private func factory(defining macros: [String] = []) throws -> PluginFactory {
    try workshop.build("rated.c", defining: macros, as: "rated.so")
    // The second registry reads the description from the cache that the first one wrote.
    _ = workshop.registry().plugins
    return try #require(workshop.registry().encoder(named: "rated"))
  }

  private func settings(bitRate: Int64? = nil, quality: Double? = nil) -> EncoderSettings {
    var track = TrackDescription(kind: .audio, codec: "rated", timeBase: Rational(1, 48_000))
    track.sampleRate = 48_000
    track.channelLayout = .stereo
    track.sampleFormat = .s16
    return EncoderSettings(track: track, bitRate: bitRate, quality: quality)
  }

  @Test func `media type, scale and bit rates arrive, also through the cache`() throws {
    let control = try #require(try factory().description.rateControl)
    #expect(control.kind == .audio)
    #expect(
      control.quality
        == RateControl.QualityScale(1...10, step: 0.5, isLowerBetter: false, usual: 5))
    #expect(control.bitRates == 1000...100_000)
    #expect(try !factory().description.isVideoEncoder)
  }

  @Test func `accepted settings are asked only once, and rejected ones each time`() throws {
    let (factory, accepted) = (try factory(), AcceptedSettings())
    let good = settings(bitRate: 64_000)
    let memory = try accepted.check(good, of: factory)
    #expect(try memory == factory.encoderMemory(good) ?? 0)
    #expect(accepted.count == 1)
    var tagged = good
    (tagged.track.id, tagged.track.language) = (7, "fra")
    #expect(try accepted.check(tagged, of: factory) == memory)
    #expect(accepted.count == 1)
    for _ in 0..<2 {
      #expect(throws: MediaError.self) {
        try accepted.check(settings(bitRate: 77_777), of: factory)
      }
    }
    _ = try accepted.check(settings(bitRate: 65_000), of: factory)
    #expect(accepted.count == 2)
  }

  @Test(arguments: [
    ("ENCODING_SIZE=79", "the extension encoding of the encoder rated has the struct_size 79"),
    ("ENCODING_KIND=3", "has the kind 3; it is video (1) or audio (2)"),
    ("BEST=0.5", "states qualities from 1.0 to 0.5 with the direction 2, which is no scale"),
  ])
  func `rejects a malformed extension with its values`(macro: String, reason: String) throws {
    try workshop.build("rated.c", defining: [macro], as: "rated.so")
    let record = try #require(workshop.registry().plugins.first)
    #expect(record.status == .failed)
    #expect(record.reason?.contains(reason) == true, "\(record.reason ?? "")")
  }

  @Test(
    arguments: [
      (11.0, nil, "quality is 11; rated takes from 1 to 10"),
      (1.25, nil, "quality is 1.25; rated takes multiples of 0.5"),
      (nil, 999, "the bit rate is 999; rated takes at least 1000 bits per second"),
      (nil, 100_001, "the bit rate is 100001; rated takes at most 100000 bits per second"),
      (nil, 77_777, "77777 bits per second are unlucky"),
    ] as [(Double?, Int64?, String)])
  func `rejects settings before an encoder is opened`(
    quality: Double?, bitRate: Int64?, message: String
  ) throws {
    let error = #expect(throws: MediaError.self) {
      try factory().checkEncoder(settings(bitRate: bitRate, quality: quality))
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == message)
  }

  @Test func `an estimate of the memory arrives`() throws {
    #expect(try factory().encoderMemory(settings(bitRate: 5000)) == 50_000)
  }

  @Test func `an encoder sees its settings and the cancellation, and its warnings arrive`() throws {
    let warnings = Mutex<[String]>([])
    let isCancelled = Mutex(false)
    var settings = settings(bitRate: 64_000)
    settings.keyFrameInterval = 50
    settings.job = PluginJob(
      isCancelled: { isCancelled.withLock { $0 } },
      warn: { message in warnings.withLock { $0.append(message) } })
    let encoder = try EncoderInstance(factory(), settings, reason: "")
    #expect(
      warnings.withLock { $0 } == Array(repeating: "bit rate 64000, key frames 50", count: 2))
    var states: [UInt8] = []
    for cancelled in [false, true] {
      isCancelled.withLock { $0 = cancelled }
      let frame = try #require(
        Frame(
          sampleFormat: .s16, channelLayout: .stereo, sampleRate: 48_000, sampleCount: 8, pts: 0))
      try encoder.encode(frame) { packet in states += packet.buffer?.withBytes { Array($0) } ?? [] }
    }
    #expect(states == [0, 1])
  }

  /// Encodes five frames of 480 audio samples with a variant of the encoder, and returns its warnings.
  private func encodeFive(_ macros: String...) throws -> [String] {
    let warnings = Mutex<[String]>([])
    var settings = settings(bitRate: 64_000)
    settings.job = PluginJob(
      isCancelled: { false }, warn: { message in warnings.withLock { $0.append(message) } })
    let encoder = try EncoderInstance(factory(defining: macros), settings, reason: "")
    for number in 0..<5 {
      let frame = try #require(
        Frame(
          sampleFormat: .s16, channelLayout: .stereo, sampleRate: 48_000, sampleCount: 480,
          pts: Int64(number * 480)))
      try encoder.encode(frame) { _ in }
    }
    try encoder.encode(nil) { _ in }
    return warnings.withLock { $0.filter { !$0.hasPrefix("bit rate") } }
  }

  @Test(arguments: [
    ("LOSES", "returned 0.01 s of audio less than it took"),
    ("WAITS", "asks for more frames after the end"),
    ("EMPTY", "returned 100000 empty packets in a row"),
  ])
  func `an encoder whose packets are not those of its frames fails by name`(
    fault: String, message: String
  ) throws {
    let error = #expect(throws: MediaError.self) { try encodeFive(fault) }
    #expect(error?.code == .pluginFailure)
    #expect(
      error?.message.hasPrefix("rated of the plugin rated \(message)") == true,
      "\(error?.message ?? "")")
  }

  @Test(arguments: ["PADS", "REPEATS"])
  func `audio beyond the input is a warning`(fault: String) throws {
    #expect(try encodeFive(fault) == ["returned 0.01 s of audio more than it took"])
  }

  @Test func `an encoder that returns what it took has no warnings`() throws {
    #expect(try encodeFive() == [])
  }
}
