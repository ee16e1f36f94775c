import PluginHost
import RespoolPlugin
import Testing

@testable import AVFormat

/// Damage in GIF files, which libavcodec conceals.
@Suite struct GIFCheckTests {
  /// Returns a file with one image of 3 times 1 pixels in 4 colors, whose data has `codes` of 3 bits.
  private func file(_ codes: [Int], after: [UInt8] = [0x3B]) -> [UInt8] {
    let bits = codes.flatMap { code in (0..<3).map { code >> $0 & 1 } }
    let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<min(start + 8, bits.count)].reversed().reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
    }
    return Array("GIF89a".utf8) + [3, 0, 1, 0, 0x81, 0, 0] + [UInt8](repeating: 0, count: 12)
      + [0x2C, 0, 0, 0, 0, 3, 0, 1, 0, 0, 2, UInt8(bytes.count)] + bytes + [0] + after
  }

  private func problem(_ bytes: [UInt8]) throws -> String? {
    let memory = MemoryFile(bytes, name: "a.gif")
    return try withExtendedLifetime(memory) {
      var check = try GIFCheck(memory.byteSource)
      return try check.problemAtEnd()
    }
  }

  /// 4 clears the table, 5 ends the data, and 6 is the first string.
  @Test(arguments: [
    ([4, 1, 2, 3, 5], nil), ([4, 1, 6, 5], nil), ([4, 1, 4, 1, 2, 5], nil),
    ([4, 1, 7, 5], "has the LZW code 7, which is not in the table"),
    ([4, 1, 2, 5], "has 2 of 3 pixels"), ([4, 1], "has 1 of 3 pixels"),
    ([4, 4, 4, 1, 6], nil), ([4, 1, 1, 6, 5], "has more than its 3 pixels"),
  ])
  func `damaged data of images is reported`(codes: [Int], reason: String?) throws {
    #expect(try problem(file(codes)) == reason.map { "image 1 at offset 25 \($0)" })
  }

  @Test func `bytes that begin no block are reported`() throws {
    #expect(try problem(file([4, 1, 2, 3, 5], after: [0, 0x3B])) == nil)
    #expect(
      try problem(file([4, 1, 2, 3, 5], after: [0x77, 0x3B]))
        == "the byte 119 at offset 40 begins no block")
  }

  private func missing(_ bytes: [UInt8]) throws -> String? {
    let memory = MemoryFile(bytes, name: "a.gif")
    return try withExtendedLifetime(memory) {
      try DeclaredExtent.missing(in: memory.byteSource, format: "gif")
    }
  }

  @Test func `a file without all of its blocks or its trailer is cut off`() throws {
    let whole = MadeFiles.gif(pictures: 3)
    for count in whole.indices.dropFirst(32) {
      let words = try #require(try missing(Array(whole[..<count])))
      #expect(words.contains("within the block") || words.contains("trailer"), "\(words)")
    }
    #expect(try missing(whole + [1, 2]) == nil)
  }
}
