import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import RespoolPipeline
@testable import RespoolHost
@testable import RespoolProcessing

@Suite struct OutputComparisonTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static var track: TrackDescription {
    var track = TrackDescription(kind: .audio, codec: "flac", timeBase: Rational(1, 1000))
    track.sampleRate = 1000
    track.channelLayout = .mono
    track.sampleFormat = .s16
    track.extradata = [UInt8](repeating: 1, count: 34)
    // 1000 Hz, one channel, 16 bits (RFC 9639 8.2).
    track.extradata.replaceSubrange(10..<14, with: [0, 0x3E, 0x80, 0xF0])
    return track
  }

  private static func packet(_ number: Int, shift: Int64 = 0, fill: UInt8 = 0) -> Packet {
    Packet(
      track: 0, pts: Int64(number) * 100 + shift, dts: Int64(number) * 100 + shift, duration: 100,
      flags: .key,
      payload: .bytes(
        MediaBuffer([UInt8](repeating: UInt8(truncatingIfNeeded: number) ^ fill, count: 600)))
    )
  }

  /// Writes packets to a Matroska file; returns what was remembered of them.
  private func write(_ name: String, _ packets: [Packet]) throws -> [WrittenTrack] {
    let sink = try FileSink(path: scratch.path(name))
    let registry = Pipeline.registry
    let muxer = try #require(registry.muxer(named: "mkv"))
    let interleaver = Interleaver(trackCount: 1, media: MediaDescription(format: "mkv")) {
      (media: MediaDescription, _: [Int]) throws(MediaError) in
      try registry.openMuxer(muxer, media: media, sink: sink)
    }
    try interleaver.begin(0, Self.track)
    for packet in packets { try interleaver.push(0, packet) }
    try interleaver.finish(0)
    try interleaver.complete()
    try sink.finish()
    return interleaver.writtenTracks
  }

  /// Compares the file of `packets` with what was remembered of `other`.
  private func compare(_ packets: [Packet], with other: [Packet]) throws -> String {
    for name in ["a.mkv", "b.mkv"] { unlink(scratch.path(name)) }
    _ = try write("a.mkv", packets)
    let remembered = try write("b.mkv", other)
    let registry = Pipeline.registry
    let demuxer = try registry.openDemuxer(FileSource(path: scratch.path("a.mkv")), for: .copying)
    do throws(MediaError) {
      return try OutputComparison(remembered, registry).check(demuxer).losses.joined(
        separator: "; ")
    } catch { return error.message }
  }

  @Test(arguments: [3, 15, 16, 17, 200])
  func `a file equals what was written`(_ count: Int) throws {
    let packets = (0..<count).map { Self.packet($0) }
    #expect(try compare(packets, with: packets) == "")
  }

  @Test func `each difference is found`() throws {
    let packets = (0..<40).map { Self.packet($0) }
    let other = (0..<40).map { Self.packet($0, fill: $0 == 7 ? 1 : 0) }
    #expect(
      try compare(packets, with: other)
        == "the output is not what was written: track 1 has other bytes from byte 4200 of its packets on"
    )
    #expect(
      try compare(Array(packets.prefix(10)), with: packets)
        == "the output is not what was written: track 1 has 10 packets; 40 were written")
    #expect(
      try compare(Array(packets.dropLast()), with: packets)
        == "the output is not what was written: track 1 has 39 packets; 40 were written")
    #expect(
      try compare(packets, with: Array(packets.dropLast()))
        == "the output is not what was written: track 1 has 40 packets; 39 were written")
    // A source may have times that no container expresses exactly.
    let late = (0..<40).map { Self.packet($0, shift: $0 == 3 ? 10 : 0) }
    #expect(try compare(late, with: packets) == "track 1 has packet 3 at 0.31 s instead of 0.3 s")
    #expect(
      try compare((0..<40).map { Self.packet($0, shift: $0 == 30 ? 30 : 0) }, with: packets)
        == "the output is not what was written: track 1 has packet 30 at 3.03 s instead of 3 s")
    #expect(
      try compare((0..<40).map { Self.packet($0, shift: $0 == 39 ? 15 : 0) }, with: packets)
        == "track 1 has packet 39 at 3.915 s instead of 3.9 s")
  }

  @Test func `packets are compared along the whole track`() throws {
    let count = 5000
    let packets = (0..<count).map { Self.packet($0) }
    #expect(try compare(packets, with: packets) == "")
    // A time base of half the length, from packet 3000 on.
    let slow = (0..<count).map { Self.packet($0, shift: Int64(max(0, $0 - 3000)) * 100) }
    let difference = try compare(slow, with: packets)
    #expect(
      difference.hasPrefix("the output is not what was written: track 1 has packet 30"),
      "\(difference)")
  }

  @Test func `samples of packets are evenly spread`() throws {
    var samples = PacketSamples(limit: 8)
    for number in 0..<100 { try samples.add(Self.packet(number), of: nil) }
    #expect(samples.distance == 16)
    #expect(samples.samples.map(\.number) == [0, 16, 32, 48, 64, 80, 96])
    #expect(samples.packetCount == 100 && samples.keyCount == 100)
    var same = PacketSamples(like: samples)
    for number in 0..<100 { try same.add(Self.packet(number), of: nil) }
    #expect(same.samples.map(\.pts) == samples.samples.map(\.pts))
  }

  @Test func `packets that have to be presented later are a loss`() throws {
    // Two packets go back by 250 ms: the first is presented 151 ms later, the second 52 ms.
    let packets = (0..<40).map { Self.packet($0, shift: [20, 21].contains($0) ? -250 : 0) }
    #expect(
      try compare(packets, with: packets)
        == "track 1 has times that repeat or go back: 2 packets are presented up to 0.151 s later")
    let coarse = (0..<40).map { Self.packet($0, shift: $0 % 2 == 0 ? 0 : -100) }
    #expect(try compare(coarse, with: coarse) == "")
  }

  private func frame(_ luma: UInt8, width: Int = 64, height: Int = 48) throws -> Frame {
    let frame = try #require(Frame(pixelFormat: .yuv420p, width: width, height: height, pts: 0))
    for plane in 0..<3 {
      let count = frame.planes[plane].stride * (plane == 0 ? height : height / 2)
      memset(frame.planes[plane].base, Int32(plane == 0 ? luma : 128), count)
    }
    return frame
  }

  private func digest(_ frames: [Frame]) -> TrackDigest {
    var digest = TrackDigest()
    for frame in frames { digest.add(frame) }
    return digest
  }

  @Test func `frames are compared by their size and their blocks`() throws {
    let sent = digest([try frame(60), try frame(80), try frame(100), try frame(120)])
    #expect(sent.frames.count == 3)
    #expect(sent.difference(from: digest([try frame(70), try frame(70), try frame(90)])) == nil)
    #expect(
      sent.difference(from: digest([try frame(60), try frame(80)]))
        == .wrong("is decoded to 2 of its first 3 frames"))
    #expect(
      sent.difference(from: digest([try frame(60), try frame(80), try frame(140)]))
        == .wrong(
          "is decoded to other frames than were encoded: parts of plane 0 of frame 2 differ by 40 of 255"
        ))
    #expect(
      sent.difference(from: digest([try frame(60, width: 32), try frame(80), try frame(100)]))
        == .wrong(
          "is decoded to frames of 32x48 pixels; frames of 64x48 were encoded"))
  }

  private func tone(_ level: Double, rate: Int = 8000, channels: Int = 1) throws -> Frame {
    let layout = channels == 1 ? ChannelLayout.mono : .stereo
    let frame = try #require(
      Frame(
        sampleFormat: .flt, channelLayout: layout, sampleRate: rate, sampleCount: rate / 2, pts: 0))
    let values = frame.planes[0].base.assumingMemoryBound(to: Float.self)
    for index in 0..<rate / 2 * channels {
      values[index] = Float(level * sin(Double(index / channels) * 500 * 2 * .pi / Double(rate)))
    }
    return frame
  }

  @Test func `audio is compared by the level of each channel`() throws {
    let sent = digest([try tone(0.2)])
    #expect(sent.difference(from: digest([try tone(0.2, rate: 48000)])) == nil)
    #expect(sent.difference(from: digest([try tone(0.1)])) == nil)
    #expect(
      sent.difference(from: digest([try tone(0.5)]))
        == .wrong("is decoded to louder audio than was encoded, in channel 1"))
    #expect(
      sent.difference(from: digest([try tone(0.01)]))
        == .loss("is decoded to nearly silent audio in channel 1"))
    #expect(
      sent.difference(from: digest([try tone(0.2, channels: 2)]))
        == .wrong("is decoded to 2 channels; 1 were encoded"))
    // Too quiet to be compared.
    #expect(digest([try tone(0.001)]).difference(from: digest([try tone(0.003)])) == nil)
  }
}
