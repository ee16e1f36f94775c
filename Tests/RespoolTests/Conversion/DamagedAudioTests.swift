import Foundation
import RespoolMedia
import Testing

@testable import Respool
@testable import RespoolHost

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

  @Test func aPauseIsFilledAndAClockThatJumpsHalfADayIsNotBelieved() throws {
    let counter = Counter()
    let stage = AudioConversionStage(output: shape, timeBase: Rational(1, 48000), to: counter)
    try stage.consume(sound(at: 0))
    try stage.consume(sound(at: 48000))
    #expect(counter.samples == 48000 + 960)
    try stage.consume(sound(at: 2_147_482_375))
    try stage.finish()
    #expect(counter.samples == 48000 + 1920)
    #expect(stage.unbelievedHoles == 1)
  }

  @Test func aRateOfOneHertzIsRefused() throws {
    var slow = shape
    slow.sampleRate = 1
    #expect(throws: MediaError.self) { try AudioConverter(from: slow, to: shape) }
  }

  @Test func `a rate that no sound has is blamed on the file that says it`() throws {
    let scratch = try Scratch()
    var head = Array("RIFF".utf8) + [36 + 200, 0, 0, 0] + Array("WAVEfmt ".utf8)
    head += [16, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0xDC, 0x05, 0, 0, 0xB8, 0x0B, 2, 0, 16, 0]
    head += Array("data".utf8) + [200, 0, 0, 0] + [UInt8](repeating: 1, count: 200)
    let path = scratch.path("fast.wav")
    try Data(head).write(to: URL(filePath: path))
    do {
      try Pipeline.export(path, "opus-128k", to: scratch.path("out.opus"))
      Issue.record("it was converted")
    } catch let error as MediaError {
      #expect(error.code == .unsupported)
      #expect(error.message.contains("98304000 samples a second"), "\(error.message)")
      #expect(!error.message.contains("plugin"))
    }
  }

  @Test func timesThatNoMediaHasAreRefused() throws {
    var packet = Packet(track: 0, pts: 1 << 62, dts: 0, payload: .bytes(MediaBuffer([1])))
    #expect(throws: MediaError.self) { try packet.checkTimes(in: Rational(1, 48000)) }
    packet.pts = 48000
    packet.duration = .max
    try packet.checkTimes(in: Rational(1, 48000))
    #expect(packet.duration == 0)
    var frame = try sound(at: .max)
    frame.forgetImpossibleTimes(in: Rational(1, 48000))
    #expect(frame.pts == nil)
  }
}
