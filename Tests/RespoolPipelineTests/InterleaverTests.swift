import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import RespoolPipeline
@testable import RespoolHost
@testable import RespoolProcessing

@Suite struct Interleaving {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static func track(_ base: Rational = Rational(1, 1000)) -> TrackDescription {
    var track = TrackDescription(kind: .audio, codec: "pcm_s16le", timeBase: base)
    track.sampleRate = 1000
    track.channelLayout = .mono
    track.sampleFormat = .s16
    track.bitsPerSample = 16
    track.blockAlign = 2
    return track
  }

  private static func packet(_ time: Int64, size: Int = 20, duration: Int64 = 10) -> Packet {
    Packet(
      track: 0, pts: time, dts: time, duration: duration, flags: .key,
      payload: .bytes(MediaBuffer([UInt8](repeating: UInt8(time & 0x7F), count: size))))
  }

  private func interleaver(_ name: String, tracks: Int, limit: Int = 1 << 20) throws -> (
    Interleaver, FileSink
  ) {
    let sink = try FileSink(path: scratch.path(name))
    let registry = Pipeline.registry
    let muxer = try #require(registry.muxer(named: "mkv"))
    return (
      Interleaver(trackCount: tracks, media: MediaDescription(format: "mkv"), limit: limit) {
        (media: MediaDescription, _: [Int]) throws(MediaError) in
        try registry.openMuxer(muxer, media: media, sink: sink)
      }, sink
    )
  }

  /// Returns track and time of each packet of a finished file, in file order.
  private func order(_ name: String) throws -> [(track: Int, time: Int64)] {
    let source = try FileSource(path: scratch.path(name))
    let demuxer = try Pipeline.registry.openDemuxer(source)
    var order: [(Int, Int64)] = []
    while let packet = try demuxer.read() { order.append((packet.track, packet.pts ?? -1)) }
    return order
  }

  @Test func `the bytes do not depend on the order of arrival`() throws {
    var files: [Data] = []
    for (run, turns) in [[0, 1], [1, 0]].enumerated() {
      let (interleaver, sink) = try interleaver("\(run)", tracks: 2)
      for index in turns { try interleaver.begin(index, Self.track()) }
      for index in turns {
        for number in 0..<100 {
          try interleaver.push(index, Self.packet(Int64(number * (10 + index * 3))))
        }
        try interleaver.finish(index)
      }
      try interleaver.complete()
      try sink.finish()
      files.append(try Data(contentsOf: URL(filePath: scratch.path("\(run)"))))
    }
    #expect(files[0] == files[1])
    let times = try order("0").map(\.time)
    #expect(times.count == 200)
    #expect(times == times.sorted())
  }

  @Test func `no track waits for one that reports a pause`() throws {
    let (interleaver, sink) = try interleaver("a", tracks: 2)
    for index in [0, 1] { try interleaver.begin(index, Self.track()) }
    for number in 0..<50 { try interleaver.push(0, Self.packet(Int64(number * 10))) }
    #expect(interleaver.writtenSeconds == 0)
    try interleaver.skip(1, to: 300_000_000)
    #expect(abs(interleaver.writtenSeconds - 0.31) < 0.02)
    // Packets that come late nevertheless are written, in the order of their track.
    for time in [100, 200, 400] { try interleaver.push(1, Self.packet(Int64(time))) }
    for index in [0, 1] { try interleaver.finish(index) }
    try interleaver.complete()
    try sink.finish()
    let order = try order("a")
    #expect(order.count == 53)
    #expect(order.filter { $0.track == 1 }.map(\.time) == [100, 200, 400])
  }

  @Test func `memory is bounded if a track gives nothing`() throws {
    let (interleaver, sink) = try interleaver("b", tracks: 2, limit: 100_000)
    for index in [0, 1] { try interleaver.begin(index, Self.track()) }
    #expect(!interleaver.isPiledUp(0))
    for number in 0..<200 { try interleaver.push(0, Self.packet(Int64(number * 10), size: 2000)) }
    #expect(interleaver.isPiledUp(0))
    #expect(!interleaver.isPiledUp(1))
    #expect(interleaver.writtenSeconds > 1)
    for index in [0, 1] { try interleaver.finish(index) }
    try interleaver.complete()
    try sink.finish()
    #expect(try order("b").count == 200)
  }

  @Test func `a track that has only been announced does not delay the opening of the file`()
    throws
  {
    let (interleaver, sink) = try interleaver("c", tracks: 3, limit: 100_000)
    interleaver.announce(1, Self.track())
    try interleaver.begin(0, Self.track())
    for number in 0..<100 { try interleaver.push(0, Self.packet(Int64(number * 10), size: 2000)) }
    #expect(interleaver.writtenSeconds > 0)
    try interleaver.begin(1, Self.track())
    try interleaver.push(1, Self.packet(2000))
    // The third track was unknown when the file was opened.
    #expect(throws: MediaError.self) { try interleaver.begin(2, Self.track()) }
    for index in [0, 1, 2] { try interleaver.finish(index) }
    try interleaver.complete()
    try sink.finish()
    #expect(try order("c").count == 101)
  }

  @Test func `a track that never begins is ignored`() throws {
    let (interleaver, sink) = try interleaver("d", tracks: 2)
    try interleaver.begin(1, Self.track())
    try interleaver.push(1, Self.packet(0))
    for index in [0, 1] { try interleaver.finish(index) }
    try interleaver.complete()
    try sink.finish()
    #expect(try order("d").map(\.track) == [0])
  }

  @Test func `repeated decode times are increased`() throws {
    let (interleaver, sink) = try interleaver("e", tracks: 1)
    try interleaver.begin(0, Self.track())
    for time in [0, 10, 10, 10, 20] { try interleaver.push(0, Self.packet(Int64(time))) }
    try interleaver.finish(0)
    try interleaver.complete()
    try sink.finish()
    let times = try order("e").map(\.time)
    #expect(times == [0, 10, 11, 12, 20])
  }

  @Test func `rounding to a coarser time base does not accumulate`() throws {
    let (interleaver, sink) = try interleaver("f", tracks: 1)
    try interleaver.begin(0, Self.track(Rational(1, 30_000)))
    for number in 0..<300 {
      try interleaver.push(0, Self.packet(Int64(number * 1001), duration: 1001))
    }
    try interleaver.finish(0)
    try interleaver.complete()
    try sink.finish()
    for (number, packet) in try order("f").enumerated() {
      #expect(abs(Double(packet.time) - Double(number * 1001) / 30) <= 1)
    }
  }

  @Test func `nothing is written after a stop`() throws {
    let (interleaver, sink) = try interleaver("g", tracks: 1)
    try interleaver.begin(0, Self.track())
    interleaver.stop { sink.abandon() }
    let error = #expect(throws: MediaError.self) { try interleaver.push(0, Self.packet(0)) }
    #expect(error?.code == .cancelled)
    #expect(scratch.names.isEmpty)
  }
}
