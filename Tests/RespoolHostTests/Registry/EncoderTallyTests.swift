import RespoolMedia
import Testing

@testable import RespoolHost

/// Comparison of an encoder's frames and packets.
@Suite struct EncoderTallyTests {
  /// Returns the difference for frames at the times `frames`, in 1/25 s, and packets at `packets`, in 1/50 s, each with
  /// its duration.
  private func video(_ frames: [Int64], _ packets: [(Int64, Int64)]) throws -> String? {
    var tally = EncoderTally(frames: Rational(1, 25), packets: Rational(1, 50))
    for pts in frames {
      tally.enter(try #require(Frame(pixelFormat: .gray, width: 2, height: 2, pts: pts)))
    }
    for (pts, duration) in packets {
      tally.leave(
        video: Packet(
          track: 0, pts: pts, dts: pts, duration: duration, payload: .bytes(MediaBuffer([1]))))
    }
    let track = TrackDescription(kind: .video, codec: "x", timeBase: Rational(1, 50))
    guard let difference = tally.difference(track) else { return nil }
    #expect(difference.isLoss)
    return difference.text
  }

  @Test func `packets in another order and unit are those of the frames`() throws {
    #expect(try video([0, 1, 2], [(0, 2), (4, 2), (2, 2)]) == nil)
  }

  @Test func `frames that are not shown and packets without durations are accepted`() throws {
    // The second packet is a reference frame at the time of the next frame.
    #expect(try video([0, 1, 2], [(0, 2), (2, 0), (2, 2), (4, 2)]) == nil)
    #expect(try video([0, 1, 2], [(0, 0), (2, 0), (4, 0)]) == nil)
  }

  @Test func `missing, moved and surplus frames are found`() throws {
    #expect(
      try video([0, 1, 2], [(0, 2), (4, 2)])
        == "returned no packets for 1 of 3 frames, the first at 0.04 s")
    #expect(
      try video([0, 1, 2], [(0, 2), (3, 2), (4, 2)])
        == "returned no packets for 1 of 3 frames, the first at 0.04 s")
    #expect(
      try video([0, 1], [(0, 2), (2, 2), (4, 2)])
        == "returned 1 packets that belong to none of 2 frames, the first at 0.08 s")
  }
}
