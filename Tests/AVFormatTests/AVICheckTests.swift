import PluginHost
import RespoolPlugin
import Testing

@testable import AVFormat

/// Damage in AVI files, as opposed to chunks that other programs wrote.
@Suite struct AVICheckTests {
  private func chunk(_ name: String, _ count: Int, isPadded: Bool = true) -> [UInt8] {
    chunk(name, [UInt8](repeating: 1, count: count), isPadded: isPadded)
  }

  private func chunk(_ name: String, _ body: [UInt8], isPadded: Bool = true) -> [UInt8] {
    let size = (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) }
    let padding = [UInt8](repeating: 0, count: isPadded ? body.count % 2 : 0)
    return Array(name.utf8) + size + body + padding
  }

  private func list(_ type: String, _ body: [UInt8], isPadded: Bool = true) -> [UInt8] {
    chunk("LIST", Array(type.utf8) + body, isPadded: isPadded)
  }

  /// Returns a file with a header, chunks before the media, four media chunks and an index.
  private func file(before: [UInt8] = [], media: [UInt8]? = nil, after: [UInt8] = []) -> [UInt8] {
    chunk(
      "RIFF",
      Array("AVI ".utf8) + list("hdrl", chunk("avih", 56)) + before
        + list("movi", media ?? self.media) + chunk("idx1", 64) + after)
  }

  private var media: [UInt8] {
    chunk("00dc", 200) + chunk("01wb", 101) + chunk("00dc", 50) + chunk("01wb", 100)
  }

  private func problem(_ bytes: [UInt8], before end: Int64 = .max) throws -> String? {
    let memory = MemoryFile(bytes, name: "film.avi")
    return try withExtendedLifetime(memory) {
      var check = AVICheck(memory.byteSource)
      return try check.problem(before: end)
    }
  }

  @Test func `chunks with names that AVI does not define are no damage`() throws {
    let foreign = chunk("bext", 603) + chunk("XMP_", 300) + chunk("id3 ", 41)
    #expect(try problem(file()) == nil)
    #expect(try problem(file(before: foreign)) == nil)
    #expect(try problem(file(after: foreign)) == nil)
    #expect(try problem(file(before: chunk("fact", 4), after: chunk("beef", 6))) == nil)
  }

  @Test(arguments: ["INFO", "movi"])
  func `a chunk or list of odd size without padding is no damage`(type: String) throws {
    if type == "INFO" {
      let info = list("INFO", chunk("INAM", 7, isPadded: false), isPadded: false)
      #expect(try problem(file(before: info)) == nil)
    } else {
      let media = chunk("00dc", 201, isPadded: false) + chunk("01wb", 101, isPadded: false)
      #expect(try problem(file(media: media + chunk("00dc", 10))) == nil)
    }
  }

  @Test func `a chunk that the end of the file cuts is named`() throws {
    let whole = file()
    let last = Array("01wb".utf8) + [100, 0, 0, 0]
    let start = try #require(whole.indices.first { whole[$0...].starts(with: last) })
    #expect(
      try problem(Array(whole[..<(start + 60)])) == "the AVI chunk at offset \(start) is cut off")
  }

  @Test func `bytes between chunks are counted`() throws {
    let start = 12 + list("hdrl", chunk("avih", 56)).count
    #expect(
      try problem(file(before: [0xFF])) == "1 byte at offset \(start) belongs to no AVI chunk")
    let gap = [UInt8](repeating: 0, count: 300)
    let place = start + 12 + chunk("00dc", 200).count
    #expect(
      try problem(file(media: chunk("00dc", 200) + gap + chunk("01wb", 100)))
        == "300 bytes at offset \(place) belong to no AVI chunk")
  }

  @Test func `a name of hexadecimal digits alone starts no media after damage`() throws {
    // FFmpeg's stream chunks have a kind of data such as dc or wb after the number of the stream.
    let gap =
      [UInt8](repeating: 0, count: 20) + Array("beef".utf8) + [UInt8](repeating: 0, count: 20)
    let place = 12 + list("hdrl", chunk("avih", 56)).count + 12 + chunk("00dc", 200).count
    #expect(
      try problem(file(media: chunk("00dc", 200) + gap + chunk("01wb", 100)))
        == "44 bytes at offset \(place) belong to no AVI chunk")
  }
}
