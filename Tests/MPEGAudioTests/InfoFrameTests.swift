import PluginHost
import RespoolPlugin
import Testing

@testable import MPEGAudio

@Suite struct InfoFrameTests {
  private typealias Support = MPEGAudioSupport

  @Test func `delay, padding, counts and checksums are those of the frames`() throws {
    var packets = try Support.packets(40, from: -1105)
    packets[39].trimEnd = 300
    let bytes = try Support.file(Support.media(), packets)
    let frames = try Support.frames(bytes)
    #expect(frames.count == 41)
    #expect(Array(frames.dropFirst()) == packets.map(\.bytes))
    let info = try ReadInfo(frames[0])
    #expect(info.name == "Info" && info.flags == 15)
    #expect(info.encoder.hasPrefix("LAME3"))
    #expect(info.delay == 576 && info.padding == 829)
    #expect(info.frameCount == 40 && info.byteCount == bytes.count)
    #expect(info.musicLength == bytes.count)
    #expect(info.musicChecksum == ReadInfo.checksum(bytes[frames[0].count...]))
    #expect(info.tagChecksum == info.computedChecksum)
  }

  @Test func `the checksum is CRC-16 with the known check value`() {
    var checksum = Checksum()
    checksum.add(Array("123456789".utf8))
    #expect(checksum.value == 0xBB3D)
  }

  @Test func `a stream states the delay without counts`() throws {
    let bytes = try Support.file(
      Support.media(), try Support.packets(5, from: -1105), isStream: true)
    let frame = try #require(try Support.frames(bytes).first)
    #expect(Array(frame[40..<44]) == [0, 0, 0, 8])
    // Without counts and table, the extension starts 12 bytes after the name.
    #expect(Array(frame[48..<52]) == Array("LAME".utf8))
    #expect(Array(frame[69..<72]) == [0x24, 0x02, 0x11])
  }

  @Test func `bit rates that differ make a variable header`() throws {
    var packets = try Support.packets(3, from: -1105)
    packets[0].payload = .bytes(MediaBuffer(try Support.frame(1, code: 14)))
    let frames = try Support.frames(try Support.file(Support.media(), packets))
    #expect(try ReadInfo(frames[0]).name == "Xing")
    #expect(frames[0].count == 417)
  }

  @Test(arguments: [1, 2, 5, 9, 14]) func `every bit rate has room for the tag`(code: Int) throws {
    for rate in [44100, 22050] {
      let frame = try Support.frame(0, code: UInt8(code), rate: rate)
      let info = try #require(InfoFrame(Array(frame.prefix(4))))
      let bytes = info.bytes(.init(hidden: 1105), isComplete: true)
      #expect(bytes.count == info.size)
      #expect(MPEGAudioHeader(bytes)?.frameLength == info.size)
    }
  }

  @Test func `without hidden audio, no lengths are stated`() throws {
    let packets = try Support.packets(4, from: 0)
    let frames = try Support.frames(try Support.file(Support.media(), packets))
    #expect(Array(frames.dropFirst()) == packets.map(\.bytes))
    let info = try ReadInfo(frames[0])
    #expect(info.frameCount == 4 && info.encoder.utf8.allSatisfy { $0 == 0 })
  }

  @Test(arguments: [1, 270, 1151])
  func `padding without hidden audio at the start is hidden with a frame of silence`(padding: Int64)
    throws
  {
    var packets = try Support.packets(10, from: 0)
    packets[9].trimEnd = padding
    let bytes = try Support.file(Support.media(), packets)
    let frames = try Support.frames(bytes)
    #expect(Array(frames.dropFirst(2)) == packets.map(\.bytes))
    #expect(frames[1].dropFirst(4).allSatisfy { $0 == 0 })
    let info = try ReadInfo(frames[0])
    #expect(info.delay == 1152 - 529 && info.padding == Int(padding) + 529)
    #expect(info.frameCount == 11 && info.byteCount == bytes.count)
    #expect(info.musicChecksum == ReadInfo.checksum(bytes[frames[0].count...]))
    #expect(info.tagChecksum == info.computedChecksum)
  }

