import PluginHost
import RespoolMedia
import RespoolPlugin
import Testing

/// Packets of PCM in parts of a file, from the SDK.
@Suite struct PCMPacketsTests {
  private func all(_ packets: inout PCMPackets) throws -> [(time: Int64?, payload: String)] {
    var result: [(time: Int64?, payload: String)] = []
    while let packet = try packets.read() {
      switch packet.payload {
      case .bytes(let buffer): result.append((packet.pts, "\(Array(buffer.readOnly))"))
      case .range(let offset, let length): result.append((packet.pts, "\(offset)+\(length)"))
      }
    }
    return result
  }

  @Test func `parts and gaps follow each other, and packets are ranges`() throws {
    var packets = PCMPackets(
      source: MemoryFile([UInt8](0..<40)).byteSource, blockAlign: 2, blocksPerPacket: 4)
    #expect(try packets.append(offset: 10, length: 12))
    try packets.appendSilence(100)
    #expect(try packets.append(offset: 30, length: 5))
    #expect(packets.duration == 108)
    let found = try all(&packets)
    #expect(found.map(\.time) == [0, 4, 106])
    #expect(found.map(\.payload) == ["10+8", "18+4", "30+4"])
  }

  @Test(arguments: [
    (0, 0, "10+8"), (3, 3, "16+6"), (6, 106, "30+4"), (50, 106, "30+4"), (107, 107, "32+2"),
    (-5, 0, "10+8"),
  ])
  func `a packet begins at the time of a seek, or after a gap`(
    time: Int64, found: Int64, range: String
  ) throws {
    var packets = PCMPackets(
      source: MemoryFile([UInt8](0..<40)).byteSource, blockAlign: 2, blocksPerPacket: 4)
    try packets.append(offset: 10, length: 12)
    try packets.appendSilence(100)
    try packets.append(offset: 30, length: 4)
    packets.seek(to: time)
    let first = try #require(try all(&packets).first)
    #expect(first.time == found && first.payload == range)
    packets.seek(to: .max)
    #expect(try packets.read() == nil)
  }

  @Test func `a part that the file does not contain as a whole is shortened`() throws {
    var packets = PCMPackets(source: MemoryFile([UInt8](0..<40)).byteSource, blockAlign: 2)
    #expect(try !packets.append(offset: 30, length: .max))
    #expect(try all(&packets).map(\.payload) == ["30+10"])
    #expect(try !packets.append(offset: 100, length: 4))
    #expect(packets.duration == 5)
  }

  @Test func `a stream without a size is read up to its end`() throws {
    let file = MemoryFile([UInt8](0..<13))
    file.isStream = true
    var packets = PCMPackets(source: file.byteSource, blockAlign: 2, blocksPerPacket: 2)
    #expect(try packets.append(offset: 4, length: nil))
    #expect(packets.duration == nil)
    #expect(try all(&packets).map(\.payload) == ["[4, 5, 6, 7]", "[8, 9, 10, 11]"])
    #expect(throws: MediaError.self) { try packets.append(offset: 0, length: 2) }
  }

  @Test func `numbers of damaged files throw`() throws {
    var packets = PCMPackets(source: MemoryFile([0, 1]).byteSource, blockAlign: 0)
    #expect(throws: MediaError.self) { try packets.append(offset: -1, length: 4) }
    #expect(throws: MediaError.self) { try packets.append(offset: .max, length: 4) }
    #expect(throws: MediaError.self) { try packets.append(offset: 0, length: -1) }
    #expect(throws: MediaError.self) { try packets.appendSilence(-1) }
    #expect(throws: MediaError.self) { try packets.appendSilence(.max) }
    #expect(packets.duration == 0)
  }
}
