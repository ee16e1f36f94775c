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
      tally.add(try #require(Frame(pixelFormat: .gray, width: 2, height: 2, pts: pts)))
    }
    for (pts, duration) in packets {
      let fault = tally.add(
        Packet(
          track: 0, pts: pts, dts: nil, duration: duration, flags: .key,
          payload: .bytes(MediaBuffer([1]))),
        isAudio: false)
      #expect(fault == nil)
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
        == "returned packets with other times than those of 1 of 3 frames, the first at 0.04 s")
    #expect(
      try video([0, 1], [(0, 2), (2, 2), (4, 2)])
        == "returned 1 packet that belongs to none of 2 frames, the first at 0.08 s")
  }

  @Test func `decode times after presentation times and without a rise are found`() {
    func fault(_ packets: [(pts: Int64, dts: Int64)]) -> String? {
      var tally = EncoderTally(frames: Rational(1, 25), packets: Rational(1, 25))
      return packets.lazy.compactMap { pts, dts in
        tally.add(
          Packet(
            track: 0, pts: pts, dts: dts, duration: 1, flags: .key,
            payload: .bytes(MediaBuffer([1]))), isAudio: false)
      }.first
    }
    #expect(fault([(0, -1), (2, 0), (1, 1)]) == nil)
    #expect(fault([(0, -1), (2, 3)]) == "a packet with the dts 3, after its pts 2")
    #expect(
      fault([(0, -1), (2, -1)])
        == "a packet with the dts -1 after one with -1: decode times must rise")
  }

  @Test(arguments: [(-312, nil), (0, "returned a first packet with the pts 0")])
  func `the first packet of audio lies before the frames by the encoder delay`(
    _ first: Int64, _ expected: String?
  ) throws {
    var tally = EncoderTally(frames: Rational(1, 48000), packets: Rational(1, 48000))
    tally.add(
      try #require(
        Frame(
          sampleFormat: .s16, channelLayout: .mono, sampleRate: 48000, sampleCount: 648, pts: 0)))
    _ = tally.add(
      Packet(track: 0, pts: first, dts: first, duration: 960, payload: .bytes(MediaBuffer([1]))),
      isAudio: true)
    var track = TrackDescription(kind: .audio, codec: "opus", timeBase: Rational(1, 48000))
    (track.sampleRate, track.initialPadding) = (48000, 312)
    let text = tally.difference(track)?.text
    #expect(text.map { $0.hasPrefix(expected ?? "-") } ?? (expected == nil), "\(text ?? "")")
  }

  @Test func `a first packet of video without the key flag is found`() {
    var tally = EncoderTally(frames: Rational(1, 25), packets: Rational(1, 25))
    let fault = tally.add(
      Packet(track: 0, pts: 0, dts: 0, duration: 1, payload: .bytes(MediaBuffer([1]))),
      isAudio: false)
    #expect(fault?.hasPrefix("a first packet without the key flag") == true)
  }
}
