import RespoolMedia
import ReadingFixtures
import Testing

@testable import Respool

@Suite struct SampleQueueTests {
  private func sample(_ time: Int64) -> SampleBuffer {
    var track = TrackDescription(kind: .audio, codec: "pcm_s16le", timeBase: Rational(1, 8000))
    track.sampleRate = 8000
    let packet = Packet(
      track: 0, pts: time, dts: time, duration: 1, flags: .key,
      payload: .bytes(MediaBuffer([UInt8](repeating: 1, count: 1000))))
    return SampleBuffer(
      .packet(packet), format: FormatDescription(track), timeBase: track.timeBase)
  }

  @Test func `samples come out in order, then the error`() throws {
    let queue = SampleQueue(limit: 1 << 20)
    try queue.put(sample(1))
    try queue.put(sample(2))
    queue.end(MediaError(.malformed, "cut off"))
    #expect(try queue.next()?.presentationTimeStamp == MediaTime(value: 1, timescale: 8000))
    #expect(try queue.next()?.presentationTimeStamp == MediaTime(value: 2, timescale: 8000))
    #expect(throws: MediaError.self) { try queue.next() }
  }

  @Test func `a producer that is ahead waits and loses nothing`() throws {
    let queue = SampleQueue(limit: 4000)
    let thread = try PlainThread(name: "ahead") { [samples = (0..<500).map(sample)] in
      for sample in samples { try? queue.put(sample) }
      queue.end()
    }
    var times: [Int64] = []
    while let sample = try queue.next() { times.append(sample.presentationTimeStamp.value) }
    thread.join()
    #expect(times == Array(0..<500))
  }

  @Test func `a queue without a consumer releases the producer`() throws {
    let queue = SampleQueue(limit: 1000)
    try queue.put(sample(0))
    let thread = try PlainThread(name: "ahead") { [next = sample(1)] in
      #expect(throws: MediaError.self) { try queue.put(next) }
    }
    queue.abandon()
    thread.join()
    #expect(throws: MediaError.self) { try queue.next() }
  }
}
