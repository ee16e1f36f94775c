import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolPipeline
@testable import RespoolHost
@testable import RespoolProcessing

/// Decoding of 16-bit audio whose samples count up, so that the value of each identifies its position.
@Suite struct DecodeStages {
  private final class Collector: Stage {
    var frames: [Frame] = []
    var finished = 0
    func consume(_ frame: Frame) { frames.append(frame) }
    func finish() { finished += 1 }

    var samples: [Int16] {
      frames.flatMap { frame in
        withExtendedLifetime(frame) {
          (0..<frame.sampleCount).map {
            frame.planes[0].base.load(fromByteOffset: $0 * 2, as: Int16.self)
          }
        }
      }
    }
  }

  private let end = Collector()

  private func stage(base: Rational = Rational(1, 8000)) throws -> DecodeStage {
    var track = TrackDescription(kind: .audio, codec: "pcm_s16le", timeBase: base)
    track.sampleRate = 8000
    track.channelLayout = .mono
    track.sampleFormat = .s16
    track.bitsPerSample = 16
    track.blockAlign = 2
    return try DecodeStage(
      track, of: try FileSource(path: Pipeline.clip("notes.txt")), registry: Pipeline.registry,
      threads: 1, to: end)
  }

  private func packet(
    _ first: Int16, _ count: Int16, pts: Int64?, duration: Int64? = nil, flags: Packet.Flags = .key,
    trimStart: Int64 = 0, trimEnd: Int64 = 0
  ) -> Packet {
    let bytes = (first..<first + count).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    var packet = Packet(
      track: 0, pts: pts, dts: pts, duration: duration ?? Int64(count), flags: flags,
      payload: .bytes(MediaBuffer(bytes)))
    packet.trimStart = trimStart
    packet.trimEnd = trimEnd
    return packet
  }

  @Test func `the cut at the front may be longer than a packet`() throws {
    let stage = try stage()
    try stage.consume(packet(0, 100, pts: -250, trimStart: 250))
    try stage.consume(packet(100, 100, pts: -150))
    try stage.consume(packet(200, 100, pts: -50))
    try stage.finish()
    #expect(end.samples == Array(250..<300))
    #expect(end.frames.map(\.pts) == [0])
    #expect(end.finished == 1)
  }

  @Test func `coarse times are rounded once`() throws {
    // 37 ms at 8000 Hz are 296 audio samples. Parts of 9.875 ms would be rounded to 10 ms.
    let stage = try stage(base: Rational(1, 1000))
    for number in 0..<5 {
      try stage.consume(
        packet(
          Int16(number * 79), 79, pts: Int64(number * 10) - 37, duration: 10,
          trimStart: number == 0 ? 37 : 0))
    }
    try stage.finish()
    #expect(end.samples == Array(296..<395))
  }

  @Test func `the end is cut from the packet that states it`() throws {
    let stage = try stage()
    try stage.consume(packet(0, 100, pts: 0))
    try stage.consume(packet(100, 100, pts: 100, trimEnd: 30))
    try stage.consume(packet(200, 100, pts: 170))
    try stage.finish()
    #expect(end.samples == Array(0..<170) + Array(200..<300))
  }

  @Test func `both ends of a packet may be cut, and all of it`() throws {
    let stage = try stage()
    try stage.consume(packet(0, 100, pts: 0, trimStart: 10, trimEnd: 20))
    try stage.consume(packet(100, 100, pts: 100, trimEnd: 100))
    try stage.consume(packet(200, 100, pts: 200, trimStart: 60, trimEnd: 60))
    try stage.finish()
    #expect(end.samples == Array(10..<80))
  }

  @Test func `discarded packets are decoded, not passed on, and do not count for a cut`()
    throws
  {
    let stage = try stage()
    try stage.consume(packet(0, 100, pts: -100, flags: [.key, .discard]))
    try stage.consume(packet(100, 100, pts: 0, trimStart: 40))
    try stage.finish()
    #expect(end.samples == Array(140..<200))
  }

  @Test func `audio without times continues after the last block`() throws {
    let stage = try stage()
    try stage.consume(packet(0, 100, pts: 500))
    try stage.consume(packet(100, 100, pts: nil))
    try stage.consume(packet(200, 100, pts: nil))
    try stage.finish()
    #expect(end.frames.map(\.pts) == [500, 600, 700])
  }

  @Test func `a discontinuity cancels the rest of a cut`() throws {
    let stage = try stage()
    try stage.consume(packet(0, 100, pts: 0, trimStart: 150))
    try stage.consume(packet(100, 100, pts: 1000, flags: [.key, .discontinuity]))
    try stage.finish()
    #expect(end.samples == Array(100..<200))
    #expect(end.frames.map(\.pts) == [1000])
  }

  @Test func `a packet without bytes is skipped`() throws {
    let stage = try stage()
    try stage.consume(packet(0, 0, pts: 0))
    try stage.consume(packet(0, 100, pts: 0))
    try stage.finish()
    #expect(end.samples == Array(0..<100))
    #expect(stage.damagedPackets == 0)
  }
}