  @Test(arguments: [
    // Hidden samples, samples that the tag hides, frames of silence.
    (1105, 1105, 0), (529, 529, 0), (528, 1680, 1), (1, 1153, 1), (4624, 4624, 0),
    (4625, 3473, -1), (9000, 4392, -4),
  ])
  func `any hidden start is stated, with frames of silence or without the first frames`(
    hidden: Int, stated: Int, silent: Int
  ) throws {
    let packets = try Support.packets(20, from: Int64(-hidden))
    let frames = try Support.frames(try Support.file(Support.media(), packets))
    #expect(try ReadInfo(frames[0]).delay + 529 == stated)
    #expect(frames.count == 21 + silent)
    #expect(Array(frames.suffix(20 + min(0, silent))) == packets.suffix(20 + silent).map(\.bytes))
    if silent > 0 { #expect(frames[1].dropFirst(4).allSatisfy { $0 == 0 }) }
  }

  @Test(arguments: [(1, 1), (44100, 39), (1152, 2)])
  func `late audio starts after silence`(late: Int, silent: Int) throws {
    let packets = try Support.packets(3, from: Int64(late))
    let frames = try Support.frames(try Support.file(Support.media(), packets))
    let info = try ReadInfo(frames[0])
    #expect(frames.count == 4 + silent)
    #expect(silent * 1152 - info.delay - 529 == late)
  }

  @Test func `a gap becomes silence`() throws {
    var packets = try Support.packets(4, from: -1105)
    for index in 2..<4 { packets[index].pts = packets[index].pts.map { $0 + 3 * 1152 } }
    let frames = try Support.frames(try Support.file(Support.media(), packets))
    #expect(frames.count == 8)
    #expect(frames[3...5].allSatisfy { $0.dropFirst(4).allSatisfy { $0 == 0 } })
  }

  @Test(arguments: [(0, 529, 20), (1152, 1681, 20), (3456, 3985, 20), (4000, 3377, 19)])
  func `hidden frames at the end are written as far as the tag can state them`(
    padding: Int, stated: Int, count: Int
  ) throws {
    var packets = try Support.packets(20, from: -1105)
    var left = Int64(padding)
    for index in packets.indices.reversed() {
      packets[index].trimEnd = min(left, 1152)
      left -= packets[index].trimEnd
    }
    let frames = try Support.frames(try Support.file(Support.media(), packets))
    #expect(frames.count == 1 + count)
    #expect(try ReadInfo(frames[0]).padding == stated)
  }

  @Test func `the table leads to frames at or before each percent`() throws {
    var index = FrameIndex()
    var offsets: [Int] = []
    // Large frames follow small ones; the index keeps every fourth.
    for number in 0..<30000 {
      offsets.append(Int(index.byteCount))
      index.add(size: number < 15000 ? 104 : 1044)
    }
    let table = index.table(head: 417)
    #expect(table == table.sorted() && table[0] == 0)
    let total = Int(index.byteCount) + 417
    for percent in 0..<100 {
      let exact = offsets[index.count * percent / 100] + 417
      let stated = Int(table[percent]) * total / 256
      #expect(stated <= exact && exact - stated < total / 256 + 5000)
    }
  }

  @Test(arguments: [
    [], [0xFF], [1, 2, 3, 4, 5], Array(repeating: 0xFF, count: 500), [0xFF, 0xFB, 0x90, 0x40, 0],
  ])
  func `packets that are no frames are rejected`(bytes: [UInt8]) throws {
    let packet = Packet(track: 0, pts: 0, dts: 0, payload: .bytes(MediaBuffer(bytes)))
    guard !bytes.isEmpty else {
      #expect(try Support.file(Support.media(), [packet]).isEmpty)
      return
    }
    let error = try #require(throws: MediaError.self) {
      try Support.file(Support.media(), [packet])
    }
    #expect(error.code == .malformed)
  }

  @Test func `a sample rate that changes is rejected`() throws {
    let packets = try Support.packets(1, from: 0) + Support.packets(1, from: 1152, rate: 22050)
    let error = try #require(throws: MediaError.self) {
      try Support.file(Support.media(), packets)
    }
    #expect(error.message.contains("44100 to 22050"))
  }
}
