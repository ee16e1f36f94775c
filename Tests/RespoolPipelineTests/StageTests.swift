import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolPipeline
@testable import RespoolHost
@testable import RespoolProcessing

/// A stage that keeps its input.
private final class Collector<Input>: Stage {
  var items: [Input] = []
  var skips: [Int64] = []
  var finished = 0
  var failAfter: Int?

  func consume(_ input: Input) throws(MediaError) {
    items.append(input)
    if let failAfter, items.count > failAfter { throw MediaError(.malformed, "enough") }
  }
  func skip(to nanoseconds: Int64) { skips.append(nanoseconds) }
  func finish() { finished += 1 }
}

private func sound(
  _ pts: Int64?, count: Int, rate: Int = 48000, layout: ChannelLayout = .mono, value: Float = 0.5
) throws -> Frame {
  var frame = try #require(
    Frame(
      sampleFormat: .flt, channelLayout: layout, sampleRate: rate, sampleCount: count, pts: pts))
  for index in 0..<count * layout.channelCount {
    frame.planes[0].base.storeBytes(of: value, toByteOffset: index * 4, as: Float.self)
  }
  frame.duration = Int64(count)
  return frame
}

private func values(_ frames: [Frame]) -> [Float] {
  frames.flatMap { frame in
    withExtendedLifetime(frame) {
      (0..<frame.sampleCount).map {
        frame.planes[0].base.load(fromByteOffset: $0 * 4, as: Float.self)
      }
    }
  }
}

@Suite struct AudioStages {
  private let end = Collector<Frame>()

  private func stage(base: Rational = Rational(1, 48000), rate: Int = 48000) -> AudioConversionStage
  {
    AudioConversionStage(
      output: AudioFormat(sampleFormat: .flt, sampleRate: rate, channelLayout: .mono),
      timeBase: base, to: end)
  }

  private var count: Int { end.items.reduce(0) { $0 + $1.sampleCount } }

  @Test func `a hole of more than 40 ms is filled with silence at once`() throws {
    let stage = stage()
    try stage.consume(sound(0, count: 1000))
    try stage.consume(sound(4000, count: 1000))
    try stage.finish()
    #expect(count == 5000)
    #expect(values(end.items)[1000..<4000].allSatisfy { $0 == 0 })
    #expect(values(end.items)[4000...].allSatisfy { $0 == 0.5 })
    #expect(stage.insertedSeconds == 3000.0 / 48000)
    #expect(
      end.items.map(\.pts)
        == end.items.indices.map { index in
          Int64(end.items[..<index].reduce(0) { $0 + $1.sampleCount })
        })
  }

  @Test func `an overlap of more than 40 ms is dropped`() throws {
    let stage = stage()
    try stage.consume(sound(0, count: 4000))
    try stage.consume(sound(1000, count: 4000))
    try stage.consume(sound(5000, count: 4000))
    try stage.finish()
    #expect(count == 9000)
    #expect(stage.droppedSeconds == 3000.0 / 48000)
  }

  @Test func `slow drift within the limit drops nothing`() throws {
    let stage = stage()
    for number in 0..<200 { try stage.consume(sound(Int64(number * 12), count: 1152)) }
    try stage.finish()
    #expect(count == 200 * 1152)
    #expect(stage.droppedSeconds == 0)
    #expect(stage.slowTimestampFrames > 0)
  }

  @Test func `repeated audio is heard once`() throws {
    let stage = stage()
    for start in [0, 48000] {
      // One second, then its second half again.
      for number in 0..<10 { try stage.consume(sound(Int64(start + number * 4800), count: 4800)) }
      for number in 5..<10 { try stage.consume(sound(Int64(start + number * 4800), count: 4800)) }
    }
    try stage.finish()
    #expect(count == 96000)
    #expect(abs(stage.droppedSeconds - 1) < 1e-9)
    #expect(stage.slowTimestampFrames == 0)
  }

  @Test func `coarse times change nothing`() throws {
    let stage = stage(base: Rational(1, 1000), rate: 48000)
    for number in 0..<200 {
      let exact = Double(number) * 1024 / 48
      try stage.consume(sound(Int64(exact.rounded()), count: 1024))
    }
    try stage.finish()
    #expect(count == 200 * 1024)
    #expect(stage.insertedSeconds == 0)
    #expect(stage.droppedSeconds == 0)
  }

  @Test func `a small shift that lasts is corrected`() throws {
    let stage = stage()
    for number in 0..<100 {
      try stage.consume(sound(Int64(number * 1024 + (number > 10 ? 480 : 0)), count: 1024))
    }
    try stage.finish()
    #expect(count == 100 * 1024 + 480)
  }

  @Test func `a slow clock is followed`() throws {
    let stage = stage()
    // Timestamps run 0.1 % ahead of the audio samples, for 100 seconds.
    for number in 0..<4687 {
      try stage.consume(sound(Int64(Double(number) * 1024 * 1.001), count: 1024))
    }
    try stage.finish()
    let exact = Int((4686.0 * 1024 * 1.001).rounded()) + 1024
    #expect(abs(count - exact) < 48000 / 20)
  }

  @Test func `a time that jumps by days is ignored`() throws {
    let stage = stage()
    try stage.consume(sound(0, count: 1024))
    for number in 0..<30 {
      try stage.consume(sound(1 << 50 + Int64(number * 1024), count: 1024))
    }
    try stage.finish()
    #expect(count == 31 * 1024)
  }

  @Test func `audio that starts late keeps its time`() throws {
    let stage = stage(rate: 24000)
    try stage.consume(sound(9600, count: 4800))
    try stage.finish()
    #expect(end.items.first?.pts == 4800)
    #expect(count == 2400)
  }

  @Test func `sample rate and layout may change in the middle`() throws {
    let stage = stage()
    for number in 0..<10 { try stage.consume(sound(Int64(number * 4800), count: 4800)) }
    for number in 0..<10 {
      try stage.consume(
        sound(Int64((10 + number) * 4800), count: 4410, rate: 44100, layout: .stereo))
    }
    try stage.finish()
    #expect(count == 96000)
    #expect(stage.insertedSeconds == 0)
    let last = try #require(end.items.last)
    #expect(last.pts.map { Int($0) + last.sampleCount } == 96000)
  }
}

