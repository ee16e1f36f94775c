import RespoolMedia
import Testing

@testable import RespoolPipeline
@testable import RespoolHost
@testable import RespoolProcessing

/// Audio of damaged files.
///
/// Tests with mutated files found these cases.
@Suite struct DamagedAudioTests {
  private final class Counter: Stage {
    var samples = 0
    func consume(_ frame: Frame) throws(MediaError) { samples += frame.sampleCount }
    func finish() {}
  }

  private let shape = AudioFormat(sampleFormat: .s16, sampleRate: 48000, channelLayout: .mono)

  private func sound(at time: Int64?) throws -> Frame {
    var frame = try #require(
      Frame.silence(
        sampleFormat: .s16, channelLayout: .mono, sampleRate: 48000, sampleCount: 960))
    frame.pts = time
    return frame
  }

  @Test func `a pause is filled and a clock that jumps half a day is ignored`() throws {
    let counter = Counter()
    let stage = AudioConversionStage(output: shape, timeBase: Rational(1, 48000), to: counter)
    try stage.consume(sound(at: 0))
    try stage.consume(sound(at: 48000))
    #expect(counter.samples == 48000 + 960)
    try stage.consume(sound(at: 2_147_482_375))
    try stage.finish()
    #expect(counter.samples == 48000 + 1920)
    #expect(stage.ignoredGaps == 1)
  }

  @Test func `a sample rate of one hertz is rejected`() throws {
    var slow = shape
    slow.sampleRate = 1
    #expect(throws: MediaError.self) { try AudioConverter(from: slow, to: shape) }
  }

  @Test func `impossible times are rejected`() throws {
    var packet = Packet(track: 0, pts: 1 << 62, dts: 0, payload: .bytes(MediaBuffer([1])))
    #expect(throws: MediaError.self) { try packet.checkTimes(in: Rational(1, 48000)) }
    packet.pts = 48000
    packet.duration = .max
    #expect(try packet.checkTimes(in: Rational(1, 48000))?.contains("duration") == true)
    #expect(packet.duration == 0)
    #expect(try packet.checkTimes(in: Rational(1, 48000)) == nil)
  }

  @Test func `trims that are longer than their packet are reported`() throws {
    var packet = Packet(track: 0, pts: 0, dts: 0, payload: .bytes(MediaBuffer([1])))
    (packet.trimStart, packet.trimEnd) = (100, 1000)
    #expect(try packet.checkTimes(in: Rational(1, 48000)) == nil)
    packet.duration = 480
    let fault = try packet.checkTimes(in: Rational(1, 48000))
    #expect(fault?.contains("the trims must not exceed the duration") == true)
    #expect((packet.trimStart, packet.trimEnd) == (100, 1000))
    (packet.trimStart, packet.trimEnd) = (100, -1)
    #expect(try packet.checkTimes(in: Rational(1, 48000)) != nil)
    #expect((packet.trimStart, packet.trimEnd) == (100, 0))
  }

  @Test func `impossible times of frames are forgotten`() throws {
    var frame = try sound(at: .max)
    frame.forgetImpossibleTimes(in: Rational(1, 48000))
    #expect(frame.pts == nil)
  }
}
