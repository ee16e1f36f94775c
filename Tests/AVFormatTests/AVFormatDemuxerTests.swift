import Foundation
import PluginHost
import RespoolPlugin
import Testing

@testable import AVFormat

@Suite struct AVFormatDemuxerTests {
  private func packets(_ demuxer: AVFormatDemuxer) throws -> [Packet] {
    var packets: [Packet] = []
    while let packet = try demuxer.read() { packets.append(packet) }
    return packets
  }

  private func withDemuxer<R>(
    _ bytes: [UInt8], _ name: String, _ body: (AVFormatDemuxer) throws -> R
  ) throws -> R {
    let memory = MemoryFile(bytes, name: name)
    return try withExtendedLifetime(memory) {
      try body(AVFormatDemuxer(source: memory.byteSource, settings: .init()))
    }
  }

  @Test func `audio is described and arrives complete and in order`() throws {
    try withDemuxer(MadeFiles.au(samples: 5000), "a.au") { demuxer in
      let track = try #require(demuxer.media.tracks.first)
      #expect(demuxer.media.tracks.count == 1)
      #expect(demuxer.media.format == "au")
      #expect(track.kind == .audio)
      #expect(track.codec == "pcm_s16be")
      #expect(track.sampleRate == 8000)
      // AU does not store a channel layout.
      #expect(track.channelLayout.resolved == .stereo)
      #expect(track.timeBase == Rational(1, 8000))
      #expect(track.duration == 5000)
      let packets = try packets(demuxer)
      var next: Int64 = 0
      for packet in packets {
        #expect(packet.pts == next)
        #expect(packet.dts == next)
        next += packet.duration
      }
      #expect(next == 5000)
      let bytes = packets.flatMap {
        Array($0.buffer?.readOnly ?? UnsafeRawBufferPointer(start: nil, count: 0))
      }
      #expect(bytes == Array(MadeFiles.au(samples: 5000).dropFirst(24)))
    }
  }

  @Test func `video has its frame rate, pixel aspect ratio and times`() throws {
    try withDemuxer(MadeFiles.y4m(pictures: 3), "a.y4m") { demuxer in
      let track = try #require(demuxer.media.tracks.first)
      #expect(track.codec == "rawvideo")
      #expect((track.width, track.height) == (4, 2))
      #expect(track.frameRate == Rational(25, 1))
      #expect(track.sampleAspect == Rational(1, 1))
      #expect(track.pixelFormat == .yuv420p)
      #expect(track.isMovingPicture)
      let packets = try packets(demuxer)
      #expect(packets.map(\.pts) == [0, 1, 2])
      #expect(packets.map { $0.buffer?.bytes.first } == [0, 1, 2])
    }
  }

  @Test func `the times of a raw stream do not drift`() throws {
    // A third of a microsecond in each frame: libavformat gives decoding times to none but the first.
    try withDemuxer(MadeFiles.h264(repeating: 100), "a.h264") { demuxer in
      let track = try #require(demuxer.media.tracks.first)
      #expect(track.frameRate == Rational(30, 1))
      let step = track.frameRate.inverse.convert(1, to: track.timeBase)
      let times = try packets(demuxer).map { try #require($0.dts) }
      #expect(times.count == 900)
      #expect(times.indices.allSatisfy { times[$0] == times[0] + Int64($0) * step })
    }
  }

  @Test(arguments: [1, 2, 3]) func `a GIF is video`(pictures: Int) throws {
    try withDemuxer(MadeFiles.gif(pictures: pictures), "a.gif") { demuxer in
      #expect(demuxer.media.tracks.first?.isMovingPicture == true)
      let count = try packets(demuxer).count
      #expect(count == pictures)
    }
  }

  @Test func `a deselected track gives no packets`() throws {
    try withDemuxer(MadeFiles.au(samples: 100), "a.au") { demuxer in
      try demuxer.select([false])
      let rest = try packets(demuxer)
      #expect(rest.isEmpty)
      #expect(throws: MediaError.self) { try demuxer.select([true, true]) }
    }
  }

  @Test func `seeking goes back to the start`() throws {
    try withDemuxer(MadeFiles.au(samples: 3000), "a.au") { demuxer in
      let first = try packets(demuxer).map(\.pts)
      try demuxer.seek(track: 0, to: 0)
      let again = try packets(demuxer).map(\.pts)
      #expect(again == first)
      #expect(throws: MediaError.self) { try demuxer.seek(track: 1, to: 0) }
    }
  }

  @Test(arguments: [
    ("a.bin", Array("Dear reader, this is a letter and no film.".utf8)),
    ("a.txt", Array("Dear reader, this is a letter and no film.".utf8)),
    ("a.pdf", Array("%PDF-1.4\n1 0 obj\n<< >>\nendobj\n".utf8)),
    ("empty", []),
    ("zeros.mp4", [UInt8](repeating: 0, count: 5000)),
    ("a.m3u8", Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n".utf8)),
    ("a.ffconcat", Array("ffconcat version 1.0\nfile '/etc/passwd'\n".utf8)),
    (
      "a.sdp",
      Array("v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=audio 1 RTP/AVP 0\n".utf8)
    ),
  ])
  func `a file without media is rejected with a message`(name: String, bytes: [UInt8]) {
    let error = #expect(throws: MediaError.self) { try withDemuxer(bytes, name) { _ in } }
    #expect(error?.message.isEmpty == false)
    #expect(error?.code == .unsupported || error?.code == .malformed)
  }

  @Test(arguments: [
    ("a.au", MadeFiles.au(samples: 60)), ("a.y4m", MadeFiles.y4m(pictures: 2)),
    ("a.gif", MadeFiles.gif(pictures: 2)),
  ])
  func `every truncation ends`(name: String, bytes: [UInt8]) {
    for count in 0..<bytes.count {
      do {
        let found = try withDemuxer(Array(bytes.prefix(count)), name) { try packets($0) }
        #expect(found.reduce(0) { $0 + $1.size } <= bytes.count)
      } catch {
        #expect((error as? MediaError)?.message.isEmpty == false)
      }
    }
  }

  @Test func `canceling stops the opening`() {
    let memory = MemoryFile(MadeFiles.au(samples: 100), name: "a.au")
    memory.isCancelled = true
    let error = #expect(throws: MediaError.self) {
      try AVFormatDemuxer(source: memory.byteSource, settings: .init())
    }
    #expect(error?.code == .cancelled)
    #expect(memory.reads == 0)
  }

  @Test func `probing prefers structure to names`() {
    func score(_ bytes: [UInt8], _ name: String) -> Int {
      bytes.withUnsafeBytes { AVFormatDemuxer.probe($0, name: name) }
    }
    #expect(score(MadeFiles.au(samples: 10), "x") >= 50)
    #expect(score(MadeFiles.y4m(pictures: 1), "x") >= 50)
    #expect(score([1, 2, 3, 4], "x") == 0)
    #expect(score(Array("A letter".utf8), "letter.txt") <= 25)
  }

  @Test func `the last packet of Opus in Ogg has its whole duration`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Media/speech-opus.opus")
    try withDemuxer(Array(Data(contentsOf: file)), "a.opus") { demuxer in
      let packets = try packets(demuxer)
      let last = try #require(packets.last)
      #expect(packets.allSatisfy { $0.duration == 960 })
      #expect(last.trimEnd == 648)
    }
  }
}