@Suite struct VideoStages {
  private let end = Collector<Frame>()

  private func stage(maximumRate: Rational? = nil, base: Rational = Rational(1, 1000))
    -> VideoConversionStage
  {
    VideoConversionStage(
      output: VideoFormat(pixelFormat: .yuv420p, width: 32, height: 16), orientation: .init(),
      sampleAspect: nil, maximumRate: maximumRate, timeBase: base, to: end)
  }

  private func picture(_ pts: Int64?, _ width: Int = 32, _ height: Int = 16, duration: Int64 = 20)
    throws -> Frame
  {
    var frame = try FrameFixture.flat(.yuv420p, width, height, [100, 128, 128])
    frame.pts = pts
    frame.duration = duration
    return frame
  }

  @Test func `timecodes of frames are noticed`() throws {
    let stage = stage()
    try stage.consume(picture(0))
    #expect(!stage.hasTimecodes)
    var frame = try picture(20)
    frame.sideData = [SideData(.timecodes, [1, 0, 0, 0])]
    try stage.consume(frame)
    #expect(stage.hasTimecodes)
  }

  @Test func `frames of another size are scaled to that of the first`() throws {
    let stage = stage()
    for (number, size) in [(32, 16), (64, 64), (16, 16), (32, 16)].enumerated() {
      try stage.consume(picture(Int64(number), size.0, size.1))
    }
    try stage.finish()
    #expect(end.items.allSatisfy { $0.width == 32 && $0.height == 16 })
    #expect(end.items.map(\.pts) == [0, 1, 2, 3])
    #expect(end.items.allSatisfy { FrameFixture.bytes($0).allSatisfy { $0 == 100 } })
  }

  @Test func `a frame rate limit drops frames and keeps the duration`() throws {
    let stage = stage(maximumRate: Rational(25, 1))
    for number in 0..<50 { try stage.consume(picture(Int64(number * 20))) }
    try stage.finish()
    #expect(end.items.count == 25 || end.items.count == 26)
    #expect(end.items.last.map { ($0.pts ?? 0) + $0.duration } == 1000)
    #expect(end.finished == 1)
  }

  @Test func `a frame rate limit above the frame rate changes nothing`() throws {
    let stage = stage(maximumRate: Rational(60, 1))
    for number in 0..<50 { try stage.consume(picture(Int64(number * 20))) }
    try stage.finish()
    #expect(end.items.map(\.pts) == (0..<50).map { $0 * 20 })
    #expect(end.items.allSatisfy { $0.duration == 20 })
  }

  @Test func `a frame whose time does not increase is dropped and counted`() throws {
    let stage = stage()
    for time in [0, 20, 20, 10, 40] { try stage.consume(picture(Int64(time))) }
    try stage.finish()
    #expect(end.items.map(\.pts) == [0, 20, 40])
    #expect(stage.outOfOrderCount == 2)
  }
}

@Suite struct QueueStages {
  @Test func `everything arrives in order, then the end`() throws {
    let end = Collector<Int>()
    let queue = try QueueStage(to: end, limit: 100, name: "test") { (_: Int) in 10 }
    for number in 0..<1000 { try queue.consume(number) }
    try queue.skip(to: 5)
    try queue.finish()
    #expect(end.items == Array(0..<1000))
    #expect(end.skips == [5])
    #expect(end.finished == 1)
  }

  @Test func `an error after the queue reaches the sender, and nothing is finished`() throws {
    let end = Collector<Int>()
    end.failAfter = 20
    let queue = try QueueStage(to: end, limit: 100, name: "test") { (_: Int) in 10 }
    let error = #expect(throws: MediaError.self) {
      for number in 0..<1000 { try queue.consume(number) }
      try queue.finish()
    }
    #expect(error?.code == .malformed)
    queue.abandon()
    #expect(end.items.count == 21)
    #expect(end.finished == 0)
  }

  @Test func `abandoning ends the thread without finishing`() throws {
    let end = Collector<Int>()
    let queue = try QueueStage(to: end, limit: 1 << 20, name: "test") { (_: Int) in 10 }
    try queue.consume(1)
    queue.abandon()
    queue.abandon()
    #expect(end.finished == 0)
    #expect(throws: MediaError.self) { try queue.consume(2) }
  }

  @Test func `one item is accepted however large it is`() throws {
    let end = Collector<Int>()
    let queue = try QueueStage(to: end, limit: 1, name: "test") { (_: Int) in 1000 }
    for number in 0..<10 { try queue.consume(number) }
    try queue.finish()
    #expect(end.items.count == 10)
  }
}
